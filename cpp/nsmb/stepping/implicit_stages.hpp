// Stages that depend on one another, solved by simplified Newton iterations. With A⁻¹ = T Λ T⁻¹
//
//   (1 - h J ⊗ A) ΔZ = R   becomes   (λ_k 1 - h J) w_k = λ_k (R T⁻ᵀ)_k,   ΔZ = W Tᵀ,
//
// that is, one real and one complex system of the size of y for Radau IIA with three stages. It is
// the only method here whose stages depend on one another.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "nsmb/core/dense_lu.hpp"
#include "nsmb/stepping/stage_jacobian.hpp"
#include "nsmb/stepping/stage_solver.hpp"

namespace nsmb {

/// Factors of these systems for one J and h.
class StageFactors {
 public:
  StageFactors();

  void factorise(const Matrix& J, double h);
  /// Replace the right-hand sides R (ny, s) by ΔZ.
  void solve(MatrixRef R);

 private:
  // An eigenvalue λ with its column of T and its row of T⁻¹.
  template <typename Scalar>
  struct Mode {
    Scalar value;
    std::array<Scalar, 3> right, left;
  };

  Mode<double> real_;
  Mode<std::complex<double>> complex_;  // stands for its conjugate, too
  Matrix E_;                            // (ny, ny)
  Eigen::MatrixXcd complex_E_;
  DenseLu real_lu_;
  ComplexLu complex_lu_;
  Vector right_, w_;  // (ny)
  Eigen::VectorXcd complex_right_, complex_w_;
};

class ImplicitStages final : public StageSolver {
 public:
  ImplicitStages(const RungeKuttaTableau& tableau, StageEquations& equations);

  void solve(double t, double h, const Vector& y_0, bool again, Stages& stages,
             StageSums& sums) override;
  bool move(double h, const std::vector<Matrix>& D, std::vector<Matrix>& moved) override;

 private:
  bool iterate(double t, double h, const Vector& y_0, Stages& stages);
  double change(double h, const Vector& y_0) const;
  void find_factors(double t, double h, const Vector& y_0);

  const RungeKuttaTableau& tableau_;
  StageEquations& equations_;
  StageJacobian jacobian_;
  StageFactors factors_;
  Matrix J_;              // (ny, ny)
  double h_ = 0.0;        // of the factors; 0: no factors are stored
  bool slow_ = false;     // convergence was slow: J must be renewed
  std::string no_value_;  // reason why the stages could not be evaluated
  Matrix Z_, R_;          // (ny, s) Z = Y - y_0; R: residual, then ΔZ
};

}  // namespace nsmb
