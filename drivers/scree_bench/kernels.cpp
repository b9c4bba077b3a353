#include "kernels.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "scree/dynamics/simulation.hpp"
#include "scree/model/decomposition.hpp"
#include "scree/problem/body_operator.hpp"
#include "scree/problem/error_measure.hpp"
#include "scree/solvers/npgs.hpp"
#include "workplace.hpp"

namespace scree::bench {

using parallel::Comm;
using problem::Law;

namespace {

// What an update moves: a contact's geometry, its offset, its impulse in and out, its bound if it has one; a body's
// cache line in and out, shared by the contacts of the body.
constexpr double geometry = 32.0, rows = 24.0, bound = 8.0, body_line = 64.0, lever = 160.0;

double per_contact(const Workplace& place, double bytes_of_body) {
  return bytes_of_body * static_cast<double>(place.total_bodies) / static_cast<double>(place.total_contacts);
}
double sweep_bytes(const Workplace& place, Law law) {
  return geometry + 3.0 * rows + (law == Law::box ? bound : 0.0) + per_contact(place, 2.0 * body_line);
}

/// A problem with vectors to work on, kept by what works on them.
struct Bench {
  Workplace place;
  problem::ContactProblem problem;
  parallel::Vector x, w;
  problem::Motion motion;

  Bench(Workplace where, Law law)
      : place(std::move(where)),
        problem(place.make_problem(law)),
        x(problem.make_vector()),
        w(problem.make_vector()),
        motion(problem.N->motion_at_rest()) {}
  [[nodiscard]] Work work(double bytes, std::function<void()> pass) const {
    return {place.total_contacts, place.total_contacts, bytes, std::move(pass)};
  }
};

Work sweep(Workplace place, Law law, double more_bytes) {
  const auto bench = std::make_shared<Bench>(std::move(place), law);
  return bench->work(sweep_bytes(bench->place, law) + more_bytes,
                     [bench] { bench->problem.N->sweep(bench->problem.r, bench->problem.K, bench->x, bench->motion); });
}

Kernel sweep_of_spheres(std::string name, std::string description, Law law) {
  return {std::move(name), std::move(description), [law](const Comm& comm, std::int64_t contacts) {
            return sweep(Workplace::of_spheres(comm, contacts), law, 0.0);
          }};
}

Work npgs_iterations(const Comm& comm, std::int64_t contacts) {
  constexpr int iterations = 50;  // so that the two judgements of the monitor count little
  const auto bench = std::make_shared<Bench>(Workplace::of_spheres(comm, contacts), Law::cone);
  // Beside the sweep: the impulses and the motion that are extrapolated.
  const double bytes = sweep_bytes(bench->place, Law::cone) + rows + per_contact(bench->place, body_line);
  Work work = bench->work(bytes, [bench] {
    const solvers::StopRule rule{
        .tolerance = 0.0, .max_iterations = iterations, .check_every = 1'000'000, .all_measures = false};
    solvers::Monitor monitor(bench->problem, rule);
    npgs(bench->problem, bench->x, monitor, {});
  });
  work.updates *= iterations;
  return work;
}

Work product(const Comm& comm, std::int64_t contacts) {
  const auto bench = std::make_shared<Bench>(Workplace::of_spheres(comm, contacts), Law::cone);
  return bench->work(2.0 * (geometry + rows) + per_contact(bench->place, 4.0 * body_line),
                     [bench] { bench->problem.N->apply(bench->problem.r, bench->w); });
}

Work projection(const Comm& comm, std::int64_t contacts) {
  const auto bench = std::make_shared<Bench>(Workplace::of_spheres(comm, contacts), Law::cone);
  return bench->work(4.0 * rows, [bench] {  // what is projected stays, so each pass begins with a copy
    parallel::petsc(VecCopy(bench->problem.r, bench->x));
    bench->problem.K.project(bench->x);
  });
}

Work residual(const Comm& comm, std::int64_t contacts) {
  const auto bench = std::make_shared<Bench>(Workplace::of_spheres(comm, contacts), Law::cone);
  const auto meter = std::make_shared<problem::ErrorMeter>(bench->problem);
  return bench->work(3.0 * rows, [bench, meter] { (void)meter->one(bench->x, bench->w, problem::Measure::natural); });
}

std::optional<Work> exchange(const Comm& comm, std::int64_t contacts) {
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  const std::int64_t ghosts = comm.sum(static_cast<std::int64_t>(place->bodies.ghosts()));
  if (ghosts == 0) return std::nullopt;
  return Work{place->total_contacts, ghosts, 4.0 * 6.0 * sizeof(double),  // packed, unpacked
              [place] { place->bodies.refresh_ghosts(place->neighbourhood.halo); }};
}

Work broad_phase(const Comm& comm, std::int64_t contacts) {
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  return {place->total_contacts, place->total_pairs, 8.0 + per_contact(*place, 40.0),
          [place] { (void)collision::find_near_pairs(place->bodies, place->margin); }};
}

Work whole_search(const Comm& comm, std::int64_t contacts) {
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  return {place->total_contacts, place->total_pairs, 32.0 + per_contact(*place, 2.0 * 200.0), [place] {
            place->neighbourhood =
                dynamics::search(place->comm, place->bodies, place->walls, place->neighbourhood.reach, {});
          }};
}

Work narrow_phase_of_block(const Comm& comm, std::int64_t contacts) {
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  return {place->total_contacts, place->total_pairs, 32.0 + 48.0 + per_contact(*place, 56.0),
          [place] { (void)place->find_contacts(); }};
}

Kernel narrow_phase(std::string name, Partner first, Partner second) {
  return {"narrow-" + std::move(name), "narrow phase, pairs of these", [=](const Comm& comm, std::int64_t contacts) {
            constexpr std::int64_t most = 130'000;  // every pair has bodies of its own
            const auto place =
                std::make_shared<Workplace>(Workplace::of_pairs(comm, first, second, std::min(contacts, most)));
            return Work{place->total_contacts, place->total_pairs, 32.0 + 48.0 + 2.0 * 112.0,
                        [place] { (void)place->find_contacts(); }};
          }};
}

Work assembly(const Comm& comm, std::int64_t contacts) {
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  return {place->total_contacts, place->total_contacts,
          48.0 + 2.0 * geometry + 2.0 * rows + per_contact(*place, 2.0 * body_line + 100.0),
          [place] { (void)place->make_problem(Law::cone); }};
}

/// A whole simulation, of which only one phase counts.
Work integration(const Comm& comm, std::int64_t contacts) {
  Workplace place = Workplace::of_spheres(comm, contacts);
  const std::int64_t in_contact = place.total_contacts;
  place.bodies.drop_ghosts();
  dynamics::Setup setup{};
  setup.materials.resize(1);
  setup.walls = place.walls;
  setup.bodies = std::move(place.bodies);
  setup.solver.name = "npgs";
  setup.solver.stop.max_iterations = 1;
  const auto simulation = std::make_shared<dynamics::Simulation>(comm, std::move(setup));
  return {in_contact, place.total_bodies, 2.0 * 104.0 + body_line, [simulation] { (void)simulation->step(); },
          [simulation] {
            const auto& phases = simulation->timer().phases();
            const auto phase = std::ranges::find(phases, "integrate", &parallel::PhaseTimer::Phase::name);
            return phase == phases.end() ? 0.0 : phase->seconds;
          }};
}

/// A tenth of the bodies goes to the next rank.
std::optional<Work> migration(const Comm& comm, std::int64_t contacts) {
  if (comm.size() == 1) return std::nullopt;
  const auto place = std::make_shared<Workplace>(Workplace::of_spheres(comm, contacts));
  place->bodies.drop_ghosts();
  return Work{place->total_contacts, std::max<std::int64_t>(1, place->total_bodies / 10), 4.0 * sizeof(model::Body),
              [place] {
                std::vector<int> target(static_cast<std::size_t>(place->bodies.owned()), place->comm.rank());
                for (std::size_t k = 0; k < target.size(); k += 10)
                  target[k] = (place->comm.rank() + 1) % place->comm.size();
                (void)migrate(place->comm, place->bodies, target, {});
              }};
}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {
      sweep_of_spheres("sweep-cone", "sweep over contacts of spheres, friction cone", Law::cone),
      sweep_of_spheres("sweep-coulomb", "the same, Coulomb's law", Law::coulomb),
      sweep_of_spheres("sweep-box", "the same, box", Law::box),
      sweep_of_spheres("sweep-frictionless", "the same without friction", Law::frictionless),
      {"sweep-bricks", "sweep over contacts of boxes, friction cone",
       [](const Comm& comm, std::int64_t contacts) {
         return sweep(Workplace::of_bricks(comm, contacts), Law::cone, lever);
       }},
      {"npgs-cone", "an iteration of npgs over contacts of spheres", npgs_iterations},
      {"apply", "N x over contacts of spheres", product},
      {"project", "projection on the friction cones", projection},
      {"residual", "natural residual of given impulses and velocities", residual},
      {"exchange", "refreshed ghosts; on two ranks or more", exchange},
      {"broad-phase", "near pairs found on a grid", broad_phase},
      {"search", "near pairs found, sorted and ordered", whole_search},
      {"narrow-block", "narrow phase, pairs of the block of spheres", narrow_phase_of_block},
      narrow_phase("sphere-sphere", Partner::sphere, Partner::sphere),
      narrow_phase("sphere-wall", Partner::sphere, Partner::wall),
      narrow_phase("sphere-box", Partner::sphere, Partner::box),
      narrow_phase("box-box", Partner::box, Partner::box),
      narrow_phase("box-wall", Partner::box, Partner::wall),
      narrow_phase("capsule-capsule", Partner::capsule, Partner::capsule),
      narrow_phase("cylinder-cylinder", Partner::cylinder, Partner::cylinder),
      {"assembly", "operator, offsets and sets of contacts of spheres", assembly},
      {"integration", "bodies moved with their impulses", integration},
      {"migration", "bodies that change their rank; on two ranks or more", migration},
  };
  return all;
}

}  // namespace scree::bench
