#include "nsmb/complementarity/friction_interior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

namespace interior_tuning = tolerances::interior_tuning;
namespace proximal_tuning = tolerances::proximal_tuning;

class InteriorRun {
 public:
  InteriorRun(const ContactSystem& system, FrictionJudge& judge, ContactFactors& factors,
              InteriorScratch& scratch)
      : p_(system), judge_(judge), f_(factors), s_(scratch) {}

  void begin(double smoothing);
  /// Return false if no step is possible or the factorization fails.
  bool step();
  double gap() const { return s_.x.cwiseProduct(s_.F).sum() / static_cast<double>(p_.count()); }

 private:
  void evaluate();
  double longest_step() const;

  const ContactSystem& p_;
  FrictionJudge& judge_;
  ContactFactors& f_;
  InteriorScratch& s_;
  double smoothing_ = 0.0;  // relative to the gap over the size of x̂
};

void InteriorRun::begin(double smoothing) {
  const double size = std::max(p_.b.lpNorm<Eigen::Infinity>(), std::numeric_limits<double>::min());
  smoothing_ = smoothing / size;
  s_.equations.begin(p_);
  for (ConePoints* points : {&s_.x, &s_.F, &s_.aim}) points->setZero(3, p_.count());
  s_.x.row(0).setConstant(size);
  s_.F.row(0).setConstant(size);
  evaluate();
}

void InteriorRun::evaluate() {
  s_.equations.to_impulses(s_.x, s_.impulses);
  p_.multiply(s_.impulses, s_.v, s_.y);
  s_.equations.linearize(s_.y, smoothing_ * gap(), s_.F);
}

double InteriorRun::longest_step() const {
  double alpha = 1.0 / interior_tuning::kOfTheWay;
  for (Index c = 0; c < p_.count(); ++c) {
    alpha = cone_step(s_.x.col(c), s_.dx.col(c), alpha);
    alpha = cone_step(s_.F.col(c), s_.dF.col(c), alpha);
  }
  return alpha;
}

bool InteriorRun::step() {
  if (judge_.must_stop() || !judge_.may_iterate()) return false;
  ++judge_.result().factorizations;
  if (!s_.equations.factorize(s_.x, s_.F, f_)) return false;
  const InteriorEquations& equations = s_.equations;
  for (Index c = 0; c < p_.count(); ++c) s_.aim.col(c) = -equations.scaled_x(c, s_.x.col(c));
  s_.equations.solve(s_.aim, f_, s_.dx, s_.dF);
  s_.first_x = s_.dx;
  s_.first_F = s_.dF;
  const double left = 1.0 - std::min(1.0, longest_step());
  const double center = left * left * left * gap();  // Mehrotra's
  for (Index c = 0; c < p_.count(); ++c) {
    const ConePoint lambda = equations.scaled_x(c, s_.x.col(c));
    ConePoint product =
        -cone_product(lambda, lambda) - cone_product(equations.scaled_F(c, s_.first_F.col(c)),
                                                     equations.scaled_x(c, s_.first_x.col(c)));
    product[0] += center;
    s_.aim.col(c) = cone_quotient(lambda, product);
  }
  s_.equations.solve(s_.aim, f_, s_.dx, s_.dF);
  const double alpha = std::min(1.0, interior_tuning::kOfTheWay * longest_step());
  if (!(alpha > interior_tuning::kShortestStep) || !s_.dx.allFinite()) return false;
  s_.x += alpha * s_.dx;
  s_.F += alpha * s_.dF;
  evaluate();
  return s_.impulses.allFinite() && s_.y.allFinite();
}

/// Run Newton from an interior point, then proximal steps, which stay near it.
bool finish(const ContactSystem& system, const InteriorOptions& options, FrictionJudge& judge,
            ContactFactors& factors, ProximalScratch& proximal, const Vector& x) {
  proximal.newton.it.x = x;
  run_sparse_newton(system, {.max_steps = options.newton_steps}, judge, factors, proximal.newton);
  if (judge.is_solved() || judge.was_stopped()) return judge.is_solved();
  const ProximalOptions steps{.rho = proximal_tuning::kWarm, .max_outer = options.outer_steps};
  return run_proximal(system, steps, x, judge, factors, proximal);
}

bool attempt(const ContactSystem& system, const InteriorOptions& options, double smoothing,
             FrictionJudge& judge, ContactFactors& factors, ProximalScratch& proximal,
             InteriorScratch& scratch) {
  InteriorRun run(system, judge, factors, scratch);
  run.begin(smoothing);
  const double first = run.gap();
  double next = interior_tuning::kFirstFinish * first;
  for (int k = 0; k < options.max_steps; ++k) {
    const bool goes_on = run.step();
    if (judge.was_stopped() || !scratch.impulses.allFinite()) return false;
    if (goes_on && judge.offer(scratch.impulses, SparseFrictionMethod::InteriorPoint)) return true;
    if (goes_on && run.gap() > next) continue;
    if (finish(system, options, judge, factors, proximal, scratch.impulses)) return true;
    if (judge.was_stopped() || !goes_on) return false;
    next = interior_tuning::kBetweenFinishes * run.gap();
  }
  return false;
}

}  // namespace

bool suits_interior(const ContactSystem& system) {
  using Kind = FrictionPart::Kind;
  for (Index c = 0; c < system.count(); ++c) {
    const ContactUnit& unit = system.unit(c);
    if (unit.part_end - unit.part_begin > 2) return false;
    if (system.part(unit.part_begin).kind != Kind::Normal) return false;
    if (unit.part_end - unit.part_begin < 2) continue;
    const FrictionPart& part = system.part(unit.part_begin + 1);
    if (part.kind != Kind::Disc || part.bound != 0.0 || part.normal != unit.first) return false;
  }
  return system.count() > 0;
}

bool run_interior(const ContactSystem& system, const InteriorOptions& options, FrictionJudge& judge,
                  ContactFactors& factors, ProximalScratch& proximal, InteriorScratch& scratch) {
  const MethodClock clock(judge.result(), SparseFrictionMethod::InteriorPoint);
  double smoothing = interior_tuning::kSmoothing;
  for (int k = 0; k < options.attempts; ++k, smoothing *= interior_tuning::kSmoothingGrowth) {
    if (attempt(system, options, smoothing, judge, factors, proximal, scratch)) return true;
    if (judge.was_stopped()) return false;
  }
  return false;
}

}  // namespace nsmb::internal
