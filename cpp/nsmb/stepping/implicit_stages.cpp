#include "nsmb/stepping/implicit_stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/no_value.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Limit of Newton steps for the stages. After more than the second number J is renewed.
constexpr int kStageSteps = 20, kManySteps = 6;

/// Return v = (v_0, v_1, 1) with (z A - 1) v = 0.
template <typename Scalar>
std::array<Scalar, 3> null_vector(const Matrix& A, Scalar z) {
  const Scalar a = z * A(0, 0) - 1.0, b = z * A(0, 1), c = z * A(1, 0), d = z * A(1, 1) - 1.0;
  const Scalar e = -z * A(0, 2), f = -z * A(1, 2), det = a * d - b * c;
  return {(e * d - b * f) / det, (a * f - e * c) / det, 1.0};
}

template <typename Mode>
void find_vectors(const Matrix& A, Mode& mode) {
  mode.right = null_vector(A, mode.value);
  mode.left = null_vector(A.transpose(), mode.value);
  auto product = mode.value - mode.value;
  for (std::size_t k = 0; k < 3; ++k) product += mode.left[k] * mode.right[k];
  for (auto& entry : mode.left) entry /= product;
}

template <typename Scalar>
Scalar times(const double* r, const std::array<Scalar, 3>& v) {
  return r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
}

}  // namespace

// The eigenvalues of A⁻¹ are the zeros of z³ - 9 z² + 36 z - 60. Eigenvectors of A and of Aᵀ follow
// from two rows of (z A - 1) v = 0.
StageFactors::StageFactors() {
  const double c = std::cbrt(3.0);
  real_.value = 3.0 + c * c - c;
  complex_.value = {3.0 + 0.5 * (c - c * c),
                    0.5 * (std::pow(3.0, 5.0 / 6.0) + std::pow(3.0, 7.0 / 6.0))};
  const Matrix& A = tableau(RungeKuttaMethod::Radau).A;
  find_vectors(A, real_);
  find_vectors(A, complex_);
}

void StageFactors::factorise(const Matrix& J, double h) {
  E_ = -h * J;
  complex_E_ = E_.cast<std::complex<double>>();
  E_.diagonal().array() += real_.value;
  complex_E_.diagonal().array() += complex_.value;
  real_lu_.compute(E_);
  complex_lu_.compute(complex_E_);
}

void StageFactors::solve(MatrixRef R) {
  const Index n = R.rows();
  right_.resize(n);
  w_.resize(n);
  complex_right_.resize(n);
  complex_w_.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double r[] = {R(i, 0), R(i, 1), R(i, 2)};
    right_(i) = real_.value * times(r, real_.left);
    complex_right_(i) = complex_.value * times(r, complex_.left);
  }
  real_lu_.solve_to(right_, w_);
  complex_lu_.solve_to(complex_right_, complex_w_);
  // The imaginary parts of the conjugate pair cancel.
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 3; ++k) {
      R(i, k) = w_(i) * real_.right[at(k)] + 2.0 * (complex_w_(i) * complex_.right[at(k)]).real();
    }
  }
}

ImplicitStages::ImplicitStages(const RungeKuttaTableau& tableau, StageEquations& equations)
    : tableau_(tableau), equations_(equations), jacobian_(equations) {}

void ImplicitStages::solve(double t, double h, const Vector& y_0, bool again, Stages& stages,
                           StageSums& sums) {
  const Index s = tableau_.stages();
  const Index nq = equations_.mechanics().nq();
  const bool fresh = h_ == 0.0 || slow_;
  if (fresh) {
    find_factors(t, h, y_0);
  } else if (h != h_) {
    factors_.factorise(J_, h);
  }
  h_ = h;
  if (!again) {
    equations_.coordinate_rates(t, y_0, stages.K.col(0));
    Z_.setZero(y_0.size(), s);
    Z_.topRows(nq) = h * stages.K.col(0).head(nq) * tableau_.c.transpose();
  }
  no_value_.clear();
  if (!iterate(t, h, y_0, stages)) {
    // Retry from the start, with the derivatives there.
    Z_.setZero(y_0.size(), s);
    if (!fresh) {
      no_value_.clear();
      find_factors(t, h, y_0);
    }
    if (fresh || !iterate(t, h, y_0, stages)) {
      h_ = 0.0;
      if (!no_value_.empty()) throw NoValue(no_value_);
      throw std::domain_error(
          "the stages of an implicit step did not converge. Use a smaller step or "
          "main_integrator=\"rk4\".");
    }
  }
  for (Index i = 0; i < s; ++i) {
    stages.Y.col(i) = y_0 + Z_.col(i);
    equations_.rates(t + tableau_.c(i) * h, stages.Y.col(i), stages.K.col(i));
    sums.add(i, stages.K.col(i), equations_);
  }
}

void ImplicitStages::find_factors(double t, double h, const Vector& y_0) {
  J_ = jacobian_.find(t, h, y_0);
  factors_.factorise(J_, h);
  slow_ = false;
}

// Solve Z = h K Aᵀ.
bool ImplicitStages::iterate(double t, double h, const Vector& y_0, Stages& stages) try {
  double before = std::numeric_limits<double>::infinity();
  for (int step = 1; step <= kStageSteps; ++step) {
    for (Index i = 0; i < tableau_.stages(); ++i) {
      stages.Y.col(i) = y_0 + Z_.col(i);
      equations_.rates(t + tableau_.c(i) * h, stages.Y.col(i), stages.K.col(i));
    }
    R_.noalias() = h * stages.K.lazyProduct(tableau_.A.transpose());
    R_ -= Z_;
    factors_.solve(R_);
    Z_ += R_;
    const double now = change(h, y_0);
    if (!std::isfinite(now)) return false;
    slow_ = step > kManySteps;
    if (now <= 1.0) return true;
    // Rounding prevents further convergence.
    if (now > 0.5 * before && now <= stages::kStands / stages::kFound) return true;
    if (step > 2 && now > 0.9 * before) return false;
    before = now;
  }
  return false;
} catch (const NoValue& error) {
  no_value_ = error.what();
  return false;
}

// Return the change by the last Newton step, for displacements and states, over the allowed change.
double ImplicitStages::change(double h, const Vector& y_0) const {
  const Index nq = equations_.mechanics().nq(), nu = equations_.mechanics().nu();
  const Index nx = y_0.size() - nq - nu;
  const double epsilon = std::numeric_limits<double>::epsilon();
  const auto largest = [](const auto& M) { return M.size() > 0 ? M.cwiseAbs().maxCoeff() : 0.0; };
  const double way = std::max(largest(Z_.topRows(nq)),
                              h * (largest(y_0.segment(nq, nu)) + largest(Z_.middleRows(nq, nu))));
  const double moved = std::max(largest(R_.topRows(nq)), h * largest(R_.middleRows(nq, nu)));
  const double left = stages::kFound * way + 4.0 * epsilon * largest(y_0.head(nq));
  double worst = moved > 0.0 ? moved / left : 0.0;
  if (nx > 0) {
    const double state = largest(y_0.tail(nx)) + largest(Z_.bottomRows(nx));
    const double change = largest(R_.bottomRows(nx));
    if (change > 0.0) worst = std::max(worst, change / (stages::kFound * state));
  }
  return worst;
}

// Solve δZ - h J δZ Aᵀ = h D Aᵀ, one column of forces at a time.
bool ImplicitStages::move(double h, const std::vector<Matrix>& D, std::vector<Matrix>& moved) {
  const Index nq = equations_.mechanics().nq(), nu = equations_.mechanics().nu();
  const Index s = tableau_.stages(), n = D.front().cols();
  for (Matrix& M : moved) M.resize(nu, n);
  for (Index k = 0; k < n; ++k) {
    R_.setZero(Z_.rows(), s);
    for (Index p = 0; p < s; ++p) {
      for (Index j = 0; j < s; ++j) {
        R_.col(p).segment(nq, nu) += h * tableau_.A(p, j) * D[at(j)].col(k);
      }
    }
    factors_.solve(R_);
    for (Index p = 0; p < s; ++p) moved[at(p)].col(k) = R_.col(p).segment(nq, nu);
  }
  return true;
}

}  // namespace nsmb
