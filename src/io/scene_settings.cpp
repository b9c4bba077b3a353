#include "scree/io/scene_settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "scree/io/scene_joints.hpp"
#include "scree/parallel/error.hpp"

namespace scree::io {

namespace {

void read_time(const Entry& root, Scene& scene) {
  const Entry time = root.at("time");
  if (const auto step = time.find("step")) scene.step.step = step->positive();
  if (const auto steps = time.find("steps")) {
    scene.steps = steps->integer(0);
  } else if (const auto end = time.find("end")) {
    // An end that is a whole number of steps away must not get one more from rounding.
    const double steps_to_end = std::ceil(end->non_negative() / scene.step.step - 1e-6);
    if (steps_to_end > 9e15) end->fail("is too many steps away: check 'step'");
    scene.steps = static_cast<std::int64_t>(steps_to_end);
  } else {
    time.fail("needs the key 'steps' or 'end'");
  }
}

void read_contact(const Entry& root, Scene& scene) {
  const auto contact = root.find("contact");
  if (!contact) return;
  if (const auto value = contact->find("margin")) scene.step.margin = value->non_negative();
  if (const auto value = contact->find("skin")) scene.step.skin = value->positive();
  if (const auto value = contact->find("recovery_speed"))
    scene.step.stabilisation.recovery_speed = value->non_negative();
  if (const auto section = contact->find("stabilisation")) read_stabilisation(*section, scene.step.stabilisation);
  if (const auto value = contact->find("restitution_threshold"))
    scene.step.restitution_threshold = value->non_negative();
  if (const auto value = contact->find("warm_start")) scene.step.warm_start = value->flag();
  if (const auto value = contact->find("push_apart")) scene.push_apart = value->flag();
}

int bounded_int(const Entry& entry) {
  const std::int64_t value = entry.integer(1);
  if (value > std::numeric_limits<int>::max()) entry.fail("is too large");
  return static_cast<int>(value);
}

void read_solver(const Entry& root, Scene& scene) {
  const auto section = root.find("solver");
  dynamics::SolverChoice& choice = scene.solver;
  if (section) {
    if (const auto name = section->find("name")) choice.name = name->text();
    if (const auto law = section->find("law")) choice.law = problem::laws()[law->choice(names_of(problem::laws()))].law;
    if (const auto measure = section->find("measure")) {
      choice.stop.measure = problem::measures()[measure->choice(names_of(problem::measures()))].measure;
    }
    if (const auto value = section->find("tolerance")) choice.stop.tolerance = value->non_negative();
    if (const auto value = section->find("max_iterations")) choice.stop.max_iterations = bounded_int(*value);
    if (const auto value = section->find("check_every")) choice.stop.check_every = bounded_int(*value);
    if (const auto bounds = section->find("bounds")) {
      const bool last_step = bounds->choice({"last_step", "frictionless"}) == 0;
      choice.bounds = last_step ? dynamics::BoundSource::last_step : dynamics::BoundSource::frictionless;
    }
    if (const auto value = section->find("facets")) {
      choice.facets = bounded_int(*value);
      if (choice.facets < 4 || choice.facets % 2 != 0) value->fail("must be an even number from 4 on");
    }
    if (const auto coupling = section->find("coupling")) {
      const auto& couplings = problem::couplings();
      choice.sweeps.coupling = couplings[coupling->choice(names_of(couplings))].coupling;
    }
    if (const auto value = section->find("local_sweeps")) choice.sweeps.local_sweeps = bounded_int(*value);
    if (const auto options = section->find("options")) {
      for (const auto& [name, value] : options->members()) {
        choice.options.insert_or_assign(name, value.is_number() ? solvers::OptionValue(value.number()) : value.text());
      }
    }
  }
  try {
    const model::SurfaceTable surfaces(scene.materials, scene.material_pairs);
    (void)solvers::make_solver(choice.name, choice.options, dynamics::laws_of_run(choice.law, surfaces));
  } catch (const InputError& error) {
    const auto name = section ? section->find("name") : std::nullopt;
    const Entry place = name ? *name : section.value_or(root);
    place.fail(error.what());
  }
}

void read_decomposition(const Entry& root, Scene& scene) {
  const auto section = root.find("decomposition");
  if (!section) return;
  dynamics::BalanceOptions& balance = scene.balance;
  if (const auto name = section->find("partitioner")) {
    balance.partitioner = name->text();
    try {
      (void)parallel::find_partitioner(balance.partitioner);
    } catch (const InputError& error) {
      name->fail(error.what());
    }
  }
  if (const auto when = section->find("rebalance")) {
    const std::string text = when->text();
    const bool is_number = !text.empty() && std::string_view("0123456789+-.").find(text[0]) != std::string_view::npos;
    if (is_number) {
      balance.when = dynamics::Rebalance::periodic;
      balance.period = when->integer(1);
    } else if (text == "off" || text == "imbalance") {
      balance.when = text == "off" ? dynamics::Rebalance::off : dynamics::Rebalance::by_imbalance;
    } else {
      when->fail(fmt::format("must be 'off', 'imbalance' or a number of steps, is '{}'", text));
    }
  }
  if (const auto threshold = section->find("threshold")) {
    balance.threshold = threshold->number();
    if (!(balance.threshold > 1.0))
      threshold->fail("must be greater than 1, which is perfect balance: 1.1 allows 10 %");
  }
}

void read_output(const Entry& root, Scene& scene) {
  const auto output = root.find("output");
  if (!output) return;
  if (const auto value = output->find("every")) scene.output.every = value->integer(0);
  if (const auto value = output->find("contacts")) scene.output.contacts = value->flag();
  if (const auto value = output->find("format"))
    scene.output.format = value->choice({"paraview", "hdf5"}) == 0 ? OutputFormat::paraview : OutputFormat::hdf5;
  if (const auto value = output->find("fields"))
    for (const Entry& field : value->items())
      scene.output.selection.fields.push_back(field_names()[field.choice(field_names())]);
  if (const auto value = output->find("every_kth_body")) scene.output.selection.every_kth_body = value->integer(1);
  if (const auto value = output->find("log_every")) scene.output.log_every = value->integer(1);
  if (const auto value = output->find("checkpoint_every")) scene.output.checkpoint_every = value->integer(0);
  if (const auto value = output->find("checkpoint_minutes")) scene.output.checkpoint_minutes = value->non_negative();
  if (const auto value = output->find("on_error"))
    scene.output.stop_on_error = value->choice({"stop", "continue"}) == 0;
}

}  // namespace

void read_settings(const Entry& root, Scene& scene) {
  read_time(root, scene);
  read_contact(root, scene);
  read_solver(root, scene);
  read_decomposition(root, scene);
  read_output(root, scene);
}

}  // namespace scree::io
