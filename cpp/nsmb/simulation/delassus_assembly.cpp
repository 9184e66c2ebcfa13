#include "nsmb/simulation/delassus_assembly.hpp"

namespace nsmb {

void DelassusAssembly::update(const ContactKinematics& contacts, MassMatrix& mass,
                              BilateralConstraints& bilateral, Delassus& d) {
  if (rows_.nc == 0 || (is_constant_ && is_known_)) return;
  if (d.cliques()) {
    update_blocks(contacts, mass, d);
    is_known_ = !needed_;
    return;
  }
  d.W.leftCols(rows_.nc) = contacts.W_N;
  d.W.rightCols(rows_.nt) = contacts.W_T;
  if (needed_) return update_needed(mass, bilateral, d);
  d.Minv_W = d.W;
  mass.solve(d.Minv_W);
  if (bilateral.exist()) {
    free_ = d.W.cwiseProduct(d.Minv_W).colwise().sum();
    bilateral.project(d.Minv_W);
    for (Index row = 0; row < rows_.size(); ++row) {
      if (is_unmoved(d.W.col(row).dot(d.Minv_W.col(row)), free_(row))) d.Minv_W.col(row).setZero();
    }
  }
  d.G.noalias() = d.W.transpose() * d.Minv_W;
  is_known_ = true;
}

// Of many candidates for contact few are closed.
void DelassusAssembly::update_needed(MassMatrix& mass, BilateralConstraints& bilateral,
                                     Delassus& d) {
  needed_rows_.clear();
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!is_needed(i)) continue;
    needed_rows_.push_back(i);
    for (Index k = 0; k < rows_.dim(i); ++k) needed_rows_.push_back(rows_.row(i) + k);
  }
  for (const Index row : needed_rows_) {
    auto column = d.Minv_W.col(row);
    column = d.W.col(row);
    mass.solve(column);
    if (bilateral.exist()) {
      const double free = d.W.col(row).dot(column);
      bilateral.project(column);
      if (is_unmoved(d.W.col(row).dot(column), free)) column.setZero();
    }
    for (const Index other : needed_rows_) d.G(other, row) = d.W.col(other).dot(column);
  }
}

// M⁻¹w = Σ_c M_c⁻¹ w_c over the cliques c of a contact, and G_ij = Σ_c w_icᵀ M_c⁻¹ w_jc over those
// that i and j share.
void DelassusAssembly::update_blocks(const ContactKinematics& contacts, MassMatrix& mass,
                                     Delassus& d) const {
  const Cliques& cliques = *d.cliques();
  const auto place = [&](Index i, Index row, const auto& w) {
    auto column = d.Minv_W.col(row);
    bool acts = false;
    for (const VelocityRange& r : cliques.reach(i)) {
      const auto part = w.segment(r.first, r.size);
      d.W.col(row).segment(r.first, r.size) = part;
      acts = acts || !part.isZero(0.0);
      if (is_needed(i)) column.segment(r.first, r.size) = part;
    }
    if (!acts || !is_needed(i)) return;
    for (const Index clique : cliques.of_contact(i)) mass.solve(clique, column);
  };
  for (Index i = 0; i < rows_.nc; ++i) {
    place(i, i, contacts.W_N.col(i));
    for (Index k = 0; k < rows_.dim(i); ++k) {
      place(i, rows_.row(i) + k, contacts.W_T.col(rows_.tangent(i) + k));
    }
  }
  const auto set = [&](Index i, Index row, Index other) {
    d.G(row, other) = d.G(other, row) = dot(cliques.reach(i), d.W.col(row), d.Minv_W.col(other));
  };
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!is_needed(i)) continue;
    for (const Index j : cliques.neighbours(i)) {
      if (j > i) break;
      if (!is_needed(j)) continue;
      set(i, i, j);
      for (Index k = 0; k < rows_.dim(i); ++k) {
        set(i, rows_.row(i) + k, j);
        for (Index l = 0; l < rows_.dim(j); ++l) set(i, rows_.row(i) + k, rows_.row(j) + l);
      }
      for (Index l = 0; l < rows_.dim(j); ++l) set(i, i, rows_.row(j) + l);
    }
  }
}

}  // namespace nsmb
