#include "nsmb/complementarity/nnls.hpp"

#include <limits>
#include <vector>

#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/dense_qr.hpp"

namespace nsmb {
namespace {

using namespace tolerances;

Vector fit_columns(const ConstMatrixRef& C, const ConstVectorRef& d,
                   const std::vector<Index>& columns) {
  return least_squares(C(Eigen::all, columns), d);
}

}  // namespace

NnlsResult solve_nnls(const ConstMatrixRef& C, const ConstVectorRef& d) {
  const Index n = C.cols();
  NnlsResult result;
  result.z = Vector::Zero(n);
  Vector& z = result.z;
  std::vector<Index> passive;  // columns free to be positive, kept independent
  std::vector<char> is_blocked(static_cast<std::size_t>(n), 0);

  for (Index iteration = 0; iteration < 10 * (n + 1); ++iteration) {
    const Vector gradient = C.transpose() * (d - C * z);
    Index enter = -1;
    for (Index j = 0; j < n; ++j) {
      if (is_blocked[j] || z[j] > 0.0 || gradient[j] <= infeasibility::kDescent) continue;
      if (enter < 0 || gradient[j] > gradient[enter]) enter = j;
    }
    if (enter < 0 || static_cast<Index>(passive.size()) == C.rows()) {
      result.converged = true;
      break;
    }
    passive.push_back(enter);
    Vector s = fit_columns(C, d, passive);
    if (!(s[s.size() - 1] > 0.0)) {  // a column that entered only because of rounding
      passive.pop_back();
      is_blocked[enter] = 1;
      continue;
    }
    // Move towards the unconstrained minimizer; drop columns that become negative.
    while (!passive.empty() && s.minCoeff() <= 0.0) {
      double step = std::numeric_limits<double>::infinity();
      std::size_t first = 0;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double value = z[passive[k]];
        const double target = s[static_cast<Index>(k)];
        if (target > 0.0 || value / (value - target) >= step) continue;
        step = value / (value - target);
        first = k;
      }
      for (std::size_t k = 0; k < passive.size(); ++k) {
        z[passive[k]] += step * (s[static_cast<Index>(k)] - z[passive[k]]);
      }
      z[passive[first]] = 0.0;
      passive.erase(passive.begin() + static_cast<std::ptrdiff_t>(first));
      if (!passive.empty()) s = fit_columns(C, d, passive);
    }
    for (std::size_t k = 0; k < passive.size(); ++k) z[passive[k]] = s[static_cast<Index>(k)];
    is_blocked.assign(is_blocked.size(), 0);
  }
  result.residual = (C * z - d).norm();
  return result;
}

}  // namespace nsmb
