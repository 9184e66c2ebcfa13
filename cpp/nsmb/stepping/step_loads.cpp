#include "nsmb/stepping/step_loads.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/linear_system.hpp"

namespace nsmb {

using namespace tolerances;

std::vector<std::vector<Index>> loaded_cliques(const System& system, const Cliques& cliques) {
  std::vector<std::vector<Index>> loaded;
  if (system.free_motion() && system.cliques()) {
    loaded = system.free_motion()->loaded();
  } else {
    loaded.emplace_back(at(cliques.count()));
    std::iota(loaded.front().begin(), loaded.front().end(), Index{0});
  }
  // No interface tells which loads a state belongs to.
  if (system.nx() > 0 && loaded.size() > 1) {
    std::vector<Index> all;
    for (const std::vector<Index>& group : loaded)
      all.insert(all.end(), group.begin(), group.end());
    std::sort(all.begin(), all.end());
    loaded = {all};
  }
  return loaded;
}

StepLoads::StepLoads(Mechanics& mechanics, ForceParts& parts, StepInertia& inertia,
                     std::vector<std::vector<Index>> loaded)
    : mechanics_(mechanics),
      forces_(mechanics, &parts),
      inertia_(inertia),
      rates_(mechanics.nu() + mechanics.system().nx()),
      others_(rates_.size()),
      change_(mechanics.nu()),
      state_change_(mechanics.system().nx()),
      direction_(mechanics.nu()),
      q_step_(mechanics.nq()) {
  const LinearForm* form = mechanics.system().linear_form();
  is_linear_ = form && mechanics.system().nx() == 0 && mechanics.system().ne() == 0;
  for (std::vector<Index>& cliques : loaded) {
    if (cliques.empty()) continue;
    Group& group = groups_.emplace_back();
    group.unit = inertia.unit_of(cliques.front());
    group.velocities = inertia.velocities_of(group.unit);
  }
}

void StepLoads::evaluate(double t, const ConstVectorRef& y) { forces_.evaluate(t, y, rates_); }

void StepLoads::linearise(double t, double h, const ConstVectorRef& y) {
  const Index nu = mechanics_.nu(), nx = mechanics_.system().nx();
  change_ = h * rates_.head(nu);
  mechanics_.mass.solve(change_);
  state_change_ = h * rates_.tail(nx);
  if (groups_.empty()) return;
  if (!is_linear_) {
    inertia_.take_mass();
    for (const Group& group : groups_) inertia_.mass(group.unit);  // before differences move it
    differ(t, h, y);
    inertia_.leave();
  } else if (h != h_) {
    const LinearForm& form = *mechanics_.system().linear_form();
    inertia_.take_mass();
    groups_.front().J = form.M + middle::kPlace * h * (form.D + middle::kPlace * h * form.K);
    take(groups_.front());
  }
  h_ = h;
  for (Group& group : groups_) {
    if (!group.is_taken) continue;
    const auto n = static_cast<Index>(group.velocities.size());
    part_.resize(n + nx);
    solved_.resize(n + nx);
    for (Index k = 0; k < n; ++k) part_(k) = h * rates_(group.velocities[at(k)]);
    part_.tail(nx) = h * rates_.tail(nx);
    group.lu.solve_to(part_, solved_);
    for (Index k = 0; k < n; ++k) change_(group.velocities[at(k)]) = solved_(k);
    state_change_ = solved_.tail(nx);
  }
}

// Compute finite differences, one column of all groups at a time.
void StepLoads::differ(double t, double h, const ConstVectorRef& y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu(), nx = mechanics_.system().nx();
  const double share = middle::kPlace * h;
  const auto u = y.segment(nq, nu);
  const double usual = std::max(u.cwiseAbs().maxCoeff(), change_.cwiseAbs().maxCoeff());
  Index most = 0;
  for (Group& group : groups_) {
    const auto n = static_cast<Index>(group.velocities.size());
    group.J.setZero(n + nx, n + nx);
    group.distances.resize(n);
    most = std::max(most, n);
  }
  for (Index j = 0; j < most; ++j) {
    direction_.setZero();
    y_ = y;
    for (Group& group : groups_) {
      if (j >= static_cast<Index>(group.velocities.size())) continue;
      const Index k = group.velocities[at(j)];
      const double scale = std::max({std::abs(u(k)), std::abs(change_(k)), 1e-3 * usual});
      group.distances(j) = stepping::kDifference * (scale > 0.0 ? scale : 1.0);
      y_(nq + k) += group.distances(j);
      direction_(k) = share * group.distances(j);
    }
    mechanics_.coordinate_rates(t, y.head(nq), direction_, q_step_);
    y_.head(nq) += q_step_;
    forces_.evaluate(t, y_, others_);
    for (Group& group : groups_) {
      const auto n = static_cast<Index>(group.velocities.size());
      if (j >= n) continue;
      const double factor = -share / group.distances(j);
      for (Index i = 0; i < n; ++i) {
        const Index k = group.velocities[at(i)];
        group.J(i, j) = factor * (others_(k) - rates_(k));
      }
      group.J.col(j).tail(nx) = factor * (others_ - rates_).tail(nx);
    }
  }
  for (Index j = 0; j < nx; ++j) {
    Group& group = groups_.front();
    const auto n = static_cast<Index>(group.velocities.size());
    const double scale = std::max(std::abs(y(nq + nu + j)), std::abs(state_change_(j)));
    const double distance = stepping::kDifference * (scale > 0.0 ? scale : 1.0);
    y_ = y;
    y_(nq + nu + j) += distance;
    forces_.evaluate(t, y_, others_);
    for (Index i = 0; i < n; ++i) {
      const Index k = group.velocities[at(i)];
      group.J(i, n + j) = -share / distance * (others_(k) - rates_(k));
    }
    group.J.col(n + j).tail(nx) = -share / distance * (others_ - rates_).tail(nx);
  }
  for (Group& group : groups_) {
    const auto n = static_cast<Index>(group.velocities.size());
    group.J.topLeftCorner(n, n) += inertia_.mass(group.unit);
    group.J.diagonal().tail(nx).array() += 1.0;
    take(group);
  }
}

void StepLoads::take(Group& group) {
  const auto n = static_cast<Index>(group.velocities.size());
  const Index nx = group.J.rows() - n;
  group.is_taken = false;
  if (!group.J.allFinite()) return;
  group.lu.compute(group.J);
  if (!group.lu.is_regular()) return;
  group.of_velocities = group.J.topLeftCorner(n, n);
  if (nx > 0) {
    group.effect.resize(nx, n);
    group.lu_of_states.compute(group.J.bottomRightCorner(nx, nx));
    if (!group.lu_of_states.is_regular()) return;
    group.lu_of_states.solve_columns_to(-group.J.bottomLeftCorner(nx, n), group.effect);
    group.of_velocities.noalias() += group.J.topRightCorner(n, nx) * group.effect;
  }
  const Matrix A = 0.5 * (group.of_velocities + group.of_velocities.transpose());
  group.is_taken = inertia_.take(group.unit, A);
  if (!group.is_taken) return;
  const Matrix skew = group.of_velocities - A;
  group.is_symmetric = skew.norm() <= middle::kSymmetric * A.norm();
  if (group.is_symmetric) return;
  group.lu_of_velocities.compute(group.of_velocities);
  group.llt.compute(A);
}

bool StepLoads::are_symmetric() const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [](const Group& group) { return !group.is_taken || group.is_symmetric; });
}

bool StepLoads::correct(const ConstVectorRef& forces) {
  bool any = false;
  for (Group& group : groups_) {
    if (!group.is_taken || group.is_symmetric) continue;
    const auto n = static_cast<Index>(group.velocities.size());
    part_.resize(n);
    solved_.resize(n);
    for (Index k = 0; k < n; ++k) part_(k) = forces(group.velocities[at(k)]);
    if (part_.isZero(0.0)) continue;
    group.lu_of_velocities.solve_to(part_, solved_);
    group.llt.solve(part_);
    for (Index k = 0; k < n; ++k) change_(group.velocities[at(k)]) += solved_(k) - part_(k);
    any = true;
  }
  return any;
}

void StepLoads::follow(const ConstVectorRef& du, VectorRef dx) {
  dx.setZero();
  if (dx.size() == 0 || groups_.empty() || !groups_.front().is_taken) return;
  const Group& group = groups_.front();
  const auto n = static_cast<Index>(group.velocities.size());
  part_.resize(n);
  for (Index k = 0; k < n; ++k) part_(k) = du(group.velocities[at(k)]);
  dx = group.effect * part_;
}

}  // namespace nsmb
