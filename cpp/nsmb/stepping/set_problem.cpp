#include "nsmb/stepping/set_problem.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_cholesky.hpp"

namespace nsmb {

SetProblem::SetProblem(Mechanics& mechanics, const ContactModel& model)
    : mechanics_(mechanics),
      model_(model),
      cliques_(model.cliques()),
      place_(at(cliques_.count()), -1),
      constraints_(cliques_, mechanics.nb()),
      unit_(Vector::Zero(mechanics.nu())) {}

Index SetProblem::size(Index clique) const {
  Index size = 0;
  for (const VelocityRange& r : cliques_.members(clique)) size += r.size;
  return size;
}

Index SetProblem::reduced_size(Index clique) const {
  return constrains(clique) ? constraints_.basis(clique).cols() : size(clique);
}

void SetProblem::constrain(const Matrix& W) {
  has_constraints_ = true;
  constraints_.set_directions(W);
}

// u = v_b + Z s with ZᵀM Z s = ZᵀM (u_F - v_b), M (u - u_F) = W_B Λ_B.
void SetProblem::hold(const Vector& b, VectorRef u, Vector* Lambda_B) {
  constraints_.set_values(b);
  for (const Index clique : constraints_.constrained()) {
    const Matrix& M = block(clique);
    const Matrix& Z = constraints_.basis(clique);
    const Vector& base = constraints_.base(clique);
    gather_clique(clique, u, part_);
    DenseCholesky llt;
    llt.compute(Z.transpose() * M * Z);
    Vector s = Z.transpose() * (M * (part_ - base));
    llt.solve(s);
    const Vector there = base + Z * s;
    if (Lambda_B) constraints_.add_impulses(clique, M * (there - part_), *Lambda_B);
    scatter_clique(clique, there, u);
  }
}

void SetProblem::assemble(const ContactSet& set, double h, const ConstVectorRef& u_start,
                          const ConstVectorRef& u_free) {
  number_velocities(set);
  gather(u_start, u_start_);
  gather(u_free, u_free_);
  entries_.clear();
  for (const Index clique : touched_) add_mass(clique);
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

void SetProblem::assemble_gaps(const ContactSet& set) {
  number_velocities(set);
  u_start_.setZero(problem_.f.size());
  u_free_.setZero(problem_.f.size());
  entries_.clear();
  for (const Index clique : touched_) add_mass(clique);
  problem_.f.setZero();
  problem_.M.setFromTriplets(entries_.begin(), entries_.end());
  const auto n = static_cast<Index>(set.contacts.size());
  problem_.H.resize(problem_.M.rows(), n);
  problem_.w.resize(n);
  problem_.blocks.clear();
  for (Index k = 0; k < n; ++k) {
    const FoundContact& contact = set.contacts[at(k)];
    add_directions(set, contact, 1, k);
    problem_.w(k) = contact.g_N;
    ContactBlock block;
    block.first = k;
    block.tangents = 0;
    problem_.blocks.push_back(block);
  }
  problem_.H.finalize();
}

void SetProblem::number_velocities(const ContactSet& set) {
  for (const Index clique : touched_) place_[at(clique)] = -1;
  touched_.clear();
  for (const FoundContact& contact : set.contacts) {
    for (const Index clique : contact.cliques) {
      if (clique < 0 || place_[at(clique)] >= 0) continue;
      place_[at(clique)] = 0;
      touched_.push_back(clique);
    }
  }
  std::sort(touched_.begin(), touched_.end());
  problem_.bodies.clear();
  Index n = 0;
  for (const Index clique : touched_) {
    place_[at(clique)] = n;
    problem_.bodies.push_back(n);
    n += reduced_size(clique);
  }
  problem_.M.resize(n, n);
  problem_.f.resize(n);
}

void SetProblem::gather_clique(Index clique, const ConstVectorRef& u, Vector& part) const {
  part.resize(size(clique));
  Index row = 0;
  for (const VelocityRange& r : cliques_.members(clique)) {
    part.segment(row, r.size) = u.segment(r.first, r.size);
    row += r.size;
  }
}

void SetProblem::scatter_clique(Index clique, const Vector& part, VectorRef u) const {
  Index row = 0;
  for (const VelocityRange& r : cliques_.members(clique)) {
    u.segment(r.first, r.size) = part.segment(row, r.size);
    row += r.size;
  }
}

void SetProblem::gather(const ConstVectorRef& u, Vector& part) const {
  part.resize(problem_.f.size());
  Index row = 0;
  for (const Index clique : touched_) {
    if (constrains(clique)) {
      Vector own;
      gather_clique(clique, u, own);
      part.segment(row, reduced_size(clique)) = constraints_.basis(clique).transpose() * own;
      row += reduced_size(clique);
      continue;
    }
    for (const VelocityRange& r : cliques_.members(clique)) {
      part.segment(row, r.size) = u.segment(r.first, r.size);
      row += r.size;
    }
  }
}

void SetProblem::scatter(const Vector& v, VectorRef u) const {
  Index row = 0;
  for (const Index clique : touched_) {
    if (constrains(clique)) {
      const Matrix& Z = constraints_.basis(clique);
      scatter_clique(clique, constraints_.base(clique) + Z * v.segment(row, Z.cols()), u);
      row += Z.cols();
      continue;
    }
    for (const VelocityRange& r : cliques_.members(clique)) {
      u.segment(r.first, r.size) = v.segment(row, r.size);
      row += r.size;
    }
  }
}

// Of constrained cliques the part of Hᵀ u that s knows nothing of: Hᵀ (1 - Z Zᵀ) u.
void SetProblem::add_rest(const ContactSet& set, const ConstVectorRef& u, Vector& y) const {
  Vector own;
  for (const FoundContact& contact : set.contacts) {
    for (std::size_t side = 0; side < 2 && contact.cliques[side] >= 0; ++side) {
      const Index clique = contact.cliques[side];
      if (!constrains(clique)) continue;
      gather_clique(clique, u, own);
      const Matrix& Z = constraints_.basis(clique);
      own -= Z * (Z.transpose() * own).eval();
      y.segment(contact.first_row, contact.rows) += directions(set, contact, side) * own;
    }
  }
}

void SetProblem::add_constraint_impulses(const ContactSet& set, const Vector& v, const Vector& x,
                                         Vector& Lambda_B) {
  for (const Index clique : touched_) {
    if (!constrains(clique)) continue;
    const Matrix& Z = constraints_.basis(clique);
    const Index first = place_[at(clique)], n = Z.cols();
    Vector force = block(clique) * (Z * v.segment(first, n));
    for (const FoundContact& contact : set.contacts) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (contact.cliques[side] != clique) continue;
        force -=
            directions(set, contact, side).transpose() * x.segment(contact.first_row, contact.rows);
      }
    }
    constraints_.add_impulses(clique, force, Lambda_B);
  }
}

double SetProblem::energy(Index clique, const Vector& v) const {
  const Index first = place_[at(clique)], n = reduced_size(clique);
  double sum = 0.0;
  for (Index j = first; j < first + n; ++j) {
    for (SparseMatrix::InnerIterator entry(problem_.M, j); entry; ++entry) {
      sum += v(entry.row()) * entry.value() * v(j);
    }
  }
  return sum;
}

double SetProblem::energy_of_forces(Index clique) const {
  return energy(clique, u_free_ - u_start_);
}

// M of a clique: from the entries of a system of few velocities, else by the inverse that its way
// to solve with M gives, so that no matrix of all velocities is put together.
Matrix& SetProblem::block(Index clique) {
  const VelocityRanges& members = cliques_.members(clique);
  const Index n = size(clique);
  const MassSolver* solver = mechanics_.nb() == 0 ? mechanics_.system().mass_solver() : nullptr;
  M_.resize(n, n);
  inverse_.resize(n, n);
  Index column = 0;
  for (const VelocityRange& c : members) {
    for (Index k = c.first; k < c.first + c.size; ++k, ++column) {
      if (solver) {
        for (const VelocityRange& r : members) unit_.segment(r.first, r.size).setZero();
        unit_(k) = 1.0;
        solver->solve_mass(clique, unit_, mechanics_.work());
      }
      Index row = 0;
      for (const VelocityRange& r : members) {
        if (solver) {
          inverse_.col(column).segment(row, r.size) = unit_.segment(r.first, r.size);
        } else {
          M_.col(column).segment(row, r.size) =
              mechanics_.mass.entries().col(k).segment(r.first, r.size);
        }
        row += r.size;
      }
    }
  }
  if (solver) {
    DenseCholesky llt(n);
    llt.compute(inverse_);
    M_.setIdentity(n, n);
    llt.solve_columns(M_);
  }
  return M_;
}

void SetProblem::add_mass(Index clique) {
  const Matrix* M = &block(clique);
  if (constrains(clique)) {
    const Matrix& Z = constraints_.basis(clique);
    reduced_ = Z.transpose() * *M * Z;
    M = &reduced_;
  }
  const Index first = place_[at(clique)], n = M->rows();
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
          size(contact.cliques[side])};
}

// The first `rows` of a contact.
void SetProblem::add_directions(const ContactSet& set, const FoundContact& contact, Index rows,
                                Index column) {
  for (Index row = 0; row < rows; ++row) {
    problem_.H.startVec(column + row);
    for (std::size_t side = 0; side < 2; ++side) {
      const Index clique = contact.cliques[side];
      if (clique < 0) continue;
      if (constrains(clique)) {
        part_ = constraints_.basis(clique).transpose() *
                directions(set, contact, side).row(row).transpose();
        for (Index j = 0; j < part_.size(); ++j) {
          problem_.H.insertBack(place_[at(clique)] + j, column + row) = part_(j);
        }
        continue;
      }
      for (Index j = 0; j < size(clique); ++j) {
        const Index entry = contact.first_entry[side] + j * contact.rows + row;
        problem_.H.insertBack(place_[at(clique)] + j, column + row) = set.entries[at(entry)];
      }
    }
  }
}

void SetProblem::add_laws(const ContactSet& set, double h) {
  problem_.blocks.clear();
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

// Where the normal force that bounds friction alone has its block; -1: there is none.
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

void SetProblem::restitute(const FoundContact& contact) {
  const UnilateralContact& law = model_.law(contact);
  const Index row = contact.first_row, n = contact.tangents;
  given_(row) = law.e_N * start_(row);
  given_.segment(row + 1, n) = law.e_T * start_.segment(row + 1, n);
  problem_.w.segment(row, 1 + n) += given_.segment(row, 1 + n);
}

void SetProblem::leave(const FoundContact& contact, double speed) {
  given_(contact.first_row) = speed;
  problem_.w(contact.first_row) += speed;
}

}  // namespace nsmb
