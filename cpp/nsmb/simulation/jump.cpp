#include "nsmb/simulation/jump.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

namespace {

// Impulses are linear in γ piece by piece: a large step for few digits lost, and a small one where
// the next piece is near. With friction discs they are curved.
constexpr double kLargeStep = 1e-3;
constexpr double kSmallStep = 1e-6;
constexpr double kCurvedStep = 1e-5;
// Slopes to both sides that differ by more, relatively, belong to two pieces.
constexpr double kEdge = 1e-6;
constexpr double kCurvedEdge = 1e-2;

}  // namespace

JumpMechanics::JumpMechanics(const System& system, const TransitionOptions& options)
    : mechanics(system),
      options_(options),
      solver_(options.friction),
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

bool JumpMechanics::impulses(const ConstVectorRef& gamma, const InstantDecisions& decisions,
                             bool without_collision, VectorRef Lambda) {
  gamma_N_ = gamma.head(mechanics.nc());
  gamma_T_ = gamma.tail(mechanics.nt());
  const ImpactLaw law = without_collision && options_.impact_law == ImpactLaw::Newton
                            ? ImpactLaw::Poisson
                            : options_.impact_law;
  const ImpactProblem problem{
      mechanics.rows(),   mechanics.delassus.G, gamma_N_,         gamma_T_, mechanics.laws,
      decisions.touching, &options_.expansion,  without_collision};
  solve_impact(law, problem, solver_, result_);
  Lambda.head(mechanics.nc()) = result_.Lambda_N;
  Lambda.tail(mechanics.nt()) = result_.Lambda_T;
  return result_.status == LcpStatus::Solved;
}

Jump::Jump(const System& system, const TransitionOptions& options)
    : base(system, options),
      u_plus_(system.nu()),
      dgamma_(system.rows().size()),
      dLambda_(dgamma_),
      plus_(dgamma_),
      minus_(dgamma_),
      trial_(dgamma_) {}

// One column of ∂Λ/∂γ; false: the slopes to both sides differ.
bool Jump::differentiate(Impact& impact, Index row, double step) {
  trial_ = impact.gamma;
  trial_(row) = impact.gamma(row) + step;
  if (!base.impulses(trial_, *decisions_, impact.without_collision, plus_)) return false;
  trial_(row) = impact.gamma(row) - step;
  if (!base.impulses(trial_, *decisions_, impact.without_collision, minus_)) return false;
  impact.Lambda_gamma.col(row) = (plus_ - minus_) / (2.0 * step);
  const double size = impact.Lambda.cwiseAbs().maxCoeff() / impact.gamma.cwiseAbs().maxCoeff();
  const double slope = impact.Lambda_gamma.col(row).cwiseAbs().maxCoeff() + size;
  const double bend = (plus_ + minus_ - 2.0 * impact.Lambda).cwiseAbs().maxCoeff();
  const bool curved = base.mechanics.rows().spatial;
  // A small step sees the rounding of the impulses, too.
  const double rounding = 1e-12 * impact.Lambda.cwiseAbs().maxCoeff();
  return bend <= (curved ? kCurvedEdge : kEdge) * slope * step + rounding;
}

bool Jump::differentiate(Impact& impact) {
  impact.Lambda_gamma.setZero(impact.gamma.size(), impact.gamma.size());
  const ContactRows& rows = base.mechanics.rows();
  double size = 0.0;
  for (const Index i : decisions_->touching) {
    size = std::max(size, std::abs(impact.gamma(i)));
    for (Index d = 0; d < rows.dim(i); ++d)
      size = std::max(size, std::abs(impact.gamma(rows.row(i) + d)));
  }
  bool smooth = true;
  const auto column = [&](Index row) {
    // Beside this motion γ of a contact that was closed is zero as well.
    if (decisions_->held[static_cast<std::size_t>(row)]) return;
    if (rows.spatial) {
      smooth = differentiate(impact, row, kCurvedStep * size) && smooth;
    } else if (!differentiate(impact, row, kLargeStep * size)) {
      smooth = differentiate(impact, row, kSmallStep * size) && smooth;
    }
  };
  for (const Index i : decisions_->touching) {
    column(i);
    for (Index d = 0; d < rows.dim(i); ++d) column(rows.row(i) + d);
  }
  return smooth;
}

bool Jump::trace(double t, const ConstVectorRef& y, const InstantDecisions& decisions) {
  const System& system = base.mechanics.system();
  decisions_ = &decisions;
  base.update(t, y, decisions);
  u_plus_ = y.segment(system.nq(), system.nu());
  count_ = 0;
  bool smooth = true;
  for (const bool without_collision : decisions.impacts) {
    if (count_ == impacts_.size()) impacts_.emplace_back();
    Impact& impact = impacts_[count_++];
    impact.without_collision = without_collision;
    impact.u = u_plus_;
    impact.gamma.resize(dgamma_.size());
    impact.Lambda.resize(dgamma_.size());
    base.velocities(impact.u, impact.gamma);
    if (!base.impulses(impact.gamma, decisions, without_collision, impact.Lambda)) return false;
    smooth = differentiate(impact) && smooth;
    u_plus_.noalias() += base.mechanics.delassus.Minv_W * impact.Lambda;
  }
  return smooth;
}

void Jump::change(JumpMechanics* plus, JumpMechanics* minus, double distance, VectorRef du) {
  const Delassus& delassus = base.mechanics.delassus;
  const auto velocity_change = [&](const Vector& u) {
    dgamma_.noalias() = delassus.W.transpose() * du;
    if (!plus) return;
    plus->velocities(u, plus_);
    minus->velocities(u, minus_);
    dgamma_ += (plus_ - minus_) / distance;
  };
  for (std::size_t k = 0; k < count_; ++k) {
    const Impact& impact = impacts_[k];
    velocity_change(impact.u);
    dLambda_.noalias() = impact.Lambda_gamma * dgamma_;
    if (plus) {
      plus->impulses(impact.gamma, *decisions_, impact.without_collision, plus_);
      minus->impulses(impact.gamma, *decisions_, impact.without_collision, minus_);
      dLambda_ += (plus_ - minus_) / distance;
      du.noalias() += plus->mechanics.delassus.Minv_W * impact.Lambda / distance;
      du.noalias() -= minus->mechanics.delassus.Minv_W * impact.Lambda / distance;
    }
    du.noalias() += delassus.Minv_W * dLambda_;
  }
  velocity_change(u_plus_);
  rest(du, dgamma_);
}

// γ = 0 of what rests, by the smallest step in the kinetic metric.
void Jump::rest(VectorRef du, const ConstVectorRef& dgamma) {
  const std::vector<Index>& rows = decisions_->resting;
  if (rows.empty()) return;
  const Delassus& delassus = base.mechanics.delassus;
  const Index n = static_cast<Index>(rows.size());
  RowSolver& solver = row_solvers_.try_emplace(rows.size(), n).first->second;
  for (Index i = 0; i < n; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    solver.gamma(i) = dgamma(row);
    for (Index j = 0; j < n; ++j) {
      solver.G(i, j) = delassus.G(row, rows[static_cast<std::size_t>(j)]);
    }
  }
  solver.ldlt.compute(solver.G);
  solver.ldlt.solveInPlace(solver.gamma);
  for (Index i = 0; i < n; ++i) {
    du -= delassus.Minv_W.col(rows[static_cast<std::size_t>(i)]) * solver.gamma(i);
  }
}

}  // namespace nsmb
