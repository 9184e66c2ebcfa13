#include "nsmb/simulation/law_check.hpp"

#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

LawCheck::LawCheck(Mechanics& mechanics, const FrictionOptions& friction)
    : mechanics_(mechanics),
      solver_(friction),
      result_(mechanics.rows()),
      roles_(static_cast<std::size_t>(mechanics.nc()), ContactRole::Absent),
      difference_(mechanics.nu()) {}

void LawCheck::freeze(const FrozenRoles& roles) {
  result_.lambda_N = last_N_ = roles.lambda_N;
  result_.lambda_T = last_T_ = roles.lambda_T;
  is_warm_ = true;
}

void LawCheck::ask(const FrozenRoles& roles, bool warm) {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    const ContactState state = roles[c].state;
    const bool sticks = state == ContactState::Stick;
    const bool has_force = sticks ? mechanics_.can_stick(i) : !mechanics_.is_frictionless(i);
    roles_[c] = !is_closed(state)      ? ContactRole::Absent
                : !has_force           ? ContactRole::Frictionless
                : sticks               ? ContactRole::Candidate
                : slip_sign(state) > 0 ? ContactRole::SlidesPositive
                                       : ContactRole::SlidesNegative;
  }
  const AccelerationProblem problem{
      mechanics_.rows(), mechanics_.delassus.G,     mechanics_.free_N, mechanics_.free_T,
      mechanics_.mu,     mechanics_.contacts.bound, mechanics_.laws,   roles_,
      roles.friction};
  solve_acceleration_law(problem, solver_, result_, warm);
  // Forces of another trial step may be a bad starting point.
  if (warm && result_.status != LcpStatus::Solved) {
    solve_acceleration_law(problem, solver_, result_);
  }
  is_warm_ = result_.status == LcpStatus::Solved;
}

bool LawCheck::gives_state(const FrozenRoles& roles) const {
  if (result_.status != LcpStatus::Solved) return false;
  const ContactRows& rows = mechanics_.rows();
  const auto tolerance = [&](Index row) {
    return slip_in_a_plane::kLawMargin * mechanics_.acceleration_resolution(row, result_);
  };
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (!is_closed(roles[c].state)) continue;
    if (rows.is_unilateral(i) && result_.gammadot_N(i) > tolerance(i)) return false;
    if (roles_[c] != ContactRole::Candidate) continue;
    for (Index d = 0; d < rows.dim(i); ++d) {
      const double rate = result_.gammadot_T(rows.tangent(i) + d);
      if (std::abs(rate) > tolerance(rows.row(i) + d)) return false;
    }
  }
  return true;
}

bool LawCheck::lasts(const ConstVectorRef& u, const FrozenRoles& roles, bool is_dependent,
                     FrozenSolution& solution) {
  mechanics_.measure_rounding(u);
  bool lasts = gives_state(roles);
  if (!lasts && !roles.law_forces) {
    ask(roles, false);
    lasts = gives_state(roles);
  }
  if (lasts || moves_alike(solution.udot)) {
    last_N_ = result_.lambda_N;
    last_T_ = result_.lambda_T;
  } else if (!is_dependent) {
    return false;
  }
  solution.lambda_N = last_N_;
  solution.lambda_T = last_T_;
  return lasts;
}

// Return true if the forces of the law cause the same accelerations as those of the frozen state.
// They do not if the law jumps to another solution.
bool LawCheck::moves_alike(const Vector& udot) {
  if (result_.status != LcpStatus::Solved) return false;
  difference_ = mechanics_.Minv_h - udot;
  mechanics_.delassus.add_accelerations(result_.lambda_N, result_.lambda_T, difference_);
  return mechanics_.kinetic_energy(difference_) <= slip_in_a_plane::kAlike *
                                                       slip_in_a_plane::kAlike *
                                                       mechanics_.kinetic_energy(mechanics_.Minv_h);
}

}  // namespace nsmb
