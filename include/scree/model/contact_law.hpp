#pragma once

#include <string_view>
#include <vector>

namespace scree::model {

/// The admissible set of a contact impulse x = (x_n, x_t, x_o) (seed 000, table 1), and the law between it and w. All
/// but `coulomb` are convex: w lies in the dual of the tangent cone at x.
enum class Law {
  frictionless,  ///< x_n >= 0, x_t = x_o = 0
  box,           ///< x_n >= 0, |x_t|, |x_o| <= bound: friction bounds are data
  pyramid,       ///< x_n >= 0, |x_t|, |x_o| <= mu x_n
  prism,         ///< x_n >= 0, (x_t, x_o) in the regular polygon inscribed in the disc of radius bound
  polyhedral,    ///< the same with radius mu x_n
  cylinder,      ///< x_n >= 0, |(x_t, x_o)| <= bound (Tresca)
  cone,          ///< |(x_t, x_o)| <= mu x_n, and w in the dual cone (convex; seed 000 eq. 12, seed 003 eq. 9)
  coulomb,       ///< the same set, and w + mu |w_T| n in the dual cone (De Saxce): a sliding contact stays
  bilateral,     ///< x is free, w = 0: the contact neither opens nor slides
};

struct LawInfo {
  Law law;
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<LawInfo>& laws();
[[nodiscard]] std::string_view name_of(Law law);

[[nodiscard]] constexpr bool has_fixed_bounds(Law law) {
  return law == Law::box || law == Law::prism || law == Law::cylinder;
}
[[nodiscard]] constexpr bool is_convex(Law law) { return law != Law::coulomb; }

/// The laws that occur in a problem.
class LawSet {
 public:
  constexpr LawSet() = default;
  constexpr LawSet(Law law) { insert(law); }  // NOLINT(google-explicit-constructor): one law is a set of laws

  constexpr void insert(Law law) { bits_ |= bit(law); }
  [[nodiscard]] constexpr bool contains(Law law) const { return (bits_ & bit(law)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr LawSet without(Law law) const {
    LawSet rest = *this;
    rest.bits_ &= ~bit(law);
    return rest;
  }
  [[nodiscard]] std::vector<Law> listed() const;

 private:
  [[nodiscard]] static constexpr unsigned bit(Law law) { return 1U << static_cast<unsigned>(law); }
  unsigned bits_ = 0;
};

[[nodiscard]] constexpr bool is_convex(LawSet set) { return !set.contains(Law::coulomb); }
[[nodiscard]] constexpr bool has_fixed_bounds(LawSet set) {
  return set.contains(Law::box) || set.contains(Law::prism) || set.contains(Law::cylinder);
}

}  // namespace scree::model
