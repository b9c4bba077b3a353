#include "scree/model/contact_law.hpp"

#include <algorithm>

namespace scree::model {

const std::vector<LawInfo>& laws() {
  static const std::vector<LawInfo> all = {
      {Law::frictionless, "frictionless", "normal impulses only"},
      {Law::box, "box", "tangential impulses in a square whose size is fixed during a solve"},
      {Law::pyramid, "pyramid", "square friction cone, convex: a sliding contact lifts"},
      {Law::prism, "prism", "tangential impulses in a polygon whose size is fixed during a solve"},
      {Law::polyhedral, "polyhedral", "polygonal friction cone, convex: a sliding contact lifts"},
      {Law::cylinder, "cylinder", "tangential impulses in a disc whose size is fixed during a solve (Tresca)"},
      {Law::cone, "cone", "circular friction cone, convex: a sliding contact lifts"},
      {Law::coulomb, "coulomb", "circular friction cone with Coulomb's law: a sliding contact stays"},
      {Law::bilateral, "bilateral", "any impulse: the contact neither opens nor slides"},
  };
  return all;
}

std::string_view name_of(Law law) { return std::ranges::find(laws(), law, &LawInfo::law)->name; }

std::vector<Law> LawSet::listed() const {
  std::vector<Law> list;
  for (const LawInfo& info : laws())
    if (contains(info.law)) list.push_back(info.law);
  return list;
}

}  // namespace scree::model
