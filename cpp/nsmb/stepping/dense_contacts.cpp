#include "nsmb/stepping/dense_contacts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nsmb {

namespace {

// Sparse methods are faster for more rows. For friction with two tangential directions they are
// also more reliable.
constexpr Index kMostRows = 60, kMostSpatialRows = 15;

}  // namespace

bool DenseContacts::fit(const SparseFrictionProblem& problem) {
  Index most = kMostRows;
  for (const ContactBlock& block : problem.blocks) {
    if (block.rolling > 0 || block.drilling > 0) return false;
    if (block.tangents > 1 && block.mu > 0.0) most = kMostSpatialRows;
  }
  return problem.rows() <= most;
}

void DenseContacts::assemble(const SetProblem& problem, const ContactSet& set,
                             const ContactModel& model) {
  problem_ = &problem;
  const SparseFrictionProblem& p = problem.problem();
  list_rows(p);
  list_pieces(p);
  find_G(p);
  free_ = problem.start() + problem.free_change();
  gather(free_, free_N_, free_T_);
  gather(problem.given(), given_N_, given_T_);
  laws_.clear();
  for (const FoundContact& contact : set.contacts) laws_.push_back(model.law(contact));
}

void DenseContacts::list_rows(const SparseFrictionProblem& p) {
  const auto n = static_cast<Index>(p.blocks.size());
  rows_.nc = n;
  rows_.nt = 0;
  rows_.spatial = false;
  rows_.first.assign(1, 0);
  rows_.normal.clear();
  rows_.unilateral.clear();
  mu_.resize(n);
  bound_.resize(n);
  place_.assign(at(p.rows()), -1);
  for (Index k = 0; k < n; ++k) {
    const ContactBlock& block = p.blocks[at(k)];
    Index row = block.first;
    if (block.normal) place_[at(row++)] = k;
    for (Index d = 0; d < block.tangents; ++d) place_[at(row++)] = n + rows_.nt++;
    rows_.first.push_back(rows_.nt);
    rows_.normal.push_back(block.normal ? k : block.normal_of);
    rows_.unilateral.push_back(block.normal);
    rows_.spatial = rows_.spatial || block.tangents > 1;
    mu_(k) = block.mu;
    bound_(k) = block.bound;
  }
  closed_.resize(p.blocks.size());
  std::iota(closed_.begin(), closed_.end(), Index{0});
}

// Sorted by bodies, and for each body by columns.
void DenseContacts::list_pieces(const SparseFrictionProblem& p) {
  pieces_.clear();
  entries_.clear();
  for (Index column = 0; column < p.rows(); ++column) {
    Index body = -1;
    for (SparseMatrix::InnerIterator entry(p.H, column); entry; ++entry) {
      const auto next = std::upper_bound(p.bodies.begin(), p.bodies.end(), entry.row());
      const Index own = next - p.bodies.begin() - 1;
      const Index first = p.bodies[at(own)];
      const Index end = next == p.bodies.end() ? p.M.rows() : *next;
      if (own != body) {
        body = own;
        pieces_.push_back({own, column, static_cast<Index>(entries_.size()), end - first});
        entries_.resize(entries_.size() + at(end - first), 0.0);
      }
      entries_[at(pieces_.back().first + entry.row() - first)] = entry.value();
    }
  }
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.body < b.body; });
}

void DenseContacts::find_G(const SparseFrictionProblem& p) {
  G_.setZero(rows_.size(), rows_.size());
  solved_ = entries_;
  for (std::size_t k = 0; k < pieces_.size();) {
    const Index body = pieces_[k].body, first = p.bodies[at(body)], size = pieces_[k].size;
    M_.setZero(size, size);
    for (Index j = 0; j < size; ++j) {
      for (SparseMatrix::InnerIterator entry(p.M, first + j); entry; ++entry) {
        M_(entry.row() - first, j) = entry.value();
      }
    }
    mass_.compute(M_);
    std::size_t end = k;
    while (end < pieces_.size() && pieces_[end].body == body) ++end;
    for (std::size_t i = k; i < end; ++i) {
      mass_.solve(Eigen::Map<Vector>(solved_.data() + pieces_[i].first, size));
    }
    for (std::size_t i = k; i < end; ++i) {
      const Eigen::Map<const Vector> w(entries_.data() + pieces_[i].first, size);
      const Index row = place_[at(pieces_[i].column)];
      for (std::size_t j = k; row >= 0 && j < end; ++j) {
        const Eigen::Map<const Vector> x(solved_.data() + pieces_[j].first, size);
        const Index column = place_[at(pieces_[j].column)];
        if (column >= 0) G_(row, column) += w.dot(x);
      }
    }
    k = end;
  }
}

void DenseContacts::gather(const ConstVectorRef& from, Vector& of_N, Vector& of_T) const {
  of_N.setZero(rows_.nc);
  of_T.setZero(rows_.nt);
  for (Index row = 0; row < from.size(); ++row) {
    const Index place = place_[at(row)];
    if (place < 0) continue;
    (place < rows_.nc ? of_N(place) : of_T(place - rows_.nc)) = from(row);
  }
}

void DenseContacts::scatter(const Vector& of_N, const Vector& of_T, Vector& x) const {
  x.setZero(static_cast<Index>(place_.size()));
  for (Index row = 0; row < x.size(); ++row) {
    const Index place = place_[at(row)];
    if (place >= 0) x(row) = place < rows_.nc ? of_N(place) : of_T(place - rows_.nc);
  }
}

void DenseContacts::add_velocities(const Vector& x, Vector& v) const {
  const SparseFrictionProblem& p = problem_->problem();
  for (const Piece& piece : pieces_) {
    v.segment(p.bodies[at(piece.body)], piece.size) +=
        x(piece.column) * Eigen::Map<const Vector>(solved_.data() + piece.first, piece.size);
  }
}

void DenseContacts::solve(double tol, ContactSolver& solver, SparseFrictionResult& result) {
  const SparseFrictionProblem& p = problem_->problem();
  impulses_.resize(rows_);
  const StepContacts contacts{rows_,    G_,  free_N_, free_T_, given_N_,
                              given_T_, mu_, bound_,  laws_,   closed_};
  solve_step_laws(contacts, tol, solver, impulses_);
  result.iterations = 0;
  result.residual = impulses_.residual;
  result.status =
      impulses_.residual <= tol ? SparseFrictionStatus::Solved : SparseFrictionStatus::Inaccurate;
  scatter(impulses_.Lambda_N, impulses_.Lambda_T, result.x);
  result.v = problem_->free();
  add_velocities(result.x, result.v);
  result.y = p.w;
  result.y.noalias() += p.H.transpose() * result.v;
  if (impulses_.unsolved) result.x.setConstant(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace nsmb
