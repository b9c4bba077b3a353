#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scree/model/contact_law.hpp"

namespace scree::model {

struct Material {
  std::string name;
  double density = 1000.0;                       ///< kg/m^3
  double friction = 0.0;                         ///< Coulomb coefficient mu
  double restitution = 0.0;                      ///< Newton's coefficient, 0 (no rebound) to 1
  double compliance = 0.0;                       ///< this partner's part in that of a contact (m/N)
  std::optional<double> damping = std::nullopt;  ///< tau of contacts (s), if not that of all constraints
};

/// What a pair of touching materials has in common.
struct Surface {
  double friction;
  double restitution;
  double compliance;                      ///< m/N
  std::optional<double> damping;          ///< s
  std::optional<Law> law = std::nullopt;  ///< if not that of the run
};

/// The weaker partner decides: the smaller coefficient of friction and of restitution. Compliances add up, as those of
/// springs in a row do; of two times of damping the longer counts.
[[nodiscard]] Surface surface_between(const Material& a, const Material& b);

/// Two materials that behave together in a way that does not follow from each of them.
struct MaterialPair {
  int a;
  int b;
  Surface surface;
};

/// The surfaces of all pairs of materials.
class SurfaceTable {
 public:
  SurfaceTable(const std::vector<Material>& materials, const std::vector<MaterialPair>& exceptions);

  [[nodiscard]] const Surface& between(int a, int b) const { return surfaces_[index_of(a, b)]; }
  /// No pair of materials has compliance.
  [[nodiscard]] bool is_rigid() const;
  /// The laws that pairs have of their own.
  [[nodiscard]] LawSet own_laws() const;

 private:
  [[nodiscard]] std::size_t index_of(int a, int b) const {
    return static_cast<std::size_t>(a) * count_ + static_cast<std::size_t>(b);
  }

  std::size_t count_;
  std::vector<Surface> surfaces_;
};

}  // namespace scree::model
