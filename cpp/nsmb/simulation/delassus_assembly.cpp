#include "nsmb/simulation/delassus_assembly.hpp"

#include <algorithm>

namespace nsmb {

namespace {

// Return true if contacts i and j act on a common clique. The cliques of each are ascending.
bool share_clique(const std::vector<Index>& i, const std::vector<Index>& j) {
  for (auto a = i.begin(), b = j.begin(); a != i.end() && b != j.end();) {
    if (*a == *b) return true;
    if (*a < *b) {
      ++a;
    } else {
      ++b;
    }
  }
  return false;
}

}  // namespace

void DelassusAssembly::update(const ContactKinematics& contacts, MassMatrix& mass,
                              BilateralConstraints& bilateral, Delassus& d) {
  if (rows_.nc == 0 || (is_constant_ && is_known_)) return;
  if (!contacts.asked) list_present(contacts, d.present);
  list_wanted(contacts, contacts.asked ? *contacts.asked : d.present);
  if (d.cliques()) {
    if (!contacts.asked) clear_blocks(d.present, d);
    update_blocks(contacts, mass, d);
  } else {
    list_rows(wanted_, wanted_rows_);
    // If most contacts have no point or are open, the others form a smaller problem.
    if (2 * std::ssize(wanted_rows_) < rows_.size()) {
      update_listed(contacts, mass, bilateral, d);
    } else {
      update_whole(contacts, mass, bilateral, d);
    }
  }
  is_known_ = true;
}

void DelassusAssembly::list_present(const ContactKinematics& contacts,
                                    std::vector<Index>& present) const {
  present.clear();
  for (Index i = 0; i < rows_.nc; ++i) {
    if (is_used(contacts, i)) present.push_back(i);
  }
}

void DelassusAssembly::list_wanted(const ContactKinematics& contacts,
                                   const std::vector<Index>& present) {
  wanted_ = held_ ? *held_ : present;
  std::erase_if(wanted_, [&](Index i) { return !is_used(contacts, i); });
}

void DelassusAssembly::list_rows(const std::vector<Index>& which, std::vector<Index>& rows) const {
  rows.clear();
  for (const Index i : which) {
    rows.push_back(i);
    for (Index k = 0; k < rows_.dim(i); ++k) rows.push_back(rows_.row(i) + k);
  }
}

void DelassusAssembly::update_whole(const ContactKinematics& contacts, MassMatrix& mass,
                                    BilateralConstraints& bilateral, Delassus& d) {
  d.W.leftCols(rows_.nc) = contacts.W_N;
  d.W.rightCols(rows_.nt) = contacts.W_T;
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
  filled_rows_.resize(at(rows_.size()));
  for (Index row = 0; row < rows_.size(); ++row) filled_rows_[at(row)] = row;
  is_filled_.assign(at(rows_.size()), 1);
}

void DelassusAssembly::clear_listed(Delassus& d) {
  for (const Index row : filled_rows_) {
    d.Minv_W.col(row).setZero();
    for (const Index other : filled_rows_) d.G(other, row) = 0.0;
    is_filled_[at(row)] = 0;
  }
  filled_rows_.clear();
}

void DelassusAssembly::update_listed(const ContactKinematics& contacts, MassMatrix& mass,
                                     BilateralConstraints& bilateral, Delassus& d) {
  is_filled_.resize(at(rows_.size()), 0);
  if (!held_) clear_listed(d);
  for (const Index row : wanted_rows_) {
    if (is_filled_[at(row)]) continue;
    is_filled_[at(row)] = 1;
    filled_rows_.push_back(row);
  }
  if (contacts.asked) {
    for (const Index i : *contacts.asked) {
      d.W.col(i) = contacts.W_N.col(i);
      d.W.middleCols(rows_.row(i), rows_.dim(i)) =
          contacts.W_T.middleCols(rows_.tangent(i), rows_.dim(i));
    }
  } else {
    d.W.leftCols(rows_.nc) = contacts.W_N;
    d.W.rightCols(rows_.nt) = contacts.W_T;
  }
  W_wanted_ = d.W(Eigen::all, wanted_rows_);
  Minv_W_wanted_ = W_wanted_;
  mass.solve(Minv_W_wanted_);
  if (bilateral.exist()) {
    free_ = W_wanted_.cwiseProduct(Minv_W_wanted_).colwise().sum();
    bilateral.project(Minv_W_wanted_);
    for (Index k = 0; k < free_.size(); ++k) {
      auto column = Minv_W_wanted_.col(k);
      if (is_unmoved(W_wanted_.col(k).dot(column), free_(k))) column.setZero();
    }
  }
  G_wanted_.noalias() = W_wanted_.transpose() * Minv_W_wanted_;
  d.Minv_W(Eigen::all, wanted_rows_) = Minv_W_wanted_;
  d.G(wanted_rows_, wanted_rows_) = G_wanted_;
}

// Set everything to zero for contacts that have just lost their contact points.
void DelassusAssembly::clear_blocks(const std::vector<Index>& present, Delassus& d) {
  constexpr char kHad = 1, kHas = 2;
  const Cliques& cliques = *d.cliques();
  has_block_.resize(at(rows_.nc), 0);
  for (const Index i : present) has_block_[at(i)] |= kHas;
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
    char& block = has_block_[at(i)];
    if (block == kHad) {
      clear(i, i);
      for (Index k = 0; k < rows_.dim(i); ++k) clear(i, rows_.row(i) + k);
    }
    block = block >= kHas ? kHad : 0;
  }
}

// M⁻¹w = Σ_c M_c⁻¹ w_c over the cliques c of a contact, and G_ij = Σ_c w_icᵀ M_c⁻¹ w_jc over those
// that i and j share.
void DelassusAssembly::update_blocks(const ContactKinematics& contacts, MassMatrix& mass,
                                     Delassus& d) {
  const Cliques& cliques = *d.cliques();
  const auto place = [&](Index i, Index row, const auto& w) {
    for (const VelocityRange& r : cliques.reach(i)) {
      d.W.col(row).segment(r.first, r.size) = w.segment(r.first, r.size);
    }
  };
  for (const Index i : contacts.asked ? *contacts.asked : d.present) {
    place(i, i, contacts.W_N.col(i));
    for (Index k = 0; k < rows_.dim(i); ++k) {
      place(i, rows_.row(i) + k, contacts.W_T.col(rows_.tangent(i) + k));
    }
  }
  const auto solve = [&](Index i, Index row) {
    auto column = d.Minv_W.col(row);
    bool acts = false;
    for (const VelocityRange& r : cliques.reach(i)) {
      const auto part = d.W.col(row).segment(r.first, r.size);
      acts = acts || !part.isZero(0.0);
      column.segment(r.first, r.size) = part;
    }
    if (!acts) return;
    for (const Index clique : cliques.of_contact(i)) mass.solve(clique, column);
  };
  for (const Index i : wanted_) {
    solve(i, i);
    for (Index k = 0; k < rows_.dim(i); ++k) solve(i, rows_.row(i) + k);
  }
  const auto set = [&](Index i, Index row, Index other) {
    d.G(row, other) = d.G(other, row) = dot(cliques.reach(i), d.W.col(row), d.Minv_W.col(other));
  };
  is_wanted_.resize(at(rows_.nc), 0);
  for (const Index i : wanted_) is_wanted_[at(i)] = 1;
  for (const Index i : wanted_) {
    // Loop over the neighbours or over the wanted contacts, whichever are fewer.
    const std::vector<Index>& near = cliques.neighbours(i);
    const bool by_neighbours = near.size() < wanted_.size();
    for (const Index j : by_neighbours ? near : wanted_) {
      if (j > i) break;
      if (by_neighbours ? !is_wanted_[at(j)]
                        : !share_clique(cliques.of_contact(i), cliques.of_contact(j))) {
        continue;
      }
      set(i, i, j);
      for (Index k = 0; k < rows_.dim(i); ++k) {
        set(i, rows_.row(i) + k, j);
        for (Index l = 0; l < rows_.dim(j); ++l) set(i, rows_.row(i) + k, rows_.row(j) + l);
      }
      for (Index l = 0; l < rows_.dim(j); ++l) set(i, i, rows_.row(j) + l);
    }
  }
  for (const Index i : wanted_) is_wanted_[at(i)] = 0;
}

}  // namespace nsmb
