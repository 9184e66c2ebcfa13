// A sparse friction problem as given: y at any x, and the residual.
#pragma once

#include "nsmb/complementarity/block_matrix.hpp"
#include "nsmb/complementarity/friction_mass.hpp"
#include "nsmb/complementarity/friction_sparse.hpp"

namespace nsmb::internal {

/// The problem by reference; it must outlive this object.
class OriginalFriction {
 public:
  /// Take over a problem that has been checked.
  void assign(const SparseFrictionProblem& problem, const FrictionMeasure& measure);

  const SparseFrictionProblem& problem() const { return *problem_; }
  const MassMatrix& mass() const { return mass_; }
  const Vector& q() const { return q_; }  // (m) y at x = 0
  /// First row of each contact; each free row is a unit of its own, (units + 1).
  const std::vector<Index>& units() const { return units_; }
  /// True if L⁻¹ H is stored by nodes of M = L Lᵀ. Otherwise W is stored, computed if not given.
  bool is_split() const { return problem_->is_global() && mass_.is_block_diagonal(); }
  const BlockMatrix& H() const { return H_; }
  const BlockMatrix& W() const { return W_; }
  /// diag W (m)
  const Vector& diagonal() const { return diagonal_; }

  /// Compute y (m), and for the global form v = M⁻¹ (H x + f).
  void evaluate(const ConstVectorRef& x, Vector& y, Vector& v) const;
  double residual(const Vector& x, const Vector& y) const;
  /// Return the contribution of each block to the residual, (blocks); their norm is the residual.
  Vector misses(const Vector& x, const Vector& y) const;

 private:
  void set_units();
  void compare_rows();
  void number_bodies();
  void split();
  void form_W();
  void set_scales(const FrictionMeasure& measure);
  double miss(const ContactBlock& block, const Vector& x, const Vector& y, double s) const;

  const SparseFrictionProblem* problem_ = nullptr;
  MassMatrix mass_;
  std::vector<std::uint64_t> alike_;  // (rows of M) equal for rows of one body
  std::vector<Index> units_;
  std::vector<Index> last_;  // (rows of M) scratch
  BlockMatrix H_, W_;
  Vector q_, diagonal_, v_free_;
  std::vector<double> s_;  // (blocks) of the natural map
  double size_ = 1.0;      // reference size of residuals
};

}  // namespace nsmb::internal
