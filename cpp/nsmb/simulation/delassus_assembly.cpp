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
  if (lists_used(contacts)) return update_used(mass, bilateral, d);
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

// Rows of contacts that have a contact point, if these are less than half of all. Of shapes that
// may touch with many points few are near.
bool DelassusAssembly::lists_used(const ContactKinematics& contacts) {
  used_rows_.clear();
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!is_used(contacts, i)) continue;
    used_rows_.push_back(i);
    for (Index k = 0; k < rows_.dim(i); ++k) used_rows_.push_back(rows_.row(i) + k);
  }
  if (2 * std::ssize(used_rows_) < rows_.size()) return true;
  for (Index row = 0; row < rows_.size(); ++row) fill(row);
  return false;
}

void DelassusAssembly::fill(Index row) {
  is_filled_.resize(at(rows_.size()), 0);
  if (is_filled_[at(row)]) return;
  is_filled_[at(row)] = 1;
  filled_rows_.push_back(row);
}

void DelassusAssembly::update_used(MassMatrix& mass, BilateralConstraints& bilateral, Delassus& d) {
  for (const Index row : filled_rows_) {
    d.Minv_W.col(row).setZero();
    for (const Index other : filled_rows_) d.G(other, row) = 0.0;
    is_filled_[at(row)] = 0;
  }
  filled_rows_.clear();
  for (const Index row : used_rows_) fill(row);
  W_used_ = d.W(Eigen::all, used_rows_);
  Minv_W_used_ = W_used_;
  mass.solve(Minv_W_used_);
  if (bilateral.exist()) {
    free_ = W_used_.cwiseProduct(Minv_W_used_).colwise().sum();
    bilateral.project(Minv_W_used_);
    for (Index k = 0; k < free_.size(); ++k) {
      auto column = Minv_W_used_.col(k);
      if (is_unmoved(W_used_.col(k).dot(column), free_(k))) column.setZero();
    }
  }
  G_used_.noalias() = W_used_.transpose() * Minv_W_used_;
  d.Minv_W(Eigen::all, used_rows_) = Minv_W_used_;
  d.G(used_rows_, used_rows_) = G_used_;
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
    fill(row);
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

// Of contacts that have just lost their contact points everything is zero.
void DelassusAssembly::leave_unused(const ContactKinematics& contacts, Delassus& d) {
  const Cliques& cliques = *d.cliques();
  has_block_.resize(at(rows_.nc), 0);
  const auto clear = [&](Index i, Index row) {
    for (const VelocityRange& r : cliques.reach(i)) {
      d.W.col(row).segment(r.first, r.size).setZero();
      d.Minv_W.col(row).segment(r.first, r.size).setZero();
    }
    for (const Index j : cliques.neighbours(i)) {
      d.G(row, j) = d.G(j, row) = 0.0;
      d.G.row(row).segment(rows_.row(j), rows_.dim(j)).setZero();
      d.G.col(row).segment(rows_.row(j), rows_.dim(j)).setZero();
    }
  };
  for (Index i = 0; i < rows_.nc; ++i) {
    const bool had_block = has_block_[at(i)] != 0;
    has_block_[at(i)] = is_used(contacts, i) ? 1 : 0;
    if (!had_block || has_block_[at(i)]) continue;
    clear(i, i);
    for (Index k = 0; k < rows_.dim(i); ++k) clear(i, rows_.row(i) + k);
  }
}

// M⁻¹w = Σ_c M_c⁻¹ w_c over the cliques c of a contact, and G_ij = Σ_c w_icᵀ M_c⁻¹ w_jc over those
// that i and j share.
void DelassusAssembly::update_blocks(const ContactKinematics& contacts, MassMatrix& mass,
                                     Delassus& d) {
  const Cliques& cliques = *d.cliques();
  leave_unused(contacts, d);
  const auto is_here = [&](Index i) { return has_block_[at(i)] != 0; };
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
    if (!is_here(i)) continue;
    place(i, i, contacts.W_N.col(i));
    for (Index k = 0; k < rows_.dim(i); ++k) {
      place(i, rows_.row(i) + k, contacts.W_T.col(rows_.tangent(i) + k));
    }
  }
  const auto set = [&](Index i, Index row, Index other) {
    d.G(row, other) = d.G(other, row) = dot(cliques.reach(i), d.W.col(row), d.Minv_W.col(other));
  };
  for (Index i = 0; i < rows_.nc; ++i) {
    if (!is_needed(i) || !is_here(i)) continue;
    for (const Index j : cliques.neighbours(i)) {
      if (j > i) break;
      if (!is_needed(j) || !is_here(j)) continue;
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
