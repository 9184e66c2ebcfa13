#include "nsmb/stepping/set_problem.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_cholesky.hpp"

namespace nsmb {

SetProblem::SetProblem(Mechanics& mechanics, const ContactModel& model, StepInertia& inertia)
    : mechanics_(mechanics),
      model_(model),
      inertia_(inertia),
      place_(at(inertia.units().count()), -1),
      constraints_(inertia, mechanics.nb()) {}

Index SetProblem::reduced_size(Index unit) const {
  return constrains(unit) ? constraints_.basis(unit).cols() : inertia_.size(unit);
}

Index SetProblem::first_of(Index clique) const {
  const Index unit = inertia_.unit_of(clique);
  return place_[at(unit)] + (constrains(unit) ? 0 : inertia_.place(clique));
}

Matrix::ConstRowsBlockXpr SetProblem::basis_rows(Index clique) const {
  const Matrix& Z = constraints_.basis(inertia_.unit_of(clique));
  return Z.middleRows(inertia_.place(clique), inertia_.clique_size(clique));
}

void SetProblem::constrain(const Matrix& W) {
  has_constraints_ = true;
  constraints_.set_directions(W);
  constraints_.set_values(Vector::Zero(W.cols()));
}

// u = v_b + Z s with ZᵀM Z s = ZᵀM (u_F - v_b), M (u - u_F) = W_B Λ_B.
void SetProblem::hold(const Vector& b, VectorRef u, Vector* Lambda_B) {
  constraints_.set_values(b);
  for (const Index unit : constraints_.constrained()) {
    const Matrix& M = inertia_.block(unit);
    const Matrix& Z = constraints_.basis(unit);
    const Vector& base = constraints_.base(unit);
    inertia_.gather(unit, u, part_);
    DenseCholesky llt;
    llt.compute(Z.transpose() * M * Z);
    Vector s = Z.transpose() * (M * (part_ - base));
    llt.solve(s);
    const Vector there = base + Z * s;
    if (Lambda_B) constraints_.add_impulses(unit, M * (there - part_), *Lambda_B);
    inertia_.scatter(unit, there, u);
  }
}

void SetProblem::assemble(const ContactSet& set, double h, const ConstVectorRef& u_start,
                          const ConstVectorRef& u_free) {
  number_velocities(set);
  gather(u_start, u_start_);
  gather(u_free, u_free_);
  entries_.clear();
  for (const Index unit : touched_) add_inertia(unit);
  problem_.M.setFromTriplets(entries_.begin(), entries_.end());
  problem_.H.resize(problem_.M.rows(), set.rows());
  problem_.H.reserve(static_cast<Index>(set.entries.size()));
  for (const FoundContact& contact : set.contacts) {
    add_directions(set, contact, contact.rows, contact.first_row);
  }
  problem_.H.finalize();
  problem_.w = Eigen::Map<const Vector>(set.w_tilde.data(), set.rows());
  start_ = problem_.w + problem_.H.transpose() * u_start_;
  free_change_ = problem_.H.transpose() * (u_free_ - u_start_);
  if (has_constraints_) {
    add_rest(set, u_start, start_);
    add_rest(set, u_free - u_start, free_change_);
    add_rest(set, u_free, problem_.w);
  }
  given_.setZero(set.rows());
  add_laws(set, h);
}

void SetProblem::assemble_rows(const ContactSet& set, const std::vector<Index>& rows) {
  number_velocities(set);
  u_free_.setZero(problem_.f.size());
  entries_.clear();
  for (const Index unit : touched_) add_inertia(unit);
  problem_.M.setFromTriplets(entries_.begin(), entries_.end());
  Index n = 0;
  for (const Index own : rows) n += own;
  problem_.H.resize(problem_.M.rows(), n);
  Index column = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    add_directions(set, set.contacts[k], rows[k], column);
    column += rows[k];
  }
  problem_.H.finalize();
}

void SetProblem::rates(const ContactSet& set, const std::vector<Index>& rows,
                       const ConstVectorRef& u, VectorRef y) const {
  Index first = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const FoundContact& contact = set.contacts[k];
    for (Index row = 0; row < rows[k]; ++row)
      y(first + row) = set.w_tilde[at(contact.first_row + row)];
    for (std::size_t side = 0; side < 2 && rows[k] > 0; ++side) {
      const Index clique = contact.cliques[side];
      if (clique < 0) continue;
      const auto W = directions(set, contact, side);
      Index column = 0;
      for (const VelocityRange& r : model_.cliques().members(clique)) {
        y.segment(first, rows[k]).noalias() +=
            W.block(0, column, rows[k], r.size) * u.segment(r.first, r.size);
        column += r.size;
      }
    }
    first += rows[k];
  }
}

void SetProblem::number_velocities(const ContactSet& set) {
  for (const Index unit : touched_) place_[at(unit)] = -1;
  touched_.clear();
  touched_cliques_.clear();
  for (const FoundContact& contact : set.contacts) {
    for (const Index clique : contact.cliques) {
      if (clique < 0) continue;
      const Index unit = inertia_.unit_of(clique);
      if (place_[at(unit)] >= 0) continue;
      place_[at(unit)] = 0;
      touched_.push_back(unit);
    }
  }
  std::sort(touched_.begin(), touched_.end());
  problem_.bodies.clear();
  Index n = 0;
  for (const Index unit : touched_) {
    place_[at(unit)] = n;
    problem_.bodies.push_back(n);
    n += reduced_size(unit);
    const std::vector<Index>& own = inertia_.cliques_of(unit);
    touched_cliques_.insert(touched_cliques_.end(), own.begin(), own.end());
  }
  std::sort(touched_cliques_.begin(), touched_cliques_.end());
  problem_.M.resize(n, n);
  problem_.f.resize(n);
}

void SetProblem::gather(const ConstVectorRef& u, Vector& part) const {
  part.resize(problem_.f.size());
  for (const Index unit : touched_) {
    inertia_.gather(unit, u, own_);
    auto here = part.segment(place_[at(unit)], reduced_size(unit));
    if (constrains(unit)) {
      here = constraints_.basis(unit).transpose() * own_;
    } else {
      here = own_;
    }
  }
}

void SetProblem::scatter(const Vector& v, VectorRef u) const {
  for (const Index unit : touched_) {
    own_ = v.segment(place_[at(unit)], reduced_size(unit));
    if (constrains(unit)) own_ = constraints_.base(unit) + constraints_.basis(unit) * own_;
    inertia_.scatter(unit, own_, u);
  }
}

// Add the part of Hᵀ u of constrained units that s does not contain, Hᵀ (1 - Z Zᵀ) u.
void SetProblem::add_rest(const ContactSet& set, const ConstVectorRef& u, Vector& y) const {
  for (const FoundContact& contact : set.contacts) {
    for (std::size_t side = 0; side < 2 && contact.cliques[side] >= 0; ++side) {
      const Index clique = contact.cliques[side], unit = inertia_.unit_of(clique);
      if (!constrains(unit)) continue;
      inertia_.gather(unit, u, own_);
      const Matrix& Z = constraints_.basis(unit);
      own_ -= Z * (Z.transpose() * own_).eval();
      y.segment(contact.first_row, contact.rows) +=
          directions(set, contact, side) *
          own_.segment(inertia_.place(clique), inertia_.clique_size(clique));
    }
  }
}

void SetProblem::add_constraint_impulses(const ContactSet& set, const Vector& v, const Vector& x,
                                         Vector& Lambda_B) {
  for (const Index unit : touched_) {
    if (!constrains(unit)) continue;
    const Matrix& Z = constraints_.basis(unit);
    Vector force = inertia_.block(unit) * (Z * v.segment(place_[at(unit)], Z.cols()));
    for (const FoundContact& contact : set.contacts) {
      for (std::size_t side = 0; side < 2; ++side) {
        const Index clique = contact.cliques[side];
        if (clique < 0 || inertia_.unit_of(clique) != unit) continue;
        force.segment(inertia_.place(clique), inertia_.clique_size(clique)) -=
            directions(set, contact, side).transpose() * x.segment(contact.first_row, contact.rows);
      }
    }
    constraints_.add_impulses(unit, force, Lambda_B);
  }
}

double SetProblem::energy(Index clique, const Vector& v) const {
  const Index unit = inertia_.unit_of(clique);
  const Index first = first_of(clique);
  const Index n = constrains(unit) ? reduced_size(unit) : inertia_.clique_size(clique);
  double sum = 0.0;
  for (Index j = first; j < first + n; ++j) {
    for (SparseMatrix::InnerIterator entry(problem_.M, j); entry; ++entry) {
      if (entry.row() < first || entry.row() >= first + n) continue;
      sum += v(entry.row()) * entry.value() * v(j);
    }
  }
  return sum;
}

double SetProblem::energy_of_forces(Index clique) const {
  return energy(clique, u_free_ - u_start_);
}

void SetProblem::add_inertia(Index unit) {
  const Matrix* M = &inertia_.block(unit);
  if (constrains(unit)) {
    const Matrix& Z = constraints_.basis(unit);
    reduced_ = Z.transpose() * *M * Z;
    M = &reduced_;
  }
  const Index first = place_[at(unit)], n = M->rows();
  problem_.f.segment(first, n).noalias() = *M * u_free_.segment(first, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double entry = 0.5 * ((*M)(i, j) + (*M)(j, i));
      if (entry != 0.0) entries_.emplace_back(first + i, first + j, entry);
    }
  }
}

Eigen::Map<const Matrix> SetProblem::directions(const ContactSet& set, const FoundContact& contact,
                                                std::size_t side) const {
  return {set.entries.data() + contact.first_entry[side], contact.rows,
          inertia_.clique_size(contact.cliques[side])};
}

// Add the first `rows` rows of a contact. Its two cliques may belong to one unit.
void SetProblem::add_directions(const ContactSet& set, const FoundContact& contact, Index rows,
                                Index column) {
  for (Index row = 0; row < rows; ++row) {
    problem_.H.startVec(column + row);
    const Index first = contact.cliques[0], second = contact.cliques[1];
    const bool is_one = first >= 0 && second >= 0 &&
                        inertia_.unit_of(first) == inertia_.unit_of(second) &&
                        constrains(inertia_.unit_of(first));
    // Both cliques of one constrained unit contribute to the same column.
    if (is_one) {
      part_ = basis_rows(first).transpose() * directions(set, contact, 0).row(row).transpose() +
              basis_rows(second).transpose() * directions(set, contact, 1).row(row).transpose();
      insert(part_, first_of(first), column + row);
      continue;
    }
    for (const std::size_t side : in_order(contact)) {
      const Index clique = contact.cliques[side];
      if (clique < 0) continue;
      if (constrains(inertia_.unit_of(clique))) {
        part_ =
            basis_rows(clique).transpose() * directions(set, contact, side).row(row).transpose();
      } else {
        part_ = directions(set, contact, side).row(row).transpose();
      }
      insert(part_, first_of(clique), column + row);
    }
  }
}

void SetProblem::insert(const Vector& part, Index first, Index column) {
  for (Index j = 0; j < part.size(); ++j) problem_.H.insertBack(first + j, column) = part(j);
}

// Return the sides of a contact in the order in which entries of a column ascend.
std::array<std::size_t, 2> SetProblem::in_order(const FoundContact& contact) const {
  const Index first = contact.cliques[0], second = contact.cliques[1];
  const bool is_turned = first >= 0 && second >= 0 && first_of(first) > first_of(second);
  return is_turned ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1};
}

void SetProblem::add_laws(const ContactSet& set, double h) {
  problem_.blocks.clear();
  strikes_.assign(set.contacts.size(), 0);
  for (const FoundContact& contact : set.contacts) {
    const UnilateralContact& law = model_.law(contact);
    const Index tangent = contact.first_row + (contact.normal ? 1 : 0);
    ContactBlock block;
    block.first = contact.first_row;
    block.normal = contact.normal;
    block.tangents = contact.tangents;
    block.mu_R = model_.mu_R(contact);
    block.mu_D = model_.mu_D(contact);
    block.rolling = block.mu_R > 0.0 ? 2 : 0;
    block.drilling = block.mu_D > 0.0 ? 1 : 0;
    block.mu = law.mu;
    if (law.curve) {
      block.mu = law.curve->coefficient(start_.segment(tangent, contact.tangents).norm());
    }
    block.aspect = law.aspect;
    block.bound = h * contact.bound;
    if (!contact.normal) block.normal_of = block_of(set, contact);
    if (!contact.normal && block.normal_of < 0) block.mu = 0.0;
    problem_.blocks.push_back(block);
  }
}

bool SetProblem::take_mean_slip(const ContactSet& set, const Vector& y) {
  bool any = false;
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const FoundContact& contact = set.contacts[k];
    const UnilateralContact& law = model_.law(contact);
    if (!law.curve || strikes_[k]) continue;
    const Index row = contact.first_row + (contact.normal ? 1 : 0), n = contact.tangents;
    const Vector after = y.segment(row, n) - given_.segment(row, n);
    problem_.blocks[k].mu = law.curve->coefficient(0.5 * (start_.segment(row, n) + after).norm());
    any = true;
  }
  return any;
}

// Return the block of the normal force that bounds a friction-only contact, or -1.
Index SetProblem::block_of(const ContactSet& set, const FoundContact& friction) const {
  const Index normal = mechanics_.rows().normal_of(friction.named);
  if (normal < 0) return -1;
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    if (set.contacts[k].named == normal) return static_cast<Index>(k);
  }
  return -1;
}

void SetProblem::strike(const Vector& v) {
  u_start_ += v;
  u_free_ += v;
  problem_.f += problem_.M * v;
  start_ += problem_.H.transpose() * v;
}

void SetProblem::restitute(const FoundContact& contact, std::size_t k) {
  const UnilateralContact& law = model_.law(contact);
  strikes_[k] = 1;
  problem_.blocks[k].mu = law.mu;
  const Index row = contact.first_row, n = contact.tangents;
  given_(row) = law.e_N * start_(row);
  given_.segment(row + 1, n) = law.e_T * start_.segment(row + 1, n);
  problem_.w.segment(row, 1 + n) += given_.segment(row, 1 + n);
}

void SetProblem::take_mean(const FoundContact& contact, bool sticks, double held) {
  const Index row = contact.first_row, n = sticks ? 1 + contact.tangents : 1;
  for (Index k = row; k < row + n; ++k) {
    const double faster = std::abs(start_(k)) - held;
    given_(k) = faster > 0.0 ? std::copysign(faster, start_(k)) : 0.0;
  }
  problem_.w.segment(row, n) += given_.segment(row, n);
}

double SetProblem::fastest() const {
  return std::max(start_.cwiseAbs().maxCoeff(), (start_ + free_change_).cwiseAbs().maxCoeff());
}

}  // namespace nsmb
