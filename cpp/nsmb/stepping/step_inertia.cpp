#include "nsmb/stepping/step_inertia.hpp"

#include <algorithm>

#include "nsmb/system/free_bodies.hpp"

namespace nsmb {

StepInertia::StepInertia(Mechanics& mechanics, const Cliques& cliques,
                         const std::vector<std::vector<Index>>& joined)
    : mechanics_(mechanics),
      cliques_(cliques),
      unit_of_(at(cliques.count()), -1),
      place_(unit_of_.size()),
      clique_size_(unit_of_.size()),
      unit_velocity_(Vector::Zero(mechanics.nu())) {
  std::vector<Index> first(at(cliques.count()));  // the clique that represents a unit
  for (Index c = 0; c < cliques.count(); ++c) first[at(c)] = c;
  for (const std::vector<Index>& together : joined) {
    const Index least = *std::min_element(together.begin(), together.end());
    for (const Index c : together) first[at(c)] = least;
  }
  std::vector<Index> of_velocity(at(mechanics.nu()));
  for (Index k = 0; k < mechanics.nu(); ++k) of_velocity[at(k)] = first[at(cliques.of_velocity(k))];
  units_ = Cliques(of_velocity, {});
  cliques_of_.resize(at(units_.count()));
  velocities_.resize(cliques_of_.size());
  size_.assign(cliques_of_.size(), 0);
  A_.resize(cliques_of_.size());
  masses_.resize(cliques_of_.size());
  for (Index c = 0; c < cliques.count(); ++c) {
    const Index unit = units_.of_velocity(cliques.members(c).front().first);
    unit_of_[at(c)] = unit;
    cliques_of_[at(unit)].push_back(c);
    place_[at(c)] = size_[at(unit)];
    for (const VelocityRange& r : cliques.members(c)) {
      clique_size_[at(c)] += r.size;
      for (Index k = r.first; k < r.first + r.size; ++k) velocities_[at(unit)].push_back(k);
    }
    size_[at(unit)] += clique_size_[at(c)];
  }
  find_constant_units();
}

// Bodies whose centre of mass is the origin of their frame have a constant M.
void StepInertia::find_constant_units() {
  const System& system = mechanics_.system();
  for (Mass& mass : masses_) mass.is_constant = system.constant_mass_matrix();
  if (!system.free_bodies()) return;
  for (const FreeBody& body : *system.free_bodies()) {
    const Index unit = units_.of_velocity(body.u);
    if (body.center.isZero(0.0) && size(unit) == 6) masses_[at(unit)].is_constant = true;
  }
}

void StepInertia::gather(Index unit, const ConstVectorRef& u, Vector& part) const {
  const std::vector<Index>& own = velocities_[at(unit)];
  part.resize(size(unit));
  for (std::size_t k = 0; k < own.size(); ++k) part(static_cast<Index>(k)) = u(own[k]);
}

void StepInertia::scatter(Index unit, const Vector& part, VectorRef u) const {
  const std::vector<Index>& own = velocities_[at(unit)];
  for (std::size_t k = 0; k < own.size(); ++k) u(own[k]) = part(static_cast<Index>(k));
}

void StepInertia::take_mass() {
  for (Matrix& A : A_) A.resize(0, 0);
}

bool StepInertia::take(Index unit, const Matrix& A) {
  llt_.compute(A);
  if (!A.allFinite() || !llt_.is_definite()) return false;
  A_[at(unit)] = A;
  return true;
}

bool StepInertia::is_loaded() const {
  return std::any_of(A_.begin(), A_.end(), [](const Matrix& A) { return A.size() > 0; });
}

const Matrix& StepInertia::block(Index unit) {
  return !uses_mass_ && A_[at(unit)].size() > 0 ? A_[at(unit)] : mass(unit);
}

void StepInertia::know_as(const StepInertia& other) {
  for (std::size_t unit = 0; unit < masses_.size(); ++unit) {
    const Mass& known = other.masses_[unit];
    if (known.is_constant && known.place > 0) masses_[unit] = known;
  }
}

void StepInertia::stand(double t, const ConstVectorRef& q) {
  t_ = t;
  q_ = q;
  mechanics_.mass.factorise(t, q);
  stands_ = true;
  ++places_;
}

const Matrix& StepInertia::mass(Index unit) {
  Mass& known = masses_[at(unit)];
  if (known.place == places_ || (known.is_constant && known.place > 0)) return known.M;
  if (!stands_) mechanics_.mass.factorise(t_, q_);
  stands_ = true;
  known.M.setZero(size(unit), size(unit));
  for (const Index clique : cliques_of(unit)) add_mass_of(clique, known.M);
  known.place = places_;
  return known.M;
}

// Copy M from its entries in systems with few velocities. Otherwise invert the block of M⁻¹ that
// the mass solver gives, so that no matrix of all velocities is assembled.
void StepInertia::add_mass_of(Index clique, Matrix& whole) {
  const VelocityRanges& members = cliques_.members(clique);
  const Index n = clique_size(clique), first = place(clique);
  const MassSolver* solver = mechanics_.nb() == 0 ? mechanics_.system().mass_solver() : nullptr;
  auto M = whole.block(first, first, n, n);
  inverse_.resize(n, n);
  Index column = 0;
  for (const VelocityRange& c : members) {
    for (Index k = c.first; k < c.first + c.size; ++k, ++column) {
      if (solver) {
        for (const VelocityRange& r : members) unit_velocity_.segment(r.first, r.size).setZero();
        unit_velocity_(k) = 1.0;
        solver->solve_mass(clique, unit_velocity_, mechanics_.work());
      }
      Index row = 0;
      for (const VelocityRange& r : members) {
        if (solver) {
          inverse_.col(column).segment(row, r.size) = unit_velocity_.segment(r.first, r.size);
        } else {
          M.col(column).segment(row, r.size) =
              mechanics_.mass.entries().col(k).segment(r.first, r.size);
        }
        row += r.size;
      }
    }
  }
  if (!solver) return;
  llt_.compute(inverse_);
  M_.setIdentity(n, n);
  llt_.solve_columns(M_);
  M = M_;
}

}  // namespace nsmb
