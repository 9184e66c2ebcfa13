#include "nsmb/complementarity/definite_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

/// One problem of n unknowns; arrays are stored column by column.
template <int n>
class Definite {
 public:
  Definite(const ConstMatrixRef& A, const ConstVectorRef& b) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) A_[j * n + i] = A.data()[j * A.outerStride() + i];
    }
    for (int i = 0; i < n; ++i) b_[i] = b[i];
  }

  bool is_definite() const;
  bool pivot();
  void refine();
  double residual() const;
  void store(LcpResult& result, double residual) const;

 private:
  int worst_pair() const;
  void exchange(int k);
  void evaluate();

  double A_[n * n], b_[n];
  double T_[n * n], q_[n];  // w = q + T (complements of w); w_i is x_i where it is basic, else y_i
  double x_[n], y_[n];
  bool x_is_basic_[n] = {};
  int pivots_ = 0;
};

/// Check the symmetric part by LDLᵀ. Values that are not finite give a pivot that is not finite, or
/// negative.
template <int n>
bool Definite<n>::is_definite() const {
  double S[n * n];
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) S[j * n + i] = 0.5 * (A_[j * n + i] + A_[i * n + j]);
  }
  for (int k = 0; k < n; ++k) {
    const double d = S[k * n + k];
    if (!(d > definite::kDefinitePivot * A_[k * n + k]) || !(A_[k * n + k] > 0.0)) return false;
    const double reciprocal = 1.0 / d;
    for (int j = k + 1; j < n; ++j) {
      const double factor = S[k * n + j] * reciprocal;
      for (int i = j; i < n; ++i) S[j * n + i] -= factor * S[k * n + i];
    }
  }
  return true;
}

/// Return false after too many pivots, which exact arithmetic does not need.
template <int n>
bool Definite<n>::pivot() {
  std::copy(A_, A_ + n * n, T_);
  std::copy(b_, b_ + n, q_);
  for (;;) {
    const int k = worst_pair();
    if (k < 0) return true;
    if (pivots_ == 8 * n || !(T_[k * n + k] > 0.0)) return false;
    exchange(k);
    ++pivots_;
  }
}

/// Return -1 if no pair is negative.
template <int n>
int Definite<n>::worst_pair() const {
  const bool first = pivots_ >= 2 * n;
  int worst = -1;
  double lowest = 0.0;
  for (int i = 0; i < n; ++i) {
    if (!(q_[i] < lowest)) continue;
    worst = i;
    if (first) break;
    lowest = q_[i];
  }
  return worst;
}

template <int n>
void Definite<n>::exchange(int k) {
  const double reciprocal = 1.0 / T_[k * n + k];
  double column[n];
  for (int i = 0; i < n; ++i) column[i] = T_[k * n + i];
  column[k] = 0.0;
  for (int j = 0; j < n; ++j) {
    const double factor = -reciprocal * T_[j * n + k];
    for (int i = 0; i < n; ++i) T_[j * n + i] += factor * column[i];
    T_[j * n + k] = factor;
  }
  const double step = -reciprocal * q_[k];
  for (int i = 0; i < n; ++i) q_[i] += step * column[i];
  q_[k] = step;
  for (int i = 0; i < n; ++i) T_[k * n + i] = reciprocal * column[i];
  T_[k * n + k] = reciprocal;
  x_is_basic_[k] = !x_is_basic_[k];
}

/// Correct x until the y of its positive parts vanish, from the original data.
template <int n>
void Definite<n>::refine() {
  double size = 0.0;
  for (int i = 0; i < n; ++i) {
    x_[i] = x_is_basic_[i] ? q_[i] : 0.0;
    size = std::max(size, std::abs(b_[i]));
  }
  evaluate();
  for (int correction = 0; correction < 3; ++correction) {
    double correct[n] = {};
    double defect = 0.0;
    for (int j = 0; j < n; ++j) {
      if (!x_is_basic_[j]) continue;
      defect = std::max(defect, std::abs(y_[j]));
      for (int i = 0; i < n; ++i) correct[i] += T_[j * n + i] * y_[j];
    }
    if (correction > 0 && defect <= basic_points::kExactPoint * size) break;
    for (int i = 0; i < n; ++i) x_[i] -= x_is_basic_[i] ? correct[i] : 0.0;
    evaluate();
  }
  bool negative = false;
  for (int i = 0; i < n; ++i) {
    negative = negative || x_[i] < 0.0;
    x_[i] = std::max(x_[i], 0.0);
  }
  if (negative) evaluate();
}

/// Sum in the order of evaluate_lcp.
template <int n>
void Definite<n>::evaluate() {
  for (int i = 0; i < n; ++i) y_[i] = b_[i];
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) y_[i] += x_[j] * A_[j * n + i];
  }
}

/// Compute natural_residual_of; values that are not finite compare as not small.
template <int n>
double Definite<n>::residual() const {
  double scale = 1.0, worst = 0.0, not_finite = 0.0;
  for (int i = 0; i < n; ++i) {
    worst = std::max(worst, std::abs(std::min(x_[i], y_[i])));
    scale = std::max(scale, std::abs(b_[i]));
    not_finite += 0.0 * x_[i] + 0.0 * y_[i];
  }
  return worst / scale + not_finite;
}

template <int n>
void Definite<n>::store(LcpResult& result, double residual) const {
  result.status = LcpStatus::Solved;
  result.x.resize(n);
  result.y.resize(n);
  std::copy(x_, x_ + n, result.x.data());
  std::copy(y_, y_ + n, result.y.data());
  result.residual = residual;
  result.pivots = pivots_;
  result.covering_vectors = 0;
  result.certificate.resize(0);
}

template <int n>
bool solve_sized(const ConstMatrixRef& A, const ConstVectorRef& b, double accept,
                 LcpResult& result) {
  Definite<n> problem(A, b);
  if (!problem.is_definite() || !problem.pivot()) return false;
  problem.refine();
  const double residual = problem.residual();
  if (!(residual <= accept)) return false;
  problem.store(result, residual);
  return true;
}

using SizedSolve = bool (*)(const ConstMatrixRef&, const ConstVectorRef&, double, LcpResult&);

template <int... k>
constexpr SizedSolve solver_of(Index n, std::integer_sequence<int, k...>) {
  constexpr SizedSolve solvers[] = {solve_sized<k + 1>...};
  return solvers[n - 1];
}

}  // namespace

bool solve_definite_lcp(const ConstMatrixRef& A, const ConstVectorRef& b, double accept_residual,
                        LcpResult& result) {
  const SizedSolve solver =
      solver_of(b.size(), std::make_integer_sequence<int, kLargestDefinite>());
  return solver(A, b, accept_residual, result);
}

}  // namespace nsmb::internal
