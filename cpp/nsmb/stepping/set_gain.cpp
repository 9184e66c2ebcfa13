#include "nsmb/stepping/set_gain.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

double gain_of_impulses(const SetProblem& problem, const ContactSet& set,
                        const SparseFrictionResult& result, double tol) {
  if (result.x.size() == 0) return 0.0;
  const double fastest = (problem.start() + problem.free_change()).cwiseAbs().maxCoeff();
  double work = 0.0, turned_over = 0.5 * result.v.dot(problem.problem().M * result.v);
  for (Index row = 0; row < set.rows(); ++row) {
    const double Lambda = result.x(row);
    const double free = problem.start()(row) + problem.free_change()(row);
    work += 0.5 * Lambda * (free + result.y(row) - problem.given()(row));
    turned_over += 0.5 * std::abs(Lambda) * fastest;
  }
  const double least = std::max(stepping::kGain, stepping::kGainOfTolerance * tol);
  return work > least * turned_over ? work : 0.0;
}

}  // namespace nsmb
