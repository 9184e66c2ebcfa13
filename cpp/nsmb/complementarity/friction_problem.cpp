#include "nsmb/complementarity/friction_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"

namespace nsmb {
namespace {

/// Mark a row. `name()` returns its argument and is called only for a message.
template <class Name>
void use_row(const Name& name, Index row, std::vector<char>& row_is_used) {
  const auto n = static_cast<Index>(row_is_used.size());
  if (row < 0 || row >= n) {
    reject(name(), "a row in [0, " + std::to_string(n) + ")", std::to_string(row));
  }
  char& used = row_is_used[static_cast<std::size_t>(row)];
  if (used) {
    reject(name(), "rows that belong to one part only", "row " + std::to_string(row) + " twice");
  }
  used = 1;
}

void check_disc(const FrictionRows& rows, std::size_t k, std::vector<char>& row_is_used) {
  const FrictionDisc& disc = rows.discs[k];
  const auto name = [k](const char* field) {
    return "discs[" + std::to_string(k) + "]." + std::string(field);
  };
  if (disc.dim != 1 && disc.dim != 2) reject(name("dim"), "1 or 2", std::to_string(disc.dim));
  for (Index i = 0; i < disc.dim; ++i) {
    use_row([&] { return name("first"); }, disc.first + i, row_is_used);
  }
  const auto known = std::find(rows.normals.begin(), rows.normals.end(), disc.normal);
  if (disc.normal != -1 && known == rows.normals.end()) {
    reject(name("normal"), "-1 or a row of normals", std::to_string(disc.normal));
  }
  constexpr double kLargest = std::numeric_limits<double>::max();
  const auto check_number = [&](const char* field, double value, bool ok, const char* expected) {
    if (!ok || !(value <= kLargest)) reject(name(field), expected, to_text(value));
  };
  check_number("mu", disc.mu, disc.mu >= 0.0, "a finite number >= 0");
  check_number("bound", disc.bound, disc.bound >= 0.0, "a finite number >= 0");
  check_number("aspect", disc.aspect, disc.aspect > 0.0, "a finite number > 0");
}

double positive_or(double value, double fallback) { return value > 0.0 ? value : fallback; }

}  // namespace

void check_friction_problem(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows) {
  std::vector<char> row_is_used;
  check_friction_problem(A, b, rows, row_is_used);
}

void check_friction_problem(const ConstMatrixRef& A, const ConstVectorRef& b,
                            const FrictionRows& rows, std::vector<char>& row_is_used) {
  check_lcp(A, b);
  row_is_used.assign(static_cast<std::size_t>(b.size()), 0);
  for (std::size_t k = 0; k < rows.normals.size(); ++k) {
    const auto name = [k] { return "normals[" + std::to_string(k) + "]"; };
    use_row(name, rows.normals[k], row_is_used);
  }
  for (std::size_t k = 0; k < rows.discs.size(); ++k) check_disc(rows, k, row_is_used);
}

void project_disc(const FrictionDisc& disc, double radius, double* x) {
  if (disc.dim == 1) {
    x[0] = std::clamp(x[0], -radius, radius);
    return;
  }
  const double norm = std::hypot(x[0], x[1] / disc.aspect);
  if (norm <= radius) return;
  x[0] *= radius / norm;
  x[1] *= radius / norm;
}

double friction_residual(const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
                         const ConstVectorRef& x, double scale) {
  const Index n = b.size();
  std::vector<char> row_is_used;
  check_friction_problem(A, b, rows, row_is_used);
  check_size("x", x, n);
  Vector y(n);
  evaluate_lcp(A, b, x, y);
  return internal::friction_residual_at(A, b, rows, x, y, row_is_used, scale);
}

double internal::friction_residual_at(const ConstMatrixRef& A, const ConstVectorRef& b,
                                      const FrictionRows& rows, const ConstVectorRef& x,
                                      const ConstVectorRef& y, const std::vector<char>& row_is_used,
                                      double scale) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const Index n = b.size();
  if (n == 0) return 0.0;
  const double largest = positive_or(A.cwiseAbs().maxCoeff(), 1.0);
  const auto effect = [&](Index j) { return A.col(j).lpNorm<Eigen::Infinity>(); };
  double worst = 0.0;
  // Comparisons with NaN are false: a value that is not smaller is kept.
  const auto keep = [&](double miss) { worst = miss <= worst ? worst : miss; };
  for (const Index i : rows.normals) {
    const double s = positive_or(effect(i), largest);
    if (!std::isfinite(x[i] + y[i])) return kInf;
    keep(std::abs(std::min(s * x[i], y[i])));
  }
  for (const FrictionDisc& disc : rows.discs) {
    const Index i = disc.first;
    const bool flat = disc.dim == 1;
    const double a = flat ? 1.0 : disc.aspect;
    const double both = flat ? effect(i) : std::max(effect(i), a * effect(i + 1));
    const double s = positive_or(both, largest);
    const double x_N = disc.normal < 0 ? 0.0 : std::max(x[disc.normal], 0.0);
    const double x_T[2] = {s * x[i], flat ? 0.0 : s * x[i + 1] / a};
    double tau[2] = {x_T[0] - y[i], flat ? 0.0 : x_T[1] - a * y[i + 1]};
    if (!std::isfinite(tau[0] + tau[1])) return kInf;
    project_disc({.first = 0, .dim = disc.dim}, s * (disc.mu * x_N + disc.bound), tau);
    keep(std::hypot(x_T[0] - tau[0], x_T[1] - tau[1]));
  }
  for (Index i = 0; i < n; ++i) {
    if (!row_is_used[static_cast<std::size_t>(i)]) keep(std::abs(y[i]));
    if (!std::isfinite(x[i])) return kInf;
  }
  if (!std::isfinite(worst)) return kInf;
  return worst / positive_or(std::max(scale, b.lpNorm<Eigen::Infinity>()), 1.0);
}

}  // namespace nsmb
