// The equations of motion of a linear system, and their matrices in each frozen contact state.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/integration/linear_flow.hpp"
#include "nsmb/simulation/linear_modes.hpp"
#include "nsmb/system/linear_system.hpp"

namespace nsmb {

/// The equations, linear in z = (q, u, x, w(t)), as matrices with one column for each entry of z.
class LinearEquations {
 public:
  /// w(t) has n_w components.
  LinearEquations(const System& system, const LinearForm& form, Index n_w);

  /// Use the force of the piece after this time, from the next build() on.
  void set_span(const Discontinuity& from);
  Index piece() const { return piece_; }

  /// Build the matrices of a contact state.
  LinearMode build(const FrozenRoles& roles) const;

 private:
  void set_force();
  Matrix acceleration(const FrozenRoles& roles, Matrix& forces) const;
  Matrix observables(const Matrix& udot, const Matrix& forces) const;

  const LinearForm& form_;
  const ContactRows& rows_;
  Index n_, nc_, ny_;
  Vector mu_;
  Matrix W_;           // (n, 2nc)
  Matrix Minv_W_, G_;  // (n, 2nc), (2nc, 2nc)
  Matrix Minv_H_;      // (n, n_z): M⁻¹h = Minv_H z
  Matrix state_rows_;  // (nx, n_z): ẋ
  Matrix gap_rows_;    // (nc, n_z)
  Matrix gamma_rows_;  // (2nc, n_z)
  Index piece_ = 0;    // of the force
};

}  // namespace nsmb
