#include "nsmb/stepping/implicit_stages.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/no_value.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Newton steps for the stages; of more than the second number, J is renewed in the next step.
constexpr int kStageSteps = 20, kManySteps = 6;

}  // namespace

StageFactors::StageFactors(const RungeKuttaTableau& tableau) {
  const Eigen::EigenSolver<Matrix> solver(tableau.A.inverse());
  eigenvalues_ = solver.eigenvalues();
  T_ = solver.eigenvectors();
  T_inverse_ = T_.inverse();
  std::size_t reals = 0, pairs = 0;
  for (Index k = 0; k < eigenvalues_.size(); ++k) {
    if (eigenvalues_(k).imag() == 0.0) {
      place_.push_back(reals++);
    } else {
      place_.push_back(eigenvalues_(k).imag() > 0.0 ? pairs : pairs++);
    }
  }
  real_.resize(reals);
  complex_.resize(pairs);
}

void StageFactors::factorise(const Matrix& J, double h) {
  for (Index k = 0; k < eigenvalues_.size(); ++k) {
    const std::complex<double> value = eigenvalues_(k);
    if (value.imag() == 0.0) {
      Matrix E = -h * J;
      E.diagonal().array() += value.real();
      real_[place_[at(k)]].compute(E);
    } else if (value.imag() > 0.0) {
      ComplexMatrix E = (-h * J).cast<std::complex<double>>();
      E.diagonal().array() += value;
      complex_[place_[at(k)]].compute(E);
    }
  }
}

void StageFactors::solve(MatrixRef R) {
  V_.noalias() = R.cast<std::complex<double>>().lazyProduct(T_inverse_.transpose());
  W_.resize(V_.rows(), V_.cols());
  for (Index k = 0; k < eigenvalues_.size(); ++k) {
    const std::complex<double> value = eigenvalues_(k);
    if (value.imag() == 0.0) {
      right_ = value.real() * V_.col(k).real();
      W_.col(k) = real_[place_[at(k)]].solve(right_).cast<std::complex<double>>();
    } else if (value.imag() > 0.0) {
      W_.col(k) = complex_[place_[at(k)]].solve(value * V_.col(k));
      W_.col(k + 1) = W_.col(k).conjugate();
    }
  }
  R = W_.lazyProduct(T_.transpose()).real();
}

ImplicitStages::ImplicitStages(const RungeKuttaTableau& tableau, StageEquations& equations)
    : tableau_(tableau), equations_(equations), jacobian_(equations), factors_(tableau) {}

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
    // From the start, with the derivatives there.
    Z_.setZero(y_0.size(), s);
    if (!fresh) find_factors(t, h, y_0);
    if (fresh || !iterate(t, h, y_0, stages)) {
      h_ = 0.0;
      if (!no_value_.empty()) throw NoValue(no_value_);
      throw std::domain_error(
          "the stages of an implicit step are not found: a smaller step, or "
          "main_integrator=\"rk4\"");
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

// Z = h K Aᵀ.
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
    // Rounding keeps it there.
    if (now > 0.5 * before && now <= stages::kStands / stages::kFound) return true;
    if (step > 2 && now > 0.9 * before) return false;
    before = now;
  }
  return false;
} catch (const NoValue& error) {
  no_value_ = error.what();
  return false;
}

// What the last step changes, over what may be left: of displacements, and of states.
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

// δZ - h J δZ Aᵀ = h D Aᵀ, column by column of forces.
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
