#include "nsmb/complementarity/friction_proximal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using namespace tolerances;

class ProximalRun {
 public:
  ProximalRun(const ContactSystem& system, const ProximalOptions& options, FrictionJudge& judge,
              ContactFactors& factors, VelocityScratch& scratch)
      : p_(system), o_(options), judge_(judge), f_(factors), s_(scratch), rho_(options.rho) {}

  bool run(const Vector& x);

 private:
  bool step();
  void choose_rho(bool converged, double gain);
  void polish();

  const ContactSystem& p_;
  const ProximalOptions& o_;
  FrictionJudge& judge_;
  ContactFactors& f_;
  VelocityScratch& s_;
  double rho_, growth_ = proximal_tuning::kGrowth, steep_ = proximal_tuning::kSteep;
  int steps_ = 0;  // Newton steps in the last step
};

// Return false if Newton's method has not converged; everything is then unchanged.
bool ProximalRun::step() {
  ++judge_.result().outer_iterations;
  s_.v_before = s_.v;
  const double target = std::clamp(proximal_tuning::kInner * judge_.residual(),
                                   proximal_tuning::kFinest, proximal_tuning::kCoarsest);
  steps_ = run_velocity_newton(p_, {.rho = rho_, .target = target}, judge_, f_, s_);
  if (steps_ < 0) {
    s_.v = s_.v_before;
    return false;
  }
  s_.center = s_.r;
  judge_.offer(s_.r, SparseFrictionMethod::Newton);
  return true;
}

// Choose ρ after a step that has reduced the residual by the factor `gain`. If convergence is fast,
// ρ is kept: a larger ρ costs digits, and where these are used up a smaller one is needed. If only
// impulses that depend on each other change, only a large ρ leads to the next change of a contact
// state.
void ProximalRun::choose_rho(bool converged, double gain) {
  const bool gets_on = gain < proximal_tuning::kProgress;
  if (!converged) {
    rho_ *= 0.5;
    growth_ = std::max(proximal_tuning::kSlowGrowth, std::sqrt(growth_));
    steep_ = std::max(proximal_tuning::kGrowth, std::sqrt(steep_));
  } else if (gain < proximal_tuning::kFast) {
    return;
  } else if (steps_ == 0 && gain > 1.0 && rho_ > proximal_tuning::kWarm) {
    rho_ *= 0.1;
  } else if (steps_ <= (gets_on ? 1 : proximal_tuning::kFewSteps)) {
    rho_ *= steep_;
  } else if (steps_ <= proximal_tuning::kEasySteps) {
    rho_ *= growth_;
  } else if (steps_ > proximal_tuning::kManySteps) {
    rho_ *= 0.7;
  }
  rho_ = std::min(rho_, proximal_tuning::kLargest);
}

// Make a few additional steps to improve a solution to rounding. This is worthwhile because other
// solves start from it, or because bodies are at rest in it.
void ProximalRun::polish() {
  for (int k = 0; k < proximal_tuning::kPolish; ++k) {
    const double before = judge_.best();
    if (before <= proximal_tuning::kPolished * judge_.tol()) return;
    if (!step() || steps_ > proximal_tuning::kFewSteps || !(judge_.best() < 0.1 * before)) return;
  }
}

bool ProximalRun::run(const Vector& x) {
  s_.center = x;
  p_.velocities_of(x, s_.v);
  double reached = std::numeric_limits<double>::infinity();  // at the last progress
  int idle = 0;
  for (int outer = 0; outer < o_.max_outer && idle < proximal_tuning::kIdle; ++outer) {
    const double before = judge_.residual();
    const bool converged = step();
    if (judge_.is_solved()) {
      polish();
      return true;
    }
    if (judge_.was_stopped()) return false;
    const bool gets_on = converged && judge_.residual() < proximal_tuning::kProgress * reached;
    if (gets_on) reached = judge_.residual();
    idle = gets_on ? 0 : idle + 1;
    choose_rho(converged, judge_.residual() / before);
  }
  return false;
}

}  // namespace

bool run_proximal(const ContactSystem& system, const ProximalOptions& options, const Vector& x,
                  FrictionJudge& judge, ContactFactors& factors, ProximalScratch& scratch) {
  if (suits_velocities(system)) {
    return ProximalRun(system, options, judge, factors, scratch.velocities).run(x);
  }
  scratch.newton.it.x = x;
  return run_proximal_newton(system, options.max_outer, judge, factors, scratch.newton);
}

}  // namespace nsmb::internal
