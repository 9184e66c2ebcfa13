#include "nsmb/stepping/force_stepping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

namespace {

void check_laws(const System& system) {
  for (const ContactDescription& contact : system.contacts()) {
    for (const auto& [name, value] : {std::pair<const char*, double>{"e_N", contact.law.e_N},
                                      std::pair<const char*, double>{"e_T", contact.law.e_T}}) {
      if (value == 0.0) continue;
      reject("contact '" + contact.name + "': " + name,
             "0, because nsmb.PositionForces and nsmb.VelocityForces have no restitution",
             to_text(value) + ". Set " + name + "=0, or use nsmb.Midpoint.");
    }
  }
}

}  // namespace

ForceStepping::ForceStepping(Mechanics& mechanics, const TimeSteppingOptions& options)
    : mechanics_(mechanics),
      options_(options),
      of_rates_(finds_rates(options.scheme)),
      place_(mechanics, options.gap_tolerance),
      main_(mechanics, main_method(options)),
      laws_(mechanics, options_, of_rates_ ? 1.0 : options.mixing),
      Lambda_N_(Vector::Zero(mechanics.nc())),
      Lambda_T_(Vector::Zero(mechanics.nt())),
      lambda_N_(Lambda_N_),
      lambda_T_(Lambda_T_) {
  check_laws(mechanics.system());
  const RungeKuttaMethod map = map_method(options.scheme);
  if (map != main_method(options)) other_ = std::make_unique<RungeKuttaStep>(mechanics, map);
}

void ForceStepping::forget() {
  lambda_N_.setZero();
  lambda_T_.setZero();
}

void ForceStepping::remember_as(const Stepper& other) {
  const auto& from = static_cast<const ForceStepping&>(other);
  lambda_N_ = from.lambda_N_;
  lambda_T_ = from.lambda_T_;
}

// The outer iteration of (5.5) starts with the forces of the last step. It alternates between the
// motion under the last forces, the laws at its end, and the forces of the linearised laws.
void ForceStepping::step(const RunState& from, double h, StepOutcome& out) {
  begin(from, h, out);
  for (long k = 0;; ++k) {
    if (!move(out)) return;
    if (defect_ <= allowed_ || k == options_.max_outer) break;
    improve(out);
  }
  if (defect_ > allowed_ && least_ < defect_) {
    Lambda_N_ = best_N_;
    Lambda_T_ = best_T_;
    if (!move(out)) return;
  }
  tell(h, out);
}

void ForceStepping::begin(const RunState& from, double h, StepOutcome& out) {
  out.begin(from);
  h_ = h;
  t_end_ = from.t + h;
  mechanics_.elements.modes = from.modes;
  mechanics_.contacts.features = from.features;
  laws_.begin(h);
  least_ = std::numeric_limits<double>::infinity();
  if (of_rates_ || mechanics_.system().feature_search()) place_.look(from.t, from.y, out.end);
  if (of_rates_) {
    for (const Index i : place_.touching()) laws_.take(i);
  }
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    // A contact that was pressed counts as closed regardless of drift. Its law has left no gap, or
    // no rate on velocity level.
    if (lambda_N_(i) > 0.0) laws_.take(i);
    if (std::binary_search(laws_.contacts().begin(), laws_.contacts().end(), i)) continue;
    lambda_N_(i) = 0.0;
    const ContactRows& rows = mechanics_.rows();
    lambda_T_.segment(rows.tangent(i), rows.dim(i)).setZero();
  }
  Lambda_N_ = h * lambda_N_;
  Lambda_T_ = h * lambda_T_;
  main_.begin(from.t, h, from.y);
  if (other_) other_->begin(from.t, h, from.y);
}

// Advance to the end reached by the main integrator. Return false if it has no finite values.
bool ForceStepping::move(StepOutcome& out) {
  lambda_N_ = Lambda_N_ / h_;
  lambda_T_ = Lambda_T_ / h_;
  main_.run(lambda_N_, lambda_T_);
  out.end.y = main_.end();
  out.end.t = t_end_;
  if (!out.end.y.allFinite()) return false;
  place_.look(t_end_, out.end.y, out.end);
  const bool fewer = laws_.look(Lambda_N_, Lambda_T_);
  const bool more = !of_rates_ && laws_.take_forbidden();
  defect_ =
      more || fewer ? std::numeric_limits<double>::infinity() : laws_.defect(Lambda_N_, Lambda_T_);
  allowed_ = laws_.allowed(Lambda_N_, Lambda_T_, out.end.y.head(mechanics_.nq()));
  if (defect_ < least_) {
    least_ = defect_;
    best_N_ = Lambda_N_;
    best_T_ = Lambda_T_;
  }
  return true;
}

void ForceStepping::improve(StepOutcome& out) {
  const std::vector<Index>& rows = laws_.find_rows();
  if (other_) other_->run(lambda_N_, lambda_T_);
  RungeKuttaStep& map = other_ ? *other_ : main_;
  map.find_map(rows);
  laws_.linearise(map.W_q(), map.W_u());
  laws_.solve(Lambda_N_, Lambda_T_);
  out.problems += laws_.impulses().problems;
  ++out.iterations;
}

void ForceStepping::tell(double h, StepOutcome& out) {
  out.residual = laws_.largest() > 0.0 ? defect_ / laws_.largest() : 0.0;
  if (!(defect_ <= allowed_)) {
    const bool none = laws_.impulses().unsolved || !std::isfinite(defect_);
    out.verdict = none ? StepVerdict::Unsolved : StepVerdict::Missed;
    out.residual = std::isfinite(defect_) ? out.residual : 1.0;
    laws_.list_missed(allowed_, out.missed);
  }
  out.Lambda_N = Lambda_N_;
  out.Lambda_T = Lambda_T_;
  out.Lambda_B = h * main_.sums().lambda_B;
  laws_.decide(Lambda_N_, out.end.states);
  // λᵀ∫γ dt over the stages. For normal forces this is λ_N (g_{n+1} - g_n).
  const StageSums& mean = main_.sums();
  add_impulse_work(mechanics_.contacts, mechanics_.rows(), laws_.contacts(), Lambda_N_, Lambda_T_,
                   {mean.gamma_N, mean.gamma_T, mean.gamma_N, mean.gamma_T}, out);
  if (mechanics_.nb() > 0) {
    out.drive_work -= out.Lambda_B.dot(mechanics_.bilateral.kinematics.w_tilde);
  }
  out.u_free = out.end.y.segment(mechanics_.nq(), mechanics_.nu());
  place_.settle_modes(out.end.t, out.end.y, out.end.modes);
  place_walls(mechanics_, out.end.t, out.end.modes, out.end.y);
}

}  // namespace nsmb
