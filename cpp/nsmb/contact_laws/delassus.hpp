// The Delassus matrix G = Wᵀ M⁻¹ W of all contact rows, W = (W_N | W_T), in the order of
// ContactRows. With bilateral constraints, M⁻¹ is projected onto the motions that they allow.
#pragma once

#include "nsmb/core/small_products.hpp"
#include "nsmb/system/cliques.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Return true if bilateral constraints prevent any motion of a row, given G_aa with and without
/// them.
bool is_unmoved(double constrained, double free);

/// A dense Delassus matrix, or a blockwise one if cliques are given. Columns of W and M⁻¹W then
/// have entries only in the reach of their contact, and only blocks of G between neighbours are
/// nonzero. Sums contain only nonzero terms.
class Delassus {
 public:
  /// `cliques` null: dense.
  Delassus(Index nu, const ContactRows& rows, const Cliques* cliques);

  const Cliques* cliques() const { return cliques_; }
  Index contact_of(Index row) const { return contact_of_[static_cast<std::size_t>(row)]; }
  /// Velocity ranges in which the columns of a row may have entries.
  const VelocityRanges& reach(Index row) const {
    return cliques_ ? cliques_->reach(contact_of(row)) : whole_;
  }

  /// Add Wᵀ v to the rates of the normal rows (nc) and of the tangential rows (nt).
  template <typename V, typename Rates>
  void add_rates(const V& v, Rates&& normal, Rates&& tangential) const {
    if (cliques_) return add_block_rates(v, normal, tangential);
    add_transposed_product(W.leftCols(normal.size()), v, normal);
    add_transposed_product(W.rightCols(tangential.size()), v, tangential);
  }
  /// Return wᵀ v of one row.
  double rate(const Vector& v, Index row) const {
    return cliques_ ? dot(reach(row), W.col(row), v) : W.col(row).dot(v);
  }
  /// Add the accelerations M⁻¹W λ to a.
  void add_accelerations(const Vector& lambda_N, const Vector& lambda_T, VectorRef a) const {
    if (cliques_) return add_block_accelerations(lambda_N, lambda_T, a);
    add_product(Minv_W.leftCols(lambda_N.size()), lambda_N, a);
    add_product(Minv_W.rightCols(lambda_T.size()), lambda_T, a);
  }

  Matrix W;       // (nu, nc + nt)
  Matrix Minv_W;  // (nu, nc + nt) M⁻¹W
  Matrix G;       // (nc + nt, nc + nt), 1/kg
  // Contacts with a contact point, ascending; all contacts until this is known. W of others is
  // zero.
  std::vector<Index> present;

 private:
  void add_block_rates(const ConstVectorRef& v, VectorRef normal, VectorRef tangential) const;
  void add_block_accelerations(const Vector& lambda_N, const Vector& lambda_T, VectorRef a) const;

  const Cliques* cliques_;
  VelocityRanges whole_;
  std::vector<Index> contact_of_;  // (nc + nt)
  std::vector<Index> first_row_;   // (nc + 1) tangential
};

}  // namespace nsmb
