#include "nsmb/simulation/jump.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

JumpMechanics::JumpMechanics(const System& system, const TransitionOptions& options)
    : mechanics(system),
      options_(options),
      solver_(options.friction, options.sliding_compression),
      result_(system.rows()),
      gamma_N_(system.nc()),
      gamma_T_(system.nt()) {}

void JumpMechanics::update(double t, const ConstVectorRef& y, const InstantDecisions& decisions) {
  mechanics.contacts.features = decisions.features;
  mechanics.update_contacts(t, y);
}

void JumpMechanics::velocities(const ConstVectorRef& u, VectorRef gamma) const {
  const ContactKinematics& c = mechanics.contacts;
  const Index nc = mechanics.nc();
  gamma.head(nc) = c.w_tilde_N;
  gamma.head(nc).noalias() += c.W_N.transpose() * u;
  gamma.tail(mechanics.nt()) = c.w_tilde_T;
  gamma.tail(mechanics.nt()).noalias() += c.W_T.transpose() * u;
}

bool JumpMechanics::impulses(const Matrix& G, const ConstVectorRef& gamma,
                             const std::vector<Index>& participants, const Vector* resolution,
                             ImpactCourse course, VectorRef Lambda) {
  gamma_N_ = gamma.head(mechanics.nc());
  gamma_T_ = gamma.tail(mechanics.nt());
  const ImpactProblem problem{
      mechanics.rows(),    G,      gamma_N_,  gamma_T_, mechanics.laws, participants,
      &options_.expansion, course, resolution};
  solve_impact(law_of(options_.impact_law, course), problem, solver_, result_);
  Lambda.head(mechanics.nc()) = result_.Lambda_N;
  Lambda.tail(mechanics.nt()) = result_.Lambda_T;
  return result_.status == LcpStatus::Solved;
}

Jump::Jump(const System& system, const TransitionOptions& options)
    : base(system, options),
      correction_(system.nu()),
      gamma_B_(system.nb()),
      resolution_(system.rows().size()),
      u_plus_(system.nu()),
      dgamma_(system.rows().size()),
      dLambda_(dgamma_),
      plus_(dgamma_),
      minus_(dgamma_),
      trial_(dgamma_),
      dG_(dgamma_.size(), dgamma_.size()),
      G_trial_(dG_) {}

void Jump::trace(double t, const ConstVectorRef& y, const InstantDecisions& decisions) {
  const System& system = base.mechanics.system();
  decisions_ = &decisions;
  base.update(t, y, decisions);
  base.mechanics.rounding.forget_impulses();
  u_plus_ = y.segment(system.nq(), system.nu());
  count_ = 0;
  smooth_ = true;
  for (const ImpactCourse course : decisions.impacts) {
    if (count_ == impacts_.size()) impacts_.emplace_back();
    if (!trace(impacts_[count_++], course)) smooth_ = false;
  }
}

// Solve the impact as the motion has done, with velocities below their resolution as zero.
bool Jump::trace(Impact& impact, ImpactCourse course) {
  Mechanics& here = base.mechanics;
  const ContactRows& rows = here.rows();
  impact.course = course;
  impact.u = u_plus_;
  impact.gamma.resize(dgamma_.size());
  impact.Lambda.resize(dgamma_.size());
  base.velocities(impact.u, impact.gamma);
  here.measure_rounding(impact.u);
  here.velocity_resolutions(base.rest_velocity(), resolution_);
  const bool solved = base.impulses(here.delassus.G, impact.gamma, decisions_->touching,
                                    &resolution_, course, impact.Lambda);
  impact.struck = base.result().struck;
  impact.speed = 0.0;
  for (const Index i : impact.struck) {
    impact.speed = std::max(impact.speed, std::abs(impact.gamma(i)));
    for (Index d = 0; d < rows.dim(i); ++d) {
      impact.speed = std::max(impact.speed, std::abs(impact.gamma(rows.row(i) + d)));
    }
  }
  for (Index row = 0; row < impact.gamma.size(); ++row) {
    if (std::abs(impact.gamma(row)) <= resolution_(row)) impact.gamma(row) = 0.0;
  }
  here.add_impulses(base.result().Lambda_N, base.result().Lambda_T);
  u_plus_.noalias() += here.delassus.Minv_W * impact.Lambda;
  return solved;
}

// Compute the change of γ at u with du, and with the system.
void Jump::velocity_change(JumpMechanics* plus, JumpMechanics* minus, double distance,
                           const Vector& u, const ConstVectorRef& du) {
  dgamma_.noalias() = base.mechanics.delassus.W.transpose() * du;
  if (!plus) return;
  plus->velocities(u, plus_);
  minus->velocities(u, minus_);
  dgamma_ += (plus_ - minus_) / distance;
}

// Differentiate Λ along the change of γ, and of G if the system changes. Both belong together where
// contacts depend on each other. Return false if the slopes on both sides differ.
bool Jump::impulse_change(const Impact& impact, bool turns, double step, bool last) {
  const Matrix& G = base.mechanics.delassus.G;
  bool solved = true;
  const auto solve = [&](double part, Vector& Lambda) {
    trial_ = impact.gamma + part * dgamma_;
    if (turns) G_trial_ = G + part * dG_;
    solved = base.impulses(turns ? G_trial_ : G, trial_, impact.struck, nullptr, impact.course,
                           Lambda) &&
             solved;
  };
  solve(step, plus_);
  solve(-step, minus_);
  dLambda_ = (plus_ - minus_) / (2.0 * step);
  const double bend = (plus_ + minus_ - 2.0 * impact.Lambda).cwiseAbs().maxCoeff();
  const double move = (plus_ - minus_).cwiseAbs().maxCoeff();
  const double rounding = resolutions::kImpulse * impact.Lambda.cwiseAbs().maxCoeff();
  const bool smooth = solved && bend <= derivatives::kImpulseEdge * move + rounding;
  if (last && !smooth) smooth_ = false;
  return smooth;
}

void Jump::impulse_change(const Impact& impact, bool turns, double longest) {
  const double rate = dgamma_.cwiseAbs().maxCoeff();
  dLambda_.setZero();
  if (rate == 0.0 && !turns) return;
  double reach = rate > 0.0 ? impact.speed / rate : longest;
  for (const Index i : impact.struck) {
    // An approach must remain one, however slow it is compared with the slip.
    if (impact.gamma(i) < 0.0) reach = std::min(reach, -impact.gamma(i) / std::abs(dgamma_(i)));
  }
  const auto part = [&](double of) { return rate > 0.0 ? std::min(of * reach, longest) : longest; };
  if (turns || base.mechanics.rows().spatial) {
    impulse_change(impact, turns, part(derivatives::kCurvedVelocityStep), true);
  } else if (!impulse_change(impact, turns, part(derivatives::kLargeVelocityStep), false)) {
    impulse_change(impact, turns, part(derivatives::kSmallVelocityStep), true);
  }
}

// Bilateral constraints also hold for neighbouring motions: γ_B = 0 at all velocities.
void Jump::keep_constraints(JumpMechanics* plus, JumpMechanics* minus, double distance,
                            VectorRef du) {
  Mechanics& here = base.mechanics;
  if (here.nb() == 0) return;
  gamma_B_.noalias() = here.bilateral.kinematics.W.transpose() * du;
  here.bilateral.correction(gamma_B_, correction_);
  du += correction_;
  if (!plus) return;
  plus->mechanics.bilateral.correction(plus->mechanics.bilateral.gamma, correction_);
  du += correction_ / distance;
  minus->mechanics.bilateral.correction(minus->mechanics.bilateral.gamma, correction_);
  du -= correction_ / distance;
}

void Jump::change(JumpMechanics* plus, JumpMechanics* minus, double distance, VectorRef du) {
  const Delassus& delassus = base.mechanics.delassus;
  const bool turns = plus != nullptr;
  if (turns) dG_ = (plus->mechanics.delassus.G - minus->mechanics.delassus.G) / distance;
  const double longest = turns ? 0.5 * std::abs(distance) : std::numeric_limits<double>::infinity();
  keep_constraints(plus, minus, distance, du);
  for (std::size_t k = 0; k < count_; ++k) {
    const Impact& impact = impacts_[k];
    velocity_change(plus, minus, distance, impact.u, du);
    // For neighbouring motions γ of a closed contact is also zero before the first impact.
    for (std::size_t row = 0; k == 0 && row < decisions_->held.size(); ++row) {
      if (decisions_->held[row]) dgamma_(static_cast<Index>(row)) = 0.0;
    }
    impulse_change(impact, turns && dG_.any(), longest);
    if (plus) {
      du.noalias() += plus->mechanics.delassus.Minv_W * impact.Lambda / distance;
      du.noalias() -= minus->mechanics.delassus.Minv_W * impact.Lambda / distance;
    }
    // Add the change of the laws themselves, which is zero between two states of the same system.
    if (plus && &plus->mechanics.system() != &minus->mechanics.system()) {
      plus->impulses(delassus.G, impact.gamma, impact.struck, nullptr, impact.course, plus_);
      minus->impulses(delassus.G, impact.gamma, impact.struck, nullptr, impact.course, minus_);
      dLambda_ += (plus_ - minus_) / distance;
    }
    du.noalias() += delassus.Minv_W * dLambda_;
  }
  velocity_change(plus, minus, distance, u_plus_, du);
  rest(du);
}

// Enforce γ = 0 for the resting rows by the smallest step in the kinetic metric.
void Jump::rest(VectorRef du) {
  const std::vector<Index>& rows = decisions_->resting;
  if (rows.empty()) return;
  const Delassus& delassus = base.mechanics.delassus;
  const Index n = static_cast<Index>(rows.size());
  RowSolver& solver = row_solvers_.try_emplace(rows.size(), n).first->second;
  for (Index i = 0; i < n; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    solver.gamma(i) = dgamma_(row);
    for (Index j = 0; j < n; ++j) {
      solver.G(i, j) = delassus.G(row, rows[static_cast<std::size_t>(j)]);
    }
  }
  solver.ldlt.compute(solver.G);
  solver.ldlt.solve(solver.gamma);
  for (Index i = 0; i < n; ++i) {
    du -= delassus.Minv_W.col(rows[static_cast<std::size_t>(i)]) * solver.gamma(i);
  }
}

}  // namespace nsmb
