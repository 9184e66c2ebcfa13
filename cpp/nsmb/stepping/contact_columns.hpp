// What impulses of closed contacts do in a step: A⁻¹W, with constraints, and G = Wᵀ A⁻¹ W.
#pragma once

#include <vector>

#include "nsmb/stepping/step_matrix.hpp"

namespace nsmb {

/// Workspace. Vectors over all contacts; of contacts that are not listed nothing is said.
class ContactColumns {
 public:
  explicit ContactColumns(Mechanics& mechanics);

  StepMatrix& matrix() { return matrix_; }
  /// Columns of these contacts: forces act in the directions of `forces`, velocities are those
  /// along `rates`, which must last as long as they are asked for.
  void find(const std::vector<Index>& closed, const ContactKinematics& forces,
            const ContactKinematics& rates);
  const Matrix& G() const { return G_; }  // (nc + nt, nc + nt)
  /// rates += Wᵀ v of these contacts.
  void add_rates(const ConstVectorRef& v, VectorRef rates_N, VectorRef rates_T) const {
    add_normal_rates(v, rates_N);
    add_tangential_rates(v, rates_T);
  }
  void add_normal_rates(const ConstVectorRef& v, VectorRef rates_N) const;
  void add_tangential_rates(const ConstVectorRef& v, VectorRef rates_T) const;
  /// γ += G Λ of these contacts.
  void add_velocities(const Vector& Lambda_N, const Vector& Lambda_T, VectorRef gamma_N,
                      VectorRef gamma_T) const;
  /// d (nu + nx) += A⁻¹W Λ, and what constraints have to do with it to Lambda_B.
  void add_increments(const Vector& Lambda_N, const Vector& Lambda_T, VectorRef d,
                      VectorRef Lambda_B) const;

 private:
  static auto direction(const ContactKinematics& contacts, Index row) {
    const Index nc = contacts.W_N.cols();
    return row < nc ? contacts.W_N.col(row) : contacts.W_T.col(row - nc);
  }

  void project(const ContactKinematics& rates);

  const ContactRows& contact_rows_;
  const ContactKinematics* rates_ = nullptr;
  StepMatrix matrix_;
  std::vector<Index> rows_;
  Matrix columns_, Lambda_B_;  // (nu + nx, rows), (nb, rows)
  Matrix G_;
  Vector free_;  // (rows) G_aa without constraints
};

}  // namespace nsmb
