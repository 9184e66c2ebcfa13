// Selection of conditions and forces of dependent contacts.
#include <algorithm>
#include <cmath>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kInverseIterations = 3;

}  // namespace

RowSelection::RowSelection(const ContactRows& rows, const Cliques* cliques)
    : contact_rows_(rows), joined_(rows, cliques), column_(rows.size()), projection_(rows.size()) {
  const std::size_t n = static_cast<std::size_t>(rows.size());
  accepted_.reserve(n);
  candidates_.reserve(n);
  rows_.reserve(n);
  if (cliques) return;
  groups_.resize(1);
  Group& whole = groups_.front();
  for (Matrix* matrix : {&whole.factor, &whole.basis}) matrix->resize(rows.size(), rows.size());
  whole.trial.resize(rows.size());
  whole.accepted.reserve(n);
  whole.equations.reserve(n);
  sizes_.assign(1, rows.size());
}

void RowSelection::clear() {
  accepted_.clear();
  for (Group& group : groups_) group.accepted.clear();
}

// Find groups, and provide storage for all rows of these contacts.
void RowSelection::find_groups(const std::vector<Index>& contacts) {
  joined_.find(contacts);
  const auto count = static_cast<std::size_t>(joined_.count());
  sizes_.assign(count, 0);
  for (const Index i : contacts) {
    sizes_[static_cast<std::size_t>(joined_.of(i))] += 1 + contact_rows_.dim(i);
  }
  if (groups_.size() < count) groups_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    Group& group = groups_[k];
    if (group.trial.size() >= sizes_[k]) continue;
    for (Matrix* matrix : {&group.factor, &group.basis}) matrix->resize(sizes_[k], sizes_[k]);
    group.trial.resize(sizes_[k]);
  }
}

template <typename StateOf>
void RowSelection::find_closed_groups(const StateOf& state_of, std::size_t count) {
  if (joined_.is_whole()) return;
  contacts_.clear();
  for (std::size_t c = 0; c < count; ++c) {
    if (is_closed(state_of(c))) contacts_.push_back(static_cast<Index>(c));
  }
  find_groups(contacts_);
}

// Find the groups of `row` and of the held rows.
void RowSelection::find_held_groups(const std::vector<bool>& hold, Index row) {
  if (joined_.is_whole()) return;
  contacts_.clear();
  for (Index i = 0; i < contact_rows_.nc; ++i) {
    bool any = hold[static_cast<std::size_t>(i)] || i == row;
    for (Index d = 0; d < contact_rows_.dim(i); ++d) {
      const Index g = contact_rows_.row(i) + d;
      any = any || hold[static_cast<std::size_t>(g)] || g == row;
    }
    if (any) contacts_.push_back(i);
  }
  find_groups(contacts_);
}

// Return the reliable independent part of G(row, row), by greedy Cholesky of G over the accepted
// rows. The pivots of rows that were nearly dependent themselves are small differences, so their
// rounding is subtracted.
double RowSelection::independent_part(const Matrix& G, Index row) {
  Group& group = group_of(row);
  const Matrix& factor = group.factor;
  double rest = G(row, row), rounding = 0.0;
  const Index n = static_cast<Index>(group.accepted.size());
  for (Index k = 0; k < n; ++k) {
    const Index before = group.accepted[static_cast<std::size_t>(k)];
    const double known = factor.row(k).head(k).dot(group.trial.head(k));
    const double value = (G(row, before) - known) / factor(k, k);
    group.trial(k) = value;
    rest -= value * value;
    rounding += value * value * G(before, before) / (factor(k, k) * factor(k, k));
  }
  return rest - dependence::kPivotRounding * rounding;
}

bool RowSelection::try_accept(const Matrix& G, Index row) {
  const double rest = independent_part(G, row);
  if (!(rest > dependence::kIndependentRow * G(row, row))) return false;
  Group& group = group_of(row);
  const Index n = static_cast<Index>(group.accepted.size());
  group.factor.row(n).head(n) = group.trial.head(n).transpose();
  group.factor(n, n) = std::sqrt(rest);
  group.accepted.push_back(row);
  accepted_.push_back(row);
  return true;
}

// Insert in order. The list is short.
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

// List the forces that the states allow, in the order of preference. Mark contacts at their bound.
void RowSelection::list_candidates(const AccelerationProblem& p, const AccelerationResult& forces,
                                   const std::vector<bool>& exhausted, FrozenRoles& roles) {
  candidates_.clear();
  double largest = 0.0;
  for (const Vector* force : {&forces.lambda_N, &forces.lambda_T}) {
    if (force->size() > 0) largest = std::max(largest, force->cwiseAbs().maxCoeff());
  }
  for (Index i = 0; i < p.rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    FrozenRole& role = roles[c];
    if (!is_closed(role.state)) continue;
    role.at_bound = is_slip(role.state) && has_friction(p.rows, p.laws, i);
    if (p.rows.is_unilateral(i)) {
      const bool loaded = forces.lambda_N(i) > 1e-12 * largest;
      // Forces of the normal rows come first, since these contacts do not approach one another
      // soon.
      const double apart = role.normal_row ? 1.0 : 0.0;
      const bool slight = forces.lambda_N(i) <= dependence::kSlightLoad * largest;
      const Rank rank = !loaded  ? (exhausted[c] ? kExhausted : kUnloaded)
                        : slight ? kSlightlyLoaded
                                 : kLoaded;
      add_candidate({i, i, rank, apart});
    }
    if (role.state != ContactState::Stick || !can_stick(p.rows, p.G, p.laws, i)) continue;
    const double radius = forces.radius(i);
    const Index dim = p.rows.dim(i);
    const auto lambda_T = forces.lambda_T.segment(p.rows.tangent(i), dim);
    const double size = dim == 1 ? std::abs(lambda_T(0)) : lambda_T.norm();
    const bool loaded = radius > 1e-12 * p.mu(i) * largest;
    const double margin = radius - size;
    const bool at_limit = dim == 1 && loaded && margin <= 1e-9 * radius;
    if (at_limit) {
      role.at_bound = true;
      roles.friction(p.rows.tangent(i)) = lambda_T(0) > 0.0 ? 1.0 : -1.0;
    }
    const bool idle = size <= 1e-12 * largest;
    const Rank rank = !loaded    ? kUnloadedFriction
                      : at_limit ? kAtLimit
                      : idle     ? kIdleFriction
                                 : kFriction;
    for (Index d = 0; d < dim; ++d) add_candidate({p.rows.row(i) + d, i, rank, margin});
  }
}

// Choose the normal rows of the closed contacts. Of dependent rows, those of the most distant
// contacts are taken, because points that converge during the state must not be the only ones. For
// two points of a body with normals n, det G = (distance across n)²/(m J). The independent part of
// a row is thus the square of their distance over m J G_ii.
void RowSelection::choose_normal_rows(const ContactRows& rows, const Matrix& G,
                                      FrozenRoles& roles) {
  const auto is_candidate = [&](Index i) {
    return is_closed(roles[static_cast<std::size_t>(i)].state) && rows.is_unilateral(i);
  };
  bool all = true;
  for (Index i = 0; i < rows.nc; ++i) {
    if (!is_candidate(i)) continue;
    roles[static_cast<std::size_t>(i)].normal_row = try_accept(G, i);
    all = all && roles[static_cast<std::size_t>(i)].normal_row;
  }
  if (all) return;
  for (FrozenRole& role : roles.contacts) role.normal_row = false;
  const auto furthest = [&] {
    Index best = -1;
    double largest = 0.0;
    for (Index i = 0; i < rows.nc; ++i) {
      if (!is_candidate(i) || roles[static_cast<std::size_t>(i)].normal_row) continue;
      const double rest = independent_part(G, i);
      if (!(rest > dependence::kIndependentRow * G(i, i))) continue;
      // Rounding must not decide between equal parts.
      if (best >= 0 && rest <= largest * (1.0 + dependence::kEqualParts)) continue;
      largest = rest;
      best = i;
    }
    return best;
  };
  // Start from the contact that is farthest from an arbitrary one, as it lies at an end.
  clear();
  Index next = furthest();
  if (next >= 0 && try_accept(G, next)) {
    const Index end = furthest();
    if (end >= 0) next = end;
    clear();
  }
  for (; next >= 0 && try_accept(G, next); next = furthest()) {
    roles[static_cast<std::size_t>(next)].normal_row = true;
  }
}

bool RowSelection::renew(const ContactRows& rows, const Matrix& G, FrozenRoles& roles) {
  before_.resize(roles.size());
  for (std::size_t c = 0; c < roles.size(); ++c) before_[c] = roles[c].normal_row;
  find_closed_groups([&](std::size_t c) { return roles[c].state; }, roles.size());
  clear();
  choose_normal_rows(rows, G, roles);
  bool changed = false;
  Index more = 0;
  for (std::size_t c = 0; c < roles.size(); ++c) {
    more += (roles[c].normal_row ? 1 : 0) - (before_[c] ? 1 : 0);
    changed = changed || roles[c].normal_row != before_[c];
  }
  if (changed && more == 0) return true;
  for (std::size_t c = 0; c < roles.size(); ++c) roles[c].normal_row = before_[c];
  return false;
}

// Return true if all rows together are nearly dependent, although each row has an independent part.
// The least eigenvalue of G of the accepted rows, scaled to length one, is found by inverse
// iteration.
bool RowSelection::hardly_independent() {
  for (Group& group : groups_) {
    const Index n = static_cast<Index>(group.accepted.size());
    if (n < 2) continue;
    const auto L = group.factor.topLeftCorner(n, n).triangularView<Eigen::Lower>();
    const auto size = [&](Index k) { return group.factor.row(k).head(k + 1).norm(); };
    auto x = group.trial.head(n);
    // The start vector has no symmetry.
    for (Index k = 0; k < n; ++k) x(k) = 1.0 + 0.1 * std::sin(static_cast<double>(k * k + 1));
    for (int i = 0; i < kInverseIterations; ++i) {
      x /= x.norm();
      for (Index k = 0; k < n; ++k) x(k) *= size(k);
      L.solveInPlace(x);
      L.transpose().solveInPlace(x);
      for (Index k = 0; k < n; ++k) x(k) *= size(k);
    }
    if (dependence::kHardlyIndependent * x.norm() > 1.0) return true;
  }
  return false;
}

void RowSelection::choose_rows(const AccelerationProblem& p, const ContactStates& states,
                               FrozenRoles& roles) {
  find_closed_groups([&](std::size_t c) { return states[c]; }, states.size());
  clear();
  for (Index i = 0; i < p.rows.nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    role.state = states[static_cast<std::size_t>(i)];
  }
  choose_normal_rows(p.rows, p.G, roles);
  for (Index i = 0; i < p.rows.nc; ++i) {
    FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (role.state != ContactState::Stick) continue;
    if (!can_stick(p.rows, p.G, p.laws, i)) continue;
    roles.ask_law = roles.ask_law || p.rows.spatial;
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      role.tangential_row[static_cast<std::size_t>(d)] = try_accept(p.G, p.rows.row(i) + d);
    }
  }
  roles.is_weak = p.rows.spatial && hardly_independent();
  // Normal rows depend on others, and friction reveals the distribution of the load.
  bool slides = false, dependent = false;
  for (Index i = 0; i < p.rows.nc; ++i) {
    const FrozenRole& role = roles[static_cast<std::size_t>(i)];
    if (!is_closed(role.state)) continue;
    slides = slides || (is_slip(role.state) && has_friction(p.rows, p.laws, i));
    dependent = dependent || (p.rows.is_unilateral(i) && !role.normal_row);
  }
  // Without friction it does not, but the forces of the law remain valid longer than those of few
  // contacts.
  roles.law_forces = p.rows.spatial && slides && dependent;
  roles.ask_law = roles.ask_law || (p.rows.spatial && dependent);
  // Two-dimensional slip that starts at rest has γ_T = 0 at its start, too.
  roles.entry_rows = accepted_;
  for (Index i = 0; i < p.rows.nc; ++i) {
    if (!roles[static_cast<std::size_t>(i)].from_rest) continue;
    for (Index d = 0; d < p.rows.dim(i); ++d) {
      if (try_accept(p.G, p.rows.row(i) + d)) roles.entry_rows.push_back(p.rows.row(i) + d);
    }
  }
}

void RowSelection::choose(const AccelerationProblem& p, const ContactStates& states,
                          const AccelerationResult& forces, const std::vector<bool>& exhausted,
                          const std::vector<bool>& from_rest, FrozenRoles& roles) {
  roles.contacts.assign(static_cast<std::size_t>(p.rows.nc), FrozenRole{});
  for (std::size_t c = 0; c < from_rest.size(); ++c) roles[c].from_rest = from_rest[c];
  roles.friction = p.friction;
  roles.lambda_N = forces.lambda_N;
  roles.lambda_T = forces.lambda_T;
  roles.ask_law = roles.law_forces = roles.is_weak = false;
  choose_rows(p, states, roles);
  frozen_rows(p.rows, roles, rows_);
  const Index n = static_cast<Index>(rows_.size());

  // Find as many forces with independent effects on these rows, by Gram-Schmidt with one
  // repetition.
  list_candidates(p, forces, exhausted, roles);
  for (Group& group : groups_) {
    group.equations.clear();
    group.found = 0;
  }
  for (const Index row : rows_) group_of(row).equations.push_back(row);
  Index found = 0;
  double least = dependence::kIndependentForce;
  for (const bool last : {false, true}) {
    for (const bool unsupported : {false, true}) {
      for (const Candidate& candidate : candidates_) {
        if (found == n) return;
        if (is_unsupported(p, candidate, roles) != unsupported) continue;
        if (!try_force(p, candidate, least, roles)) continue;
        ++found;
        roles.is_weak = roles.is_weak || last;
      }
    }
    if (!last) least = dependence::kLeastForce;
  }
}

// Friction of a contact whose normal force is not an unknown has no bound.
bool RowSelection::is_unsupported(const AccelerationProblem& p, const Candidate& candidate,
                                  const FrozenRoles& roles) const {
  const Index normal = p.rows.normal_of(candidate.contact);
  const bool is_friction = candidate.force >= p.rows.nc;
  return is_friction && normal >= 0 && p.bound(candidate.contact) == 0.0 &&
         !roles[static_cast<std::size_t>(normal)].normal_force;
}

// Accept a force if its effect on the rows is independent of those found so far by more than
// `least`.
bool RowSelection::try_force(const AccelerationProblem& p, const Candidate& candidate, double least,
                             FrozenRoles& roles) {
  FrozenRole& role = roles[static_cast<std::size_t>(candidate.contact)];
  const Index d = candidate.force - p.rows.row(candidate.contact);
  bool& taken = candidate.force < p.rows.nc ? role.normal_force
                                            : role.tangential_force[static_cast<std::size_t>(d)];
  if (taken) return false;
  Group& group = group_of(candidate.force);
  const Index n = static_cast<Index>(group.equations.size());
  if (group.found == n) return false;
  Index& found = group.found;
  auto column = column_.head(n);
  frozen_column(p.rows, p.G, roles, p.mu, group.equations, candidate.force, column);
  const double size = column.norm();
  const auto basis = group.basis.topLeftCorner(n, found);
  for (int pass = 0; pass < 2; ++pass) {
    projection_.head(found).noalias() = basis.transpose() * column;
    column.noalias() -= basis * projection_.head(found);
  }
  const double rest = column.norm();
  if (!(rest > least * size)) return false;
  group.basis.col(found).head(n) = column / rest;
  ++found;
  taken = true;
  return true;
}

bool RowSelection::is_independent(const Matrix& G, const std::vector<bool>& hold, Index row) {
  find_held_groups(hold, row);
  clear();
  for (Index i = 0; i < G.rows(); ++i) {
    if (i != row && hold[static_cast<std::size_t>(i)]) try_accept(G, i);
  }
  return try_accept(G, row);
}

bool RowSelection::are_independent(const Matrix& G, const std::vector<bool>& hold) {
  find_held_groups(hold, -1);
  clear();
  for (Index i = 0; i < G.rows(); ++i) {
    if (hold[static_cast<std::size_t>(i)] && !try_accept(G, i)) return false;
  }
  return true;
}

}  // namespace nsmb
