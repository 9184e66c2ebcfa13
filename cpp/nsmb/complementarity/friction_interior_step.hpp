// The linear equations of a step of the interior point method. With x = T x̂, P the derivative of
// F̂ with respect to T y, r the residual of F̂, W the scaling and c the target:
//
//   dF̂ = P T A T dx̂ + r,   W dx̂ + W⁻¹ dF̂ = c
//   (T A T + P⁻¹ W²) dx̂ = P⁻¹ (W c - r)                   where W is given, by contacts
//   (1 + H T W⁻² P T Hᵀ) dv = H T (W⁻¹ c - W⁻² r)         by bodies
#pragma once

#include "nsmb/complementarity/friction_factors.hpp"
#include "nsmb/complementarity/lorentz_cone.hpp"

namespace nsmb::internal {

using ConePoints = Eigen::Matrix3Xd;  // by contact

class InteriorEquations {
 public:
  void begin(const ContactSystem& system);

  /// Compute T x̂.
  void to_impulses(const ConePoints& x, Vector& impulses) const;
  /// Compute P and r from F̂ at y, with slips rounded below `smallest`.
  void linearize(const Vector& y, double smallest, const ConePoints& F);
  /// Compute W and factorize. Return false if the factorization fails.
  bool factorize(const ConePoints& x, const ConePoints& F, ContactFactors& factors);
  /// Compute dx̂, dF̂ for the target c.
  void solve(const ConePoints& c, ContactFactors& factors, ConePoints& dx, ConePoints& dF);

  ConePoint scaled_x(Index c, const ConePoint& x) const { return matrix(W_, c) * x; }
  ConePoint scaled_F(Index c, const ConePoint& F) const { return matrix(inverse_, c) * F; }

 private:
  using Matrices = Eigen::Matrix<double, 9, Eigen::Dynamic>;
  using Map = Eigen::Map<const ConeMatrix>;

  static Map matrix(const Matrices& all, Index c) { return Map(all.col(c).data()); }
  void assemble_contacts(ContactFactors& factors) const;
  void assemble_bodies(ContactFactors& factors) const;
  void solve_contacts(ContactFactors& factors);
  void solve_bodies(ContactFactors& factors);
  ConePoint relative(Index c, const Vector& dx, const Vector& dv) const;
  void find_left(const ConePoints& c, const ConePoints& dx);

  const ContactSystem* system_ = nullptr;
  std::vector<Index> rows_;    // of the cones: one without friction
  std::vector<double> scale_;  // T of normal rows, 1 / mu
  Matrices W_, inverse_, P_;
  ConePoints r_, left_, correction_;
  Vector impulses_, velocities_, work_;
};

}  // namespace nsmb::internal
