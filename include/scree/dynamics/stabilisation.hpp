#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace scree::dynamics {

/// How the position error g of a constraint, a gap or what parts a joint, enters the problem of velocities.
enum class StabilisationKind {
  gap,        ///< g / h: undone within the step
  baumgarte,  ///< K g / h: a share K of it is undone in each step (seed 004, eq. 1)
  spook,      ///< a damped spring, discretised as in seed 002, eq. 17-18 and 21
};
struct StabilisationInfo {
  StabilisationKind kind;
  std::string_view name;
};
[[nodiscard]] const std::vector<StabilisationInfo>& stabilisations();

struct Stabilisation {
  StabilisationKind kind = StabilisationKind::gap;
  double gain = 0.2;                             ///< K, baumgarte only
  double compliance = 0.0;                       ///< epsilon of contacts (m/N)
  std::optional<double> damping = std::nullopt;  ///< tau (s); not given: 4 h for spook, as seed 002 recommends, else 0
  double recovery_speed = 1.0;  ///< largest speed at which rigid contacts and limits undo an overlap (m/s)
};

/// What is known of a row before the step.
struct RowState {
  double error;                                  ///< g (m)
  double speed;                                  ///< its rate G v before forces act (m/s)
  double curvature = 0.0;                        ///< what g gains beyond G v* in the step, by its length (m/s)
  double compliance = 0.0;                       ///< epsilon (m/N)
  std::optional<double> damping = std::nullopt;  ///< tau (s), if not that of all constraints
};

/// What a row gets: w = (N + C) x + G v* + s.
struct RowCorrection {
  double offset;      ///< s (m/s)
  double compliance;  ///< C (1/kg)
};

/// A row that is to keep its error at 0.
///
/// gap and baumgarte: the force -(g + tau dg/dt) / epsilon at the end of the step gives, with K' = K / (1 + tau / h),
///   C = K' epsilon / h^2,   s = K' g / h + curvature,   K = 1 for gap.
/// spook: with gamma = 1 / (1 + 4 tau / h), eq. 21 of seed 002 with d read as h (eq. 17 and 18 are misprinted),
///   C = 4 gamma epsilon / h^2,   s = 4 gamma g / h - gamma G v.
[[nodiscard]] RowCorrection hold(const Stabilisation& how, double step, const RowState& row);

/// An overlap of a row whose error must not become negative: as above, but undone at no more than the recovery speed if
/// the row is rigid.
[[nodiscard]] RowCorrection undo_overlap(const Stabilisation& how, double step, const RowState& row);

/// A row whose error must not become negative: an open gap may close, but not further.
[[nodiscard]] inline RowCorrection keep_apart(const Stabilisation& how, double step, const RowState& row) {
  if (row.error < 0.0) return undo_overlap(how, step, row);
  return {row.error / step, row.compliance / (step * step)};
}

}  // namespace scree::dynamics
