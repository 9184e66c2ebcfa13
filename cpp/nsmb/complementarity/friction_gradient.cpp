// Projections of contacts, and the accelerated projected gradient method (Nesterov). It is
// restarted when a step goes uphill (O'Donoghue & Candès), and the step size adapts to the observed
// curvature.
#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/complementarity/friction_cone.hpp"
#include "nsmb/complementarity/friction_problem.hpp"
#include "nsmb/complementarity/friction_splitting.hpp"
#include "nsmb/complementarity/tolerances.hpp"

namespace nsmb::internal {
namespace {

using Kind = FrictionPart::Kind;

/// Get the sets of a unit that is one cone. Return their number, or -1 if the unit is not a cone.
Index cone_of(const ContactSystem& system, const ContactUnit& unit, std::array<ConeSet, 3>& sets) {
  if (system.part(unit.part_begin).kind != Kind::Normal) return -1;
  Index count = 0;
  for (Index p = unit.part_begin + 1; p < unit.part_end; ++p) {
    const FrictionPart& part = system.part(p);
    if (part.bound > 0.0) return -1;
    sets[static_cast<std::size_t>(count++)] = {part.first - unit.first, part.dim, part.mu};
  }
  return count;
}

/// Set gradient to y with De Saxcé's term.
void shift_gradient(const ContactSystem& system, const Vector& y, Vector& gradient) {
  gradient = y;
  for (Index c = 0; c < system.count(); ++c) {
    const Index first = system.unit(c).first;
    gradient[first] += de_saxce(system, c, gradient.data() + first);
  }
}

}  // namespace

void project_unit(const ContactSystem& system, Index index, const Vector& x_all, double* z) {
  const ContactUnit& unit = system.unit(index);
  std::array<ConeSet, 3> sets;
  const Index count = cone_of(system, unit, sets);
  if (count >= 0) {
    project_cone(sets.data(), count, z);
    return;
  }
  double own = 0.0;
  for (Index p = unit.part_begin; p < unit.part_end; ++p) {
    const FrictionPart& part = system.part(p);
    double* of_part = z + (part.first - unit.first);
    if (part.kind == Kind::Normal) {
      own = of_part[0] = std::max(of_part[0], 0.0);
    } else if (part.kind == Kind::Disc) {
      const bool inside = part.normal >= unit.first && part.normal < unit.first + unit.rows;
      const double x_N = part.normal < 0 ? 0.0 : inside ? own : std::max(x_all[part.normal], 0.0);
      project_disc({.first = 0, .dim = part.dim}, part.mu * x_N + part.bound, of_part);
    }
  }
}

double de_saxce(const ContactSystem& system, Index index, const double* y) {
  const ContactUnit& unit = system.unit(index);
  std::array<ConeSet, 3> sets;
  const Index count = cone_of(system, unit, sets);
  double shift = 0.0;
  for (Index k = 0; k < count; ++k) {
    const ConeSet& set = sets[static_cast<std::size_t>(k)];
    shift += set.mu * set_size(set, y);
  }
  return shift;
}

bool run_projected_gradient(const ContactSystem& system, long max_steps, FrictionJudge& judge,
                            SplittingScratch& s, Vector& x) {
  constexpr long kCheckEvery = 10;
  const MethodClock clock(judge.result(), SparseFrictionMethod::ProjectedGradient);
  double step = 1.0;
  double theta = 1.0;
  // y = A x + b is updated with every point, so that a step costs one product.
  system.multiply(x, s.v, s.y);
  s.momentum = x;
  s.y_momentum = s.y;
  for (long k = 1; k <= max_steps; ++k) {
    if (judge.must_stop() || !judge.may_iterate()) break;
    shift_gradient(system, s.y_momentum, s.gradient);
    for (int halving = 0; halving < 40; ++halving, step *= 0.5) {
      s.trial = s.momentum - step * s.gradient;
      for (Index c = 0; c < system.count(); ++c) {
        project_unit(system, c, x, s.trial.data() + system.unit(c).first);
      }
      system.multiply(s.trial, s.v, s.y_trial);
      s.right = s.trial - s.momentum;
      if (step * s.right.dot(s.y_trial - s.y_momentum) <= s.right.squaredNorm()) break;
    }
    s.previous.swap(x);
    s.y_previous.swap(s.y);
    x.swap(s.trial);
    s.y.swap(s.y_trial);
    if (!x.allFinite()) return false;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    if (s.gradient.dot(x - s.previous) > 0.0) {
      theta = 1.0;
      s.momentum = x;
      s.y_momentum = s.y;
    } else {
      const double pace = (theta - 1.0) / next;
      s.momentum = x + pace * (x - s.previous);
      s.y_momentum = s.y + pace * (s.y - s.y_previous);
      theta = next;
    }
    step *= tolerances::splitting_tuning::kStepGrowth;
    if (k % kCheckEvery == 0 && judge.offer(x, SparseFrictionMethod::ProjectedGradient))
      return true;
  }
  return judge.offer(x, SparseFrictionMethod::ProjectedGradient);
}

}  // namespace nsmb::internal
