#include "nsmb/stepping/surface_problem.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

const Cliques& cliques_of(const System& system) {
  if (!system.cliques()) {
    reject("system", "one that knows its cliques, as models do", "another one");
  }
  if (system.nc() > 0) {
    reject("system", "shapes that touch anywhere without contacts of the description besides",
           "contact '" + system.contacts().front().name + "'");
  }
  if (system.nb() > 0) {
    reject("system", "shapes that touch anywhere without bilateral constraints",
           "constraint '" + system.constraints().front() + "'");
  }
  return *system.cliques();
}

}  // namespace

SurfaceProblem::SurfaceProblem(Mechanics& mechanics)
    : mechanics_(mechanics),
      finder_(*mechanics.system().contact_finder()),
      cliques_(cliques_of(mechanics.system())),
      place_(at(cliques_.count()), -1),
      unit_(Vector::Zero(mechanics.nu())) {}

Index SurfaceProblem::size(Index clique) const {
  Index size = 0;
  for (const VelocityRange& r : cliques_.members(clique)) size += r.size;
  return size;
}

void SurfaceProblem::assemble(const ContactSet& set, const ConstVectorRef& u_start,
                              const ConstVectorRef& u_free) {
  number_velocities(set);
  gather(u_start, u_start_);
  gather(u_free, u_free_);
  entries_.clear();
  for (const Index clique : touched_) add_mass(clique);
  problem_.M.setFromTriplets(entries_.begin(), entries_.end());
  problem_.H.resize(problem_.M.rows(), set.rows());
  problem_.H.reserve(static_cast<Index>(set.entries.size()));
  for (const FoundContact& contact : set.contacts) add_directions(set, contact);
  problem_.H.finalize();
  problem_.w = Eigen::Map<const Vector>(set.w_tilde.data(), set.rows());
  start_ = problem_.w + problem_.H.transpose() * u_start_;
  free_change_ = problem_.H.transpose() * (u_free_ - u_start_);
  given_.setZero(set.rows());
  add_laws(set);
}

void SurfaceProblem::number_velocities(const ContactSet& set) {
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
  Index n = 0;
  for (const Index clique : touched_) {
    place_[at(clique)] = n;
    n += size(clique);
  }
  problem_.M.resize(n, n);
  problem_.f.resize(n);
}

void SurfaceProblem::gather(const ConstVectorRef& u, Vector& part) const {
  part.resize(problem_.f.size());
  Index row = 0;
  for (const Index clique : touched_) {
    for (const VelocityRange& r : cliques_.members(clique)) {
      part.segment(row, r.size) = u.segment(r.first, r.size);
      row += r.size;
    }
  }
}

void SurfaceProblem::scatter(const Vector& v, VectorRef u) const {
  Index row = 0;
  for (const Index clique : touched_) {
    for (const VelocityRange& r : cliques_.members(clique)) {
      u.segment(r.first, r.size) = v.segment(row, r.size);
      row += r.size;
    }
  }
}

// M of a clique: from the entries of a system of few velocities, else by the inverse that its way
// to solve with M gives, so that no matrix of all velocities is put together.
Matrix& SurfaceProblem::block(Index clique) {
  const VelocityRanges& members = cliques_.members(clique);
  const Index n = size(clique);
  const MassSolver* solver = mechanics_.system().mass_solver();
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
  if (solver) M_ = inverse_.llt().solve(Matrix::Identity(n, n));
  return M_;
}

void SurfaceProblem::add_mass(Index clique) {
  const Matrix& M = block(clique);
  const Index first = place_[at(clique)], n = M.rows();
  problem_.f.segment(first, n).noalias() = M * u_free_.segment(first, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double entry = 0.5 * (M(i, j) + M(j, i));
      if (entry != 0.0) entries_.emplace_back(first + i, first + j, entry);
    }
  }
}

void SurfaceProblem::add_directions(const ContactSet& set, const FoundContact& contact) {
  for (Index row = 0; row < contact.rows; ++row) {
    const Index column = contact.first_row + row;
    problem_.H.startVec(column);
    for (std::size_t side = 0; side < 2; ++side) {
      const Index clique = contact.cliques[side];
      if (clique < 0) continue;
      for (Index j = 0; j < size(clique); ++j) {
        const Index entry = contact.first_entry[side] + j * contact.rows + row;
        problem_.H.insertBack(place_[at(clique)] + j, column) = set.entries[at(entry)];
      }
    }
  }
}

void SurfaceProblem::add_laws(const ContactSet& set) {
  problem_.blocks.clear();
  for (const FoundContact& contact : set.contacts) {
    const SurfaceLaw& law = finder_.surface_laws()[at(contact.law)];
    ContactBlock block;
    block.first = contact.first_row;
    block.rolling = law.mu_R > 0.0 ? 2 : 0;
    block.drilling = law.mu_D > 0.0 ? 1 : 0;
    block.mu = law.contact.mu;
    if (law.contact.curve) {
      block.mu = law.contact.curve->coefficient(start_.segment(contact.first_row + 1, 2).norm());
    }
    block.aspect = law.contact.aspect;
    block.mu_R = law.mu_R;
    block.mu_D = law.mu_D;
    problem_.blocks.push_back(block);
  }
}

void SurfaceProblem::restitute(const FoundContact& contact) {
  const UnilateralContact& law = finder_.surface_laws()[at(contact.law)].contact;
  const Index row = contact.first_row;
  given_(row) = law.e_N * start_(row);
  given_.segment(row + 1, 2) = law.e_T * start_.segment(row + 1, 2);
  problem_.w.segment(row, 3) += given_.segment(row, 3);
}

}  // namespace nsmb
