#pragma once

#include <vector>

#include "linear_system.hpp"
#include "scree/problem/contact_problem.hpp"
#include "scree/problem/law_map.hpp"
#include "scree/solvers/newton.hpp"

// Newton's method on the equation of the law: what newton and gs-newton share.

namespace scree::solvers {

/// An iterate z (x of min-max, y of the normal map) with what follows from it.
class NewtonSteps {
  using Vector = parallel::Vector;
  const problem::ContactProblem& problem_;  // first: the vectors are made from it
  const NewtonOptions& options_;

 public:
  Vector x{problem_.make_vector()};  ///< admissible: z or P(y)
  Vector w{problem_.make_vector()};  ///< N x + r

  /// Collective. Throws InputError if the subsystem's method cannot take the law or the size of the problem.
  NewtonSteps(const problem::ContactProblem& problem, const NewtonOptions& options);

  /// Collective.
  void start_from(Vec impulses);
  /// Collective: one step.
  void iterate();
  /// Steps in a row for which the line search found nothing better.
  [[nodiscard]] int fruitless() const { return fruitless_; }
  /// 1/2 |F|^2 (J).
  [[nodiscard]] double merit() const { return merit_; }

 private:
  /// P(z) or P(z - w/a), F and the merit of z.
  struct Evaluated {
    Vector point, F;  ///< point: where P is taken
    double merit;
  };
  [[nodiscard]] Evaluated evaluate(Vec z) const;
  void accept(Vec z, Evaluated&& evaluated);
  void map_law(Vec y, Vec value) const;
  void linearise();
  void find_direction();
  void apply_jacobian(Vec v, Vec Jv) const;
  void multiply_derivatives(Vec v) const;
  [[nodiscard]] parallel::Matrix subsystem() const;

  bool normal_map_, symmetric_;
  parallel::Matrix N_;
  Vector a_;  ///< the scale of F: diagonal of N, one for the three rows of a contact
  Vector z_{problem_.make_vector()}, d_{problem_.make_vector()};
  Evaluated at_;
  std::vector<model::Mat3> C_;  ///< derivatives of P
  std::vector<int> moving_;     ///< this rank's rows that C leaves free
  double merit_ = 0.0;
  double shift_ = 0.0;
  int fruitless_ = 0;
};

}  // namespace scree::solvers
