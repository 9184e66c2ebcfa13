#include "nsmb/contact_laws/frozen_forces.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

namespace {

// A row whose part independent of the rows before it is smaller than this counts as dependent.
constexpr double kIndependent = 1e-10;
constexpr double kIndependentForce = 1e-8;

// Order in which forces are taken as unknowns.
enum Rank { kLoaded, kFriction, kIdleFriction, kUnloaded, kUnloadedFriction, kAtLimit, kExhausted };

bool has_friction(const Matrix& G, const Vector& mu, Index contact) {
  const Index t = mu.size() + contact;
  return mu(contact) > 0.0 && G(t, t) > 0.0;
}

// Greedy Cholesky of G over the accepted rows.
class IndependentRows {
 public:
  explicit IndependentRows(const Matrix& G) : G_(G) {}

  /// Accept `row` if it is independent of those accepted so far.
  bool try_accept(Index row) {
    Vector l = Vector::Zero(static_cast<Index>(factors_.size()));
    double rest = G_(row, row);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Index n = static_cast<Index>(k);
      const double value =
          (G_(row, rows_[k]) - factors_[k].head(n).dot(l.head(n))) / factors_[k](n);
      l(n) = value;
      rest -= value * value;
    }
    if (!(rest > kIndependent * G_(row, row))) return false;
    Vector factor(l.size() + 1);
    factor.head(l.size()) = l;
    factor(l.size()) = std::sqrt(rest);
    rows_.push_back(row);
    factors_.push_back(std::move(factor));
    return true;
  }

 private:
  const Matrix& G_;
  std::vector<Index> rows_;
  std::vector<Vector> factors_;
};

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

struct Candidate {
  Index force;
  Rank rank;            // lower first
  double margin = 0.0;  // friction left, larger first
};

// The forces the states allow, in the order in which they are wanted; sets the friction signs.
std::vector<Candidate> list_candidates(const Matrix& G, const Vector& mu,
                                       const AccelerationResult& forces,
                                       const std::vector<bool>& exhausted, FrozenRoles& roles) {
  const Index nc = mu.size();
  double largest = 0.0;
  for (Index i = 0; i < nc; ++i) {
    largest = std::max({largest, std::abs(forces.lambda_N(i)), std::abs(forces.lambda_T(i))});
  }
  std::vector<Candidate> candidates;
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (!is_closed(role.state)) continue;
    const bool loaded = forces.lambda_N(i) > 1e-12 * largest;
    const bool rough = has_friction(G, mu, i);
    role.friction_sign = static_cast<std::int8_t>(rough ? slip_sign(role.state) : 0);
    candidates.push_back({i, loaded                                   ? kLoaded
                             : exhausted[static_cast<std::size_t>(i)] ? kExhausted
                                                                      : kUnloaded});
    if (role.state != ContactState::Stick || !rough) continue;
    const double bound = mu(i) * forces.lambda_N(i);
    const double margin = bound - std::abs(forces.lambda_T(i));
    const bool at_limit = loaded && margin <= 1e-9 * bound;
    // Carries its limit: λ_T = +μ λ_N means friction_sign = -1.
    if (at_limit) role.friction_sign = forces.lambda_T(i) > 0.0 ? -1 : 1;
    const bool idle = std::abs(forces.lambda_T(i)) <= 1e-12 * largest;
    const Rank rank = !loaded    ? kUnloadedFriction
                      : at_limit ? kAtLimit
                      : idle     ? kIdleFriction
                                 : kFriction;
    candidates.push_back({nc + i, rank, margin});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.rank != b.rank ? a.rank < b.rank : a.margin > b.margin;
                   });
  return candidates;
}

}  // namespace

void choose_rows(const Matrix& G, const ContactStates& states, const Vector& mu,
                 const AccelerationResult& forces, const std::vector<bool>& exhausted,
                 FrozenRoles& roles) {
  const Index nc = mu.size();
  roles.assign(static_cast<std::size_t>(nc), FrozenRole{});
  IndependentRows independent(G);
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    role.state = states[static_cast<std::size_t>(i)];
    if (is_closed(role.state)) role.normal_row = independent.try_accept(i);
  }
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (role.state != ContactState::Stick || !has_friction(G, mu, i)) continue;
    role.tangential_row = independent.try_accept(nc + i);
  }
  std::vector<Index> rows;
  frozen_rows(roles, rows);
  const Index n = static_cast<Index>(rows.size());

  // As many forces with independent effects on these rows, by Gram and Schmidt.
  Matrix basis(n, n);
  Vector column(n);
  Index found = 0;
  for (const Candidate& candidate : list_candidates(G, mu, forces, exhausted, roles)) {
    if (found == n) break;
    fill_column(G, roles, mu, rows, candidate.force, column);
    const double size = column.norm();
    for (int pass = 0; pass < 2; ++pass) {
      column -= basis.leftCols(found) * (basis.leftCols(found).transpose() * column);
    }
    if (!(column.norm() > kIndependentForce * size)) continue;
    basis.col(found++) = column.normalized();
    FrozenRole& role = roles[static_cast<std::size_t>(candidate.force % nc)];
    (candidate.force < nc ? role.normal_force : role.tangential_force) = true;
  }
}

bool is_independent(const Matrix& G, const std::vector<bool>& hold, Index row) {
  IndependentRows rows(G);
  for (Index i = 0; i < G.rows(); ++i) {
    if (i != row && hold[static_cast<std::size_t>(i)]) rows.try_accept(i);
  }
  return rows.try_accept(row);
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
