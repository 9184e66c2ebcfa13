#include "nsmb/complementarity/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/lemke.hpp"
#include "nsmb/complementarity/tolerances.hpp"
#include "nsmb/core/dense_cholesky.hpp"

namespace nsmb {
namespace {

using namespace tolerances;

constexpr double kUnitRoundoff = 0.5 * std::numeric_limits<double>::epsilon();

struct Sum {
  double value;
  double error;  // bound
  double terms;  // sum of their absolute values
};

/// Compute aᵀz in twice the working precision: each product and each sum with its exact rounding
/// error (Ogita, Rump, Oishi: Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26 (2005)).
template <class Column>
Sum dot(const Column& a, const ConstVectorRef& z) {
  double sum = 0.0, low = 0.0, terms = 0.0;
  for (Index i = 0; i < z.size(); ++i) {
    if (z[i] == 0.0) continue;
    const double product = a[i] * z[i];
    const double product_error = std::fma(a[i], z[i], -product);
    const double next = sum + product;
    const double shift = next - sum;
    const double sum_error = (sum - (next - shift)) + (product - shift);
    low += product_error + sum_error;
    sum = next;
    terms += std::abs(product);
  }
  const double value = sum + low;
  const double n_rounding = 2.0 * static_cast<double>(z.size() + 1) * kUnitRoundoff;
  return {value, kUnitRoundoff * std::abs(value) + n_rounding * n_rounding * terms, terms};
}

/// Return a lower bound of the sum over x_i weight_i of any x >= 0 with A x + b >= 0.
double excluded(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& z,
                const Vector* column_scale) {
  if (!z.allFinite() || !(z.array() >= 0.0).all()) return 0.0;
  const Sum b_sum = dot(b, z);
  const double deficit = -(b_sum.value + b_sum.error);
  if (!(deficit > infeasibility::kNarrowDeficit * b_sum.terms)) return 0.0;
  double slope = 0.0;
  for (Index j = 0; j < z.size(); ++j) {
    const Sum sum = dot(A.col(j), z);
    const double weight = column_scale == nullptr ? 1.0 : (*column_scale)[j];
    const double upper = (sum.value + sum.error) * weight;
    if (!std::isfinite(upper)) return 0.0;
    slope = std::max(slope, upper);
  }
  return slope > 0.0 ? deficit / slope : std::numeric_limits<double>::infinity();
}

}  // namespace

double excluded_size(const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& z) {
  return excluded(A, b, z, nullptr);
}

bool is_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b,
                                  const Vector& column_scale, double b_scale,
                                  const ConstVectorRef& z) {
  return excluded(A, b, z, &column_scale) * b_scale >= infeasibility::kExcluded;
}

bool find_infeasibility_certificate(const ConstMatrixRef& A, const ConstVectorRef& b, Vector& z) {
  const Index n = b.size();
  Vector row(n), column(n);
  equilibrate(A, row, column);
  Vector b_scaled = row.cwiseProduct(b);
  const double b_scale = n == 0 ? 1.0 : reciprocal_power_of_two(b_scaled.lpNorm<Eigen::Infinity>());
  b_scaled *= b_scale;

  // Unknowns (v, x, t): A x + b + d t >= 0 ⟂ v, -Aᵀv >= 0 ⟂ x, 1 - dᵀv >= 0 ⟂ t.
  Matrix skew = Matrix::Zero(2 * n + 1, 2 * n + 1);
  skew.topRows(n).middleCols(n, n) = row.asDiagonal() * A * column.asDiagonal();
  Vector right = Vector::Zero(2 * n + 1);
  right.head(n) = b_scaled;
  right[2 * n] = 1.0;
  LemkeOptions options;
  options.max_covering_vectors = 3;
  options.prove_infeasibility = false;
  LemkeWorkspace workspace;
  LcpResult program;
  double smallest = 1.0;
  for (const double value : b_scaled) {
    if (value != 0.0) smallest = std::min(smallest, std::abs(value));
  }
  // In the second pass the slack of each row is of the size of its b: rows in small units may be
  // the ones that contradict each other.
  for (const bool uniform : {true, false}) {
    for (Index i = 0; i < n; ++i) {
      skew(i, 2 * n) = uniform ? 1.0 : std::max(smallest, std::abs(b_scaled[i]));
    }
    skew.bottomLeftCorner(n + 1, n) = -skew.topRightCorner(n, n + 1).transpose();
    solve_lemke(skew, right, options, workspace, program);
    if (program.status != LcpStatus::Solved) continue;
    z = row.cwiseProduct(program.x.head(n));
    if (is_infeasibility_certificate(A, b, column, b_scale, z)) return true;
  }
  return false;
}

bool is_positive_semidefinite(const ConstMatrixRef& A) {
  const Index n = A.rows();
  const Vector diagonal = A.diagonal();
  if (n == 0) return true;
  if (!A.allFinite() || diagonal.minCoeff() < 0.0) return false;
  Matrix symmetric = 0.5 * (A + A.transpose());
  // Scaled to unit diagonal, so that mixed units do not hide a negative direction.
  Vector scale = Vector::Ones(n);
  for (Index i = 0; i < n; ++i) {
    if (diagonal[i] > 0.0) {
      scale[i] = 1.0 / std::sqrt(diagonal[i]);
    } else if (symmetric.col(i).any()) {
      return false;
    }
  }
  symmetric = scale.asDiagonal() * symmetric * scale.asDiagonal();
  symmetric.diagonal().array() += infeasibility::kSemidefinite * static_cast<double>(n);
  return cholesky_in_place(symmetric);
}

}  // namespace nsmb
