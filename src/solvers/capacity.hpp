#pragma once

#include <string>

#include "scree/problem/contact_operator.hpp"

// What methods that factorise need, so that they can refuse a problem before it exhausts the machine.

namespace scree::solvers {

/// Collective: entries of N on all ranks, about: each degree of freedom couples all rows that read it.
[[nodiscard]] double count_entries(const problem::ContactOperator& N);

/// Of N with so many entries, and of its triangular factors on so many rows, which fill about as those of a mesh in
/// three dimensions (bytes).
[[nodiscard]] double bytes_of_factors(double rows, double entries);

/// Collective: throws InputError if `bytes` are more than this share of what each rank has. `reason` says what needs
/// them, and `others` what to take instead.
void refuse_beyond(const parallel::Comm& comm, const std::string& solver, const std::string& reason, double bytes,
                   double share, const std::string& others);

}  // namespace scree::solvers
