#include "scree/io/fclib.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "scree/io/shared_hdf5.hpp"
#include "scree/parallel/error.hpp"
#include "scree/parallel/petsc.hpp"
#include "scree/problem/contact_frame.hpp"

namespace scree::io {

using model::Vec3;
using problem::ContactFrame;

namespace {

/// A part of a sparse matrix.
struct Triplets {
  std::vector<std::int32_t> row, column;
  std::vector<double> value;

  void reserve(std::size_t count) {
    row.reserve(count);
    column.reserve(count);
    value.reserve(count);
  }
  void add(std::int64_t i, std::int64_t j, double x) {
    row.push_back(static_cast<std::int32_t>(i));
    column.push_back(static_cast<std::int32_t>(j));
    value.push_back(x);
  }
};

/// This rank's part of M v = H x + f, u = H^T v + w.
struct GlobalProblem {
  std::int64_t bodies, contacts;  ///< of all ranks
  Triplets M, H;
  std::vector<double> f, w, mu;
};

constexpr std::int64_t body_rows = 6;
constexpr std::int64_t contact_columns = 3;
constexpr std::int64_t entries_per_end = 18;  // of H at most: a normal impulse does not turn a sphere

/// Collective: the number of each local body among those of all ranks.
std::vector<double> body_numbers(const parallel::Comm& comm, const dynamics::StepProblem& problem) {
  const auto first = static_cast<double>(comm.sum_below(problem.bodies.owned()));
  std::vector<double> numbers(static_cast<std::size_t>(problem.bodies.size()));
  for (std::size_t k = 0; k < static_cast<std::size_t>(problem.bodies.owned()); ++k) {
    numbers[k] = first + static_cast<double>(k);
  }
  problem.halo.forward(numbers.data(), {1, 1});
  return numbers;
}

void add_body(const model::Bodies& bodies, std::size_t k, std::int64_t number, GlobalProblem& part) {
  const std::int64_t first = body_rows * number;
  for (int c = 0; c < 3; ++c) {
    part.M.add(first + c, first + c, bodies.mass[k]);
    part.f.push_back(bodies.mass[k] * bodies.velocity[k][c]);
  }
  const model::Mat3 turn = bodies.attitude[k].toRotationMatrix();
  const bool is_ball = bodies.is_ball(static_cast<int>(k));
  const model::Mat3 inertia =
      is_ball ? model::Mat3(bodies.inertia[k].asDiagonal()) : turn * bodies.inertia[k].asDiagonal() * turn.transpose();
  const Vec3 momentum = inertia * bodies.spin[k];
  for (int c = 0; c < 3; ++c) {
    for (int d = 0; d < 3; ++d)
      if (c == d || !is_ball) part.M.add(first + 3 + c, first + 3 + d, inertia(c, d));
    part.f.push_back(momentum[c]);
  }
}

/// Adds what contact `number` does to one of its bodies to H, and gives back what the body's motion adds to H^T v*.
/// The impulse acts on the body with `sign`, at the end of the lever arm.
Vec3 add_end(const model::Bodies& bodies, int body, std::int64_t row, std::int64_t number, const ContactFrame& frame,
             double sign, const Vec3& arm, Triplets& H) {
  const auto k = static_cast<std::size_t>(body);
  const bool is_along_normal = bodies.is_ball(body) && arm.cross(Vec3(frame.n)).norm() <= 1e-12 * bodies.radius[k];
  Vec3 velocity;
  int d = 0;
  for (const double* direction : {frame.n, frame.t, frame.o}) {
    const std::int64_t column = contact_columns * number + d;
    const Vec3 force = sign * Vec3(direction);
    const Vec3 torque = d == 0 && is_along_normal ? Vec3(Vec3::Zero()) : Vec3(arm.cross(force));
    for (int c = 0; c < 3; ++c) H.add(row + c, column, force[c]);
    for (int c = 0; c < 3 && (d > 0 || !is_along_normal); ++c) H.add(row + 3 + c, column, torque[c]);
    velocity[d++] = force.dot(bodies.velocity[k]) + torque.dot(bodies.spin[k]);
  }
  return velocity;
}

/// From a body of a contact to where the impulse acts on it; on a sphere exactly along the normal.
Vec3 lever_arm(const dynamics::StepProblem& problem, const collision::ContactSet::Contact& contact, int body,
               double sign) {
  const auto k = static_cast<std::size_t>(body);
  if (contact.point < 0) return -sign * problem.bodies.radius[k] * contact.normal;
  return problem.contacts.points[static_cast<std::size_t>(contact.point)] - problem.bodies.position[k];
}

/// Collective.
GlobalProblem assemble(const parallel::Comm& comm, const dynamics::StepProblem& problem) {
  const std::vector<double> numbers = body_numbers(comm, problem);
  const std::int64_t first_contact = comm.sum_below(problem.contacts.size());
  GlobalProblem part{comm.sum(std::int64_t{problem.bodies.owned()}),
                     comm.sum(std::int64_t{problem.contacts.size()}),
                     {},
                     {},
                     {},
                     {},
                     {}};
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (body_rows * part.bodies > most || 2 * entries_per_end * part.contacts > most) {
    throw std::runtime_error(fmt::format("{} bodies with {} contacts are more than FCLIB's 32-bit numbers can count",
                                         part.bodies, part.contacts));
  }
  parallel::all_or_none(comm, [&] {
    const auto owned = static_cast<std::size_t>(problem.bodies.owned());
    part.M.reserve(body_rows * owned);
    part.f.reserve(body_rows * owned);
    for (std::size_t k = 0; k < owned; ++k) {
      add_body(problem.bodies, k, static_cast<std::int64_t>(numbers[k]), part);
    }
    const auto& contacts = problem.contacts.contacts;
    part.H.reserve(2 * entries_per_end * contacts.size());
    const parallel::ReadArray r(problem.problem.r);
    part.w.assign(r.data(), r.data() + r.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const ContactFrame frame(contacts[k].normal.data());
      for (const auto& [body, sign] : {std::pair(contacts[k].a, -1.0), std::pair(contacts[k].b, 1.0)}) {
        if (body < 0) continue;
        const auto row = body_rows * static_cast<std::int64_t>(numbers[static_cast<std::size_t>(body)]);
        const auto number = first_contact + static_cast<std::int64_t>(k);
        const Vec3 arm = lever_arm(problem, contacts[k], body, sign);
        const Vec3 velocity = add_end(problem.bodies, body, row, number, frame, sign, arm, part.H);
        for (std::size_t d = 0; d < 3; ++d) part.w[3 * k + d] -= velocity[static_cast<Eigen::Index>(d)];
      }
    }
    part.mu = problem.problem.K.friction.all();
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (problem.problem.K.law_of(static_cast<int>(k)) == problem::Law::frictionless) part.mu[k] = 0.0;
  });
  return part;
}

/// Collective.
void add_matrix(const parallel::Comm& comm, SharedHdf5& file, const std::string& name, std::int64_t rows,
                std::int64_t columns, const Triplets& part) {
  const std::int64_t entries = comm.sum(static_cast<std::int64_t>(part.value.size()));
  file.add_group(name);
  file.add_number(name + "/nzmax", entries);
  file.add_number(name + "/m", rows);
  file.add_number(name + "/n", columns);
  file.add_number(name + "/nz", entries);  // not negative: triplets
  file.add_entries(name + "/p", std::span(part.column));
  file.add_entries(name + "/i", std::span(part.row));
  file.add_entries(name + "/x", std::span(part.value));
}

/// Collective.
void write(const parallel::Comm& comm, SharedHdf5& file, const std::string& title, const GlobalProblem& part) {
  file.add_group("/fclib_global");
  file.add_number("/fclib_global/spacedim", 3);
  const std::int64_t rows = body_rows * part.bodies;
  add_matrix(comm, file, "/fclib_global/M", rows, rows, part.M);
  add_matrix(comm, file, "/fclib_global/H", rows, contact_columns * part.contacts, part.H);
  file.add_group("/fclib_global/vectors");
  file.add_entries("/fclib_global/vectors/f", std::span(part.f));
  file.add_entries("/fclib_global/vectors/w", std::span(part.w));
  file.add_entries("/fclib_global/vectors/mu", std::span(part.mu));
  file.add_group("/fclib_global/info");
  file.add_text("/fclib_global/info/title", title);
}

/// A contact has up to 36 entries in H, each a row, a column and a value; a body up to 12 in M.
std::int64_t bytes_at_most(const dynamics::StepProblem& problem) {
  constexpr std::int64_t entry = 2 * sizeof(std::int32_t) + sizeof(double);
  return problem.contacts.size() * (36 * entry + 4 * std::int64_t{sizeof(double)}) +
         problem.bodies.owned() * (12 * entry + 6 * std::int64_t{sizeof(double)});
}

}  // namespace

void write_global_problem(const parallel::Comm& comm, const std::filesystem::path& path,
                          const dynamics::StepProblem& problem) {
  const problem::ConstraintSet& K = problem.problem.K;
  if (K.all_laws().contains(problem::Law::bilateral) || comm.any(!problem.rigid || !K.joints.empty()))
    throw InputError(path.string() +
                     ": FCLIB's global problems know neither joints, bilateral contacts nor compliance: dump a "
                     "problem of rigid contacts with friction or without only");
  write_shared_hdf5(comm, path, comm.sum(bytes_at_most(problem)),
                    [&](SharedHdf5& file) { write(comm, file, path.stem().string(), assemble(comm, problem)); });
}

ProblemDump parse_problem_dump(const std::string& text, std::int64_t first, std::int64_t last) {
  const std::size_t colon = text.find(':');
  ProblemDump dump{};
  const char* const end = text.data() + std::min(colon, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, dump.step);
  if (colon == std::string::npos || colon + 1 == text.size() || error != std::errc{} || stop != end) {
    throw InputError(fmt::format("--dump-problem {}: must be STEP:FILE", text));
  }
  if (dump.step < first || dump.step > last) {
    throw InputError(fmt::format("--dump-problem {}: the run makes {} steps from step {} on, step {} is not among them",
                                 text, last - first + 1, first, dump.step));
  }
  dump.file = text.substr(colon + 1);
  return dump;
}

}  // namespace scree::io
