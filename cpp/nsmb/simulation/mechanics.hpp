// Workspace: everything the laws need of a System at one instant.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/contact_laws/delassus.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

class Mechanics {
 public:
  explicit Mechanics(const System& system);

  /// Evaluate at (t, q, u). Throws std::domain_error when M is not positive definite there.
  void update(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// Contact kinematics and Delassus matrix only.
  void update_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u);

  double kinetic_energy(const ConstVectorRef& u) const;  // with M of the last update

  const System& system() const { return system_; }
  Index nq() const { return system_.nq(); }
  Index nu() const { return system_.nu(); }
  Index nc() const { return system_.nc(); }

  Matrix M;
  Vector h;
  ContactKinematics contacts;
  Delassus delassus;
  Vector Minv_h;            // (nu) acceleration without contact forces
  Vector gamma_N, gamma_T;  // (nc) relative velocities (4.38)
  Vector free_N, free_T;    // (nc) Wᵀ M⁻¹h + w̄, relative accelerations without contact forces
  Vector mu;                // (nc)
  std::vector<UnilateralContact> laws;

  /// A contact that never carries a friction force: μ = 0 or no tangential direction.
  bool is_frictionless(Index contact) const;
  /// Measure what rounding may have left in u and in M⁻¹h at the last update: |M⁻¹| (|M| |u|) and
  /// |M⁻¹| |h|, so that a small sum of large terms is seen as such, coordinate by coordinate.
  void measure_rounding(const ConstVectorRef& u);
  /// Below these |γ| and |γ̇| of a row of G count as zero.
  double velocity_resolution(Index row, double smallest) const;
  double acceleration_resolution(Index row, const ConstVectorRef& lambda_N,
                                 const ConstVectorRef& lambda_T) const;

 private:
  void factorise(double t, const ConstVectorRef& q);

  const System& system_;
  Eigen::LLT<Matrix> llt_;
  Matrix abs_Minv_;            // |M⁻¹|
  Vector velocity_terms_;      // |M⁻¹| (|M| |u|)
  Vector acceleration_terms_;  // |M⁻¹| |h|
  Vector momentum_terms_;      // |M| |u|
  bool has_mass_ = false;
  bool has_delassus_ = false;
};

}  // namespace nsmb
