#include "scree/dynamics/stabilisation.hpp"

#include <algorithm>

namespace scree::dynamics {

const std::vector<StabilisationInfo>& stabilisations() {
  static const std::vector<StabilisationInfo> all = {{StabilisationKind::gap, "gap"},
                                                     {StabilisationKind::baumgarte, "baumgarte"},
                                                     {StabilisationKind::spook, "spook"}};
  return all;
}

RowCorrection hold(const Stabilisation& how, double step, const RowState& row) {
  constexpr double usual_damping = 4.0;  // steps
  if (how.kind == StabilisationKind::spook) {
    const double tau = row.damping.value_or(how.damping.value_or(usual_damping * step));
    const double gamma = 1.0 / (1.0 + 4.0 * tau / step);
    return {4.0 * gamma * row.error / step - gamma * row.speed, 4.0 * gamma * row.compliance / (step * step)};
  }
  const double tau = row.damping.value_or(how.damping.value_or(0.0));
  const double gain = (how.kind == StabilisationKind::gap ? 1.0 : how.gain) / (1.0 + tau / step);
  return {gain * row.error / step + row.curvature, gain * row.compliance / (step * step)};
}

RowCorrection undo_overlap(const Stabilisation& how, double step, const RowState& row) {
  RowCorrection correction = hold(how, step, row);
  if (row.compliance == 0.0) correction.offset = std::max(correction.offset, -how.recovery_speed);
  return correction;
}

}  // namespace scree::dynamics
