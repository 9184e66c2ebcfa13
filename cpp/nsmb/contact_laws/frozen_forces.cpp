#include "nsmb/contact_laws/frozen_forces.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

namespace {

// A row whose part independent of the rows before it is smaller than this counts as dependent.
constexpr double kIndependent = 1e-10;

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

}  // namespace

void choose_rows(const Matrix& G, const ContactStates& states, const Vector& mu,
                 const AccelerationResult& forces, FrozenRoles& roles) {
  const Index nc = mu.size();
  double largest = 0.0;
  for (Index i = 0; i < nc; ++i) {
    largest = std::max({largest, std::abs(forces.lambda_N(i)), std::abs(forces.lambda_T(i))});
  }
  struct Candidate {
    Index row;
    int rank;  // lower first
  };
  std::vector<Candidate> candidates;
  roles.assign(static_cast<std::size_t>(nc), FrozenRole{});
  for (Index i = 0; i < nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    role.state = states[static_cast<std::size_t>(i)];
    role.friction_sign = static_cast<std::int8_t>(slip_sign(role.state));
    if (!is_closed(role.state)) continue;
    if (!has_friction(G, mu, i)) role.friction_sign = 0;
    candidates.push_back({i, forces.lambda_N(i) > 1e-12 * largest ? 0 : 2});
    if (role.state != ContactState::Stick || !has_friction(G, mu, i)) continue;
    const double bound = mu(i) * forces.lambda_N(i);
    const bool at_limit = std::abs(forces.lambda_T(i)) >= (1.0 - 1e-9) * bound && bound > 0.0;
    candidates.push_back({nc + i, at_limit ? 3 : 1});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  IndependentRows rows(G);
  for (const Candidate& candidate : candidates) {
    const bool accepted = rows.try_accept(candidate.row);
    FrozenRole& role = roles[static_cast<std::size_t>(candidate.row % nc)];
    if (candidate.row < nc) {
      role.normal_row = accepted;
    } else if (accepted) {
      role.tangential_row = true;
    } else if (candidate.rank == 3) {
      // Carries its limit: λ_T = +μ λ_N means friction_sign = -1.
      role.friction_sign = forces.lambda_T(candidate.row - nc) > 0.0 ? -1 : 1;
    }
  }
}

bool is_tangentially_independent(const Matrix& G, const ContactStates& states, const Vector& mu,
                                 Index contact) {
  const Index nc = mu.size();
  IndependentRows rows(G);
  for (Index i = 0; i < nc; ++i) {
    if (is_closed(states[static_cast<std::size_t>(i)])) rows.try_accept(i);
  }
  for (Index i = 0; i < nc; ++i) {
    const bool sticks = states[static_cast<std::size_t>(i)] == ContactState::Stick;
    if (i != contact && sticks && has_friction(G, mu, i)) rows.try_accept(nc + i);
  }
  return rows.try_accept(nc + contact);
}

void constraint_rows(const FrozenRoles& roles, std::vector<Index>& rows) {
  const Index nc = static_cast<Index>(roles.size());
  rows.clear();
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].normal_row) rows.push_back(i);
  }
  for (Index i = 0; i < nc; ++i) {
    if (roles[static_cast<std::size_t>(i)].tangential_row) rows.push_back(nc + i);
  }
}

void assemble_frozen(const Matrix& G, const FrozenRoles& roles, const Vector& mu,
                     const std::vector<Index>& rows, MatrixRef A_R) {
  const Index nc = mu.size();
  const Index n = static_cast<Index>(rows.size());
  for (Index k = 0; k < n; ++k) {
    const Index column = rows[static_cast<std::size_t>(k)];
    double friction = 0.0;  // W_G μ̄_G (5.10)
    if (column < nc) {
      friction = -roles[static_cast<std::size_t>(column)].friction_sign * mu(column);
    }
    for (Index r = 0; r < n; ++r) {
      const Index row = rows[static_cast<std::size_t>(r)];
      A_R(r, k) = G(row, column);
      if (friction != 0.0) A_R(r, k) += friction * G(row, nc + column);
    }
  }
}

void scatter_forces(const FrozenRoles& roles, const Vector& mu, const std::vector<Index>& rows,
                    const ConstVectorRef& lambda_R, VectorRef lambda_N, VectorRef lambda_T) {
  const Index nc = mu.size();
  lambda_N.setZero();
  lambda_T.setZero();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index row = rows[k];
    const double value = lambda_R(static_cast<Index>(k));
    if (row >= nc) {
      lambda_T(row - nc) = value;
      continue;
    }
    lambda_N(row) = value;
    const int sign = roles[static_cast<std::size_t>(row)].friction_sign;
    if (sign != 0) lambda_T(row) = -sign * mu(row) * value;  // (5.7)
  }
}

}  // namespace nsmb
