#include "scree/solvers/cpg1.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gradient.hpp"

namespace scree::solvers {

using parallel::petsc;
using parallel::ReadArray;
using parallel::Vector;
using parallel::WriteArray;
double knob(const char* n, double v) { const char* s = getenv(n); return s ? atof(s) : v; }

void cpg1(const problem::ContactProblem& problem, Vec x, Monitor& monitor) {
  const double over = knob("OVER", 1.0), accept = knob("ACCEPT", 0.6), ema = knob("EMA", 1.0), flo = knob("FLO", 0.1);
  const Vector g = problem.make_vector();
  const Vector h = problem.make_vector();   // projected gradient
  const Vector d = problem.make_vector();
  const Vector s = problem.make_vector(), Ns = problem.make_vector();
  const Vector trial = problem.make_vector();
  problem.K.project(x);
  find_velocity(problem, x, g);
  double s_N_s = 0.0;
  double rayleigh = 0.0;
  while (monitor.wants_more(x, g)) {
    problem.K.project_gradient(x, g, h);
    problem.K.project_gradient(x, s, d);
    auto [hh, h_N_s, gh, gd] = dots({{h, h}, {h, Ns}, {g, h}, {g, d}});
    if (rayleigh == 0.0 && hh > 0.0) { problem.N->apply(h, Ns); rayleigh = dot(h, Ns) / hh; }
    const double beta = s_N_s > 0.0 ? -h_N_s / s_N_s : 0.0;
    const double loss = s_N_s > 0.0 ? h_N_s * h_N_s / s_N_s : 0.0;
    double curv = std::max(rayleigh * hh - loss, flo * rayleigh * hh);
    double slope0 = gh + beta * gd;
    petsc(VecAYPX(d, beta, h));
    if (slope0 <= 0.0) { petsc(VecCopy(h, d)); slope0 = gh; curv = rayleigh * hh; }
    if (curv <= 0.0) continue;
    double alpha = over * slope0 / curv;
    petsc(VecWAXPY(trial, -alpha, d, x));
    problem.K.project(trial);
    petsc(VecWAXPY(s, -1.0, trial, x));  // s = x - trial
    double slope1 = dot(g, s);
    if (slope1 <= 0.0) {
      petsc(VecWAXPY(trial, -1.0 / rayleigh, g, x));
      problem.K.project(trial);
      petsc(VecWAXPY(s, -1.0, trial, x));  // s = x - trial
    }
    problem.N->apply(s, Ns);
    double clamped = 0.0;
    {
      const ReadArray a(s), b(d);
      for (int k = 0; k < a.size(); ++k) clamped += std::abs(a[k] - alpha * b[k]) > 1e-12 * std::abs(a[k]);
    }
    clamped = problem.N->comm().sum(clamped);
    auto [slope, sNs] = dots({{g, s}, {s, Ns}});
    s_N_s = sNs;
    if (s_N_s <= 0.0) { continue; }
    const double best = slope / s_N_s;
    double lambda = std::min(1.0, best);
    if (clamped > 0.0 && best > accept) lambda = 1.0;
    if (getenv("VERB")) printf("%d best %g clamped %g lambda %g ray %g beta %g floor %d slope %g\n", monitor.iterations(), best, clamped, lambda, rayleigh, beta, curv == flo*rayleigh*hh, slope1);
    if (slope1 > 0.0) {
      const double now = (curv / (over * 1.0) * over / (best*over) * over + loss) / hh;
      rayleigh += ema * (std::clamp(now, 0.3 * rayleigh, 3.0 * rayleigh) - rayleigh);
    } else { dot(s, s) > 0.0 ? rayleigh = s_N_s / dot(s, s) : 0.0; }
    petsc(VecAXPY(g, -lambda, Ns));
    if (lambda == 1.0) petsc(VecCopy(trial, x));
    else { petsc(VecAXPY(x, -lambda, s)); problem.K.project(x); }
  }
  monitor.finish(x);
}

}  // namespace scree::solvers
