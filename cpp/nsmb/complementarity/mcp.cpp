#include "nsmb/complementarity/mcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {

double mcp_residual(const ConstVectorRef& F, const ConstVectorRef& b, const ConstVectorRef& lower,
                    const ConstVectorRef& upper, const ConstVectorRef& x) {
  double scale = 1.0;
  double worst = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    // Comparisons with NaN are false. Without this line a NaN would pass as a small residual.
    if (!std::isfinite(x[i]) || !std::isfinite(F[i]) || !std::isfinite(b[i])) {
      return std::numeric_limits<double>::infinity();
    }
    // x - mid(l, x - F, u) without the cancellation in x - F.
    const double miss = std::max(std::min(F[i], x[i] - lower[i]), x[i] - upper[i]);
    worst = std::max(worst, std::abs(miss));
    scale = std::max(scale, std::abs(b[i]));
  }
  return worst / scale;
}

void check_mcp_bounds(Index n, const ConstVectorRef& lower, const ConstVectorRef& upper) {
  check_size("lower", lower, n);
  check_size("upper", upper, n);
  for (Index i = 0; i < n; ++i) {
    const std::string place = " at [" + std::to_string(i) + "]";
    if (std::isnan(lower[i]) || lower[i] == kInfinity) {
      reject("lower", "finite numbers or -inf", to_text(lower[i]) + place);
    }
    if (std::isnan(upper[i]) || upper[i] == -kInfinity) {
      reject("upper", "finite numbers or inf", to_text(upper[i]) + place);
    }
    if (lower[i] > upper[i]) {
      reject("lower", "lower <= upper",
             "lower = " + to_text(lower[i]) + ", upper = " + to_text(upper[i]) + place);
    }
  }
}

void check_mcp_options(const McpOptions& options) {
  const auto check_count = [](std::string_view name, int value, int smallest) {
    if (value < smallest) {
      reject(name, "a number >= " + std::to_string(smallest), std::to_string(value));
    }
  };
  check_count("max_pivots", options.max_pivots, 0);
  check_count("max_crash_steps", options.max_crash_steps, 0);
  check_count("max_restarts", options.max_restarts, 0);
  check_count("max_proximal_steps", options.max_proximal_steps, 0);
  check_count("max_iterations", options.max_iterations, 1);
  check_positive("accept_residual", options.accept_residual);
}

}  // namespace nsmb
