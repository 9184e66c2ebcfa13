#include "nsmb/contact_laws/frozen_forces.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

namespace {

// A row whose part independent of the rows before it is smaller than this counts as dependent.
constexpr double kIndependent = 1e-10;
constexpr double kIndependentForce = 1e-8;

bool has_friction(const Matrix& G, const Vector& mu, Index contact) {
  const Index t = mu.size() + contact;
  return mu(contact) > 0.0 && G(t, t) > 0.0;
}

// The column of A_R that belongs to a force, over the equations `rows`.
void fill_column(const Matrix& G, const FrozenRoles& roles, const Vector& mu,
                 const std::vector<Index>& rows, Index force, VectorRef column) {
  const Index nc = mu.size();
  double friction = 0.0;  // W_G μ̄_G (5.10)
  if (force < nc) friction = -roles[static_cast<std::size_t>(force)].friction_sign * mu(force);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double& value = column(static_cast<Index>(r));
    value = G(rows[r], force);
    if (friction != 0.0) value += friction * G(rows[r], nc + force);
  }
}

}  // namespace

RowSelection::RowSelection(Index nc)
    : factor_(2 * nc, 2 * nc),
      trial_(2 * nc),
      basis_(2 * nc, 2 * nc),
      column_(2 * nc),
      projection_(2 * nc) {
  const std::size_t n = static_cast<std::size_t>(2 * nc);
  accepted_.reserve(n);
  candidates_.reserve(n);
  rows_.reserve(n);
}

// Greedy Cholesky of G over the accepted rows.
bool RowSelection::try_accept(const Matrix& G, Index row) {
  double rest = G(row, row);
  const Index n = static_cast<Index>(accepted_.size());
  for (Index k = 0; k < n; ++k) {
    const double known = factor_.row(k).head(k).dot(trial_.head(k));
    const double value = (G(row, accepted_[static_cast<std::size_t>(k)]) - known) / factor_(k, k);
    trial_(k) = value;
    rest -= value * value;
  }
  if (!(rest > kIndependent * G(row, row))) return false;
  factor_.row(n).head(n) = trial_.head(n).transpose();
  factor_(n, n) = std::sqrt(rest);
  accepted_.push_back(row);
  return true;
}

// Kept in order: there are few of them.
void RowSelection::add_candidate(const Candidate& candidate) {
  auto place = candidates_.end();
  while (place != candidates_.begin()) {
    const Candidate& before = *(place - 1);
    if (before.rank < candidate.rank) break;
    if (before.rank == candidate.rank && before.margin >= candidate.margin) break;
    --place;
  }
  candidates_.insert(place, candidate);
}

// The forces the states allow, in the order in which they are wanted; sets the friction signs.
void RowSelection::list_candidates(const Matrix& G, const Vector& mu,
                                   const AccelerationResult& forces,
                                   const std::vector<bool>& exhausted, FrozenRoles& roles) {
  const Index nc = mu.size();
  candidates_.clear();
  double largest = 0.0;
  for (Index i = 0; i < nc; ++i) {
    largest = std::max({largest, std::abs(forces.lambda_N(i)), std::abs(forces.lambda_T(i))});
  }
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (!is_closed(role.state)) continue;
    const bool loaded = forces.lambda_N(i) > 1e-12 * largest;
    const bool rough = has_friction(G, mu, i);
    role.friction_sign = static_cast<std::int8_t>(rough ? slip_sign(role.state) : 0);
    const Rank normal_rank = loaded                                   ? kLoaded
                             : exhausted[static_cast<std::size_t>(i)] ? kExhausted
                                                                      : kUnloaded;
    add_candidate({i, normal_rank, 0.0});
    if (role.state != ContactState::Stick || !rough) continue;
    const double bound = mu(i) * forces.lambda_N(i);
    const double margin = bound - std::abs(forces.lambda_T(i));
    const bool at_limit = loaded && margin <= 1e-9 * bound;
    const bool idle = std::abs(forces.lambda_T(i)) <= 1e-12 * largest;
    // Carries its limit: λ_T = +μ λ_N means friction_sign = -1.
    if (at_limit) role.friction_sign = forces.lambda_T(i) > 0.0 ? -1 : 1;
    const Rank rank = !loaded    ? kUnloadedFriction
                      : at_limit ? kAtLimit
                      : idle     ? kIdleFriction
                                 : kFriction;
    add_candidate({nc + i, rank, margin});
  }
}

void RowSelection::choose(const Matrix& G, const ContactStates& states, const Vector& mu,
                          const AccelerationResult& forces, const std::vector<bool>& exhausted,
                          FrozenRoles& roles) {
  const Index nc = mu.size();
  roles.assign(static_cast<std::size_t>(nc), FrozenRole{});
  clear();
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    role.state = states[static_cast<std::size_t>(i)];
    if (is_closed(role.state)) role.normal_row = try_accept(G, i);
  }
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (role.state != ContactState::Stick || !has_friction(G, mu, i)) continue;
    role.tangential_row = try_accept(G, nc + i);
  }
  frozen_rows(roles, rows_);
  const Index n = static_cast<Index>(rows_.size());

  // As many forces with independent effects on these rows, by Gram and Schmidt, twice.
  list_candidates(G, mu, forces, exhausted, roles);
  auto column = column_.head(n);
  Index found = 0;
  for (const Candidate& candidate : candidates_) {
    if (found == n) break;
    fill_column(G, roles, mu, rows_, candidate.force, column);
    const double size = column.norm();
    const auto basis = basis_.topLeftCorner(n, found);
    for (int pass = 0; pass < 2; ++pass) {
      projection_.head(found).noalias() = basis.transpose() * column;
      column.noalias() -= basis * projection_.head(found);
    }
    const double rest = column.norm();
    if (!(rest > kIndependentForce * size)) continue;
    basis_.col(found++).head(n) = column / rest;
    FrozenRole& role = roles[static_cast<std::size_t>(candidate.force % nc)];
    (candidate.force < nc ? role.normal_force : role.tangential_force) = true;
  }
}

bool RowSelection::is_independent(const Matrix& G, const std::vector<bool>& hold, Index row) {
  clear();
  for (Index i = 0; i < G.rows(); ++i) {
    if (i != row && hold[static_cast<std::size_t>(i)]) try_accept(G, i);
  }
  return try_accept(G, row);
}

bool RowSelection::are_independent(const Matrix& G, const std::vector<bool>& hold) {
  clear();
  for (Index i = 0; i < G.rows(); ++i) {
    if (hold[static_cast<std::size_t>(i)] && !try_accept(G, i)) return false;
  }
  return true;
}

void frozen_rows(const FrozenRoles& roles, std::vector<Index>& rows) {
  const Index nc = static_cast<Index>(roles.size());
  rows.clear();
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].normal_row) rows.push_back(i);
  }
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].tangential_row) rows.push_back(nc + i);
  }
}

void frozen_forces(const FrozenRoles& roles, std::vector<Index>& forces) {
  const Index nc = static_cast<Index>(roles.size());
  forces.clear();
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].normal_force) forces.push_back(i);
  }
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].tangential_force) forces.push_back(nc + i);
  }
}

void assemble_frozen(const Matrix& G, const FrozenRoles& roles, const Vector& mu,
                     const std::vector<Index>& rows, const std::vector<Index>& forces,
                     MatrixRef A_R) {
  for (std::size_t k = 0; k < forces.size(); ++k) {
    fill_column(G, roles, mu, rows, forces[k], A_R.col(static_cast<Index>(k)));
  }
}

void scatter_forces(const FrozenRoles& roles, const Vector& mu, const std::vector<Index>& forces,
                    const ConstVectorRef& lambda_K, VectorRef lambda_N, VectorRef lambda_T) {
  const Index nc = mu.size();
  lambda_N.setZero();
  lambda_T.setZero();
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Index force = forces[k];
    const double value = lambda_K(static_cast<Index>(k));
    if (force >= nc) {
      lambda_T(force - nc) += value;
      continue;
    }
    lambda_N(force) = value;
    const int sign = roles[static_cast<std::size_t>(force)].friction_sign;
    if (sign != 0) lambda_T(force) -= sign * mu(force) * value;  // (5.7)
  }
}

}  // namespace nsmb
