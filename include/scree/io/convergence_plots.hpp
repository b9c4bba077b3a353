#pragma once

#include <filesystem>
#include <vector>

#include "scree/io/solve.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::io {

/// Collective: draws how solvers came down on one problem: the error by `measure` and the objective over products and
/// over seconds, `<problem>.png` and `<problem>.svg` in `directory`, with the histories and the script that they are
/// drawn from beside them. The reports are of one problem and have histories. False: all but the pictures are there,
/// for gnuplot is not.
[[nodiscard]] bool write_convergence_plots(const parallel::Comm& comm, const std::filesystem::path& directory,
                                           const std::vector<SolveReport>& reports, problem::Measure measure);

}  // namespace scree::io
