#include "nsmb/simulation/level_crossings.hpp"

#include <array>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr int kLooks = 8;         // pieces of a step
constexpr int kMostPasses = 200;  // bisection alone needs fewer than 60

/// One step, y(s) on [0, 1].
class Step {
 public:
  Step(const StepTable& steps, std::size_t k)
      : start_(steps.start[k]),
        end_(steps.end[k]),
        c_(steps.coefficients.data() + steps.offset[k]),
        degree_(steps.degree[k]),
        ny_(steps.sizes()[static_cast<std::size_t>(Per::Component)]) {}

  double start() const { return start_; }
  double end() const { return end_; }
  double time(double s) const { return start_ + s * (end_ - start_); }

  double component(Index i, double s) const {
    double value = 0.0;
    for (Index k = degree_; k >= 0; --k) value = value * s + c_[k * ny_ + i];
    return value;
  }

  void append_state(double s, std::vector<double>& table) const {
    for (Index i = 0; i < ny_; ++i) table.push_back(component(i, s));
  }

 private:
  double start_, end_;
  const double* c_;  // (ny, degree + 1)
  Index degree_, ny_;
};

class Search {
 public:
  Search(const Level& level, double t_last, SectionPoints& points)
      : level_(level), t_last_(t_last), points_(points) {}

  double distance(const Step& step, double s) const {
    return step.component(level_.component, s) - level_.value;
  }

  bool crosses(double before, double after) const {
    const bool up = before < 0.0 && after >= 0.0;
    const bool down = before > 0.0 && after <= 0.0;
    return (up && level_.direction >= 0) || (down && level_.direction <= 0);
  }

  /// Add the zero between s = a and b of a step.
  void add_zero(const Step& step, double a, double b, double at_a, double at_b) {
    const double s = zero(step, a, b, at_a, at_b);
    if (!is_new(step.time(s), (b - a) * (step.end() - step.start()))) return;
    step.append_state(s, points_.y_minus);
    step.append_state(s, points_.y_plus);
  }

  /// Add a jump from a step to the next.
  void add_jump(const Step& before, const Step& after) {
    if (!is_new(before.end(), after.start() - before.end())) return;
    before.append_state(1.0, points_.y_minus);
    after.append_state(0.0, points_.y_plus);
  }

 private:
  // Find the zero by secants with the Illinois rule, and occasional bisection, down to neighbouring
  // numbers.
  double zero(const Step& step, double a, double b, double at_a, double at_b) const {
    if (at_b == 0.0) return b;
    int side = 0;  // the end that was kept last
    for (int pass = 0; pass < kMostPasses && b - a > 2.0 * kEpsilon * b; ++pass) {
      double s = a + (b - a) * (at_a / (at_a - at_b));
      if (pass % 4 == 3 || !(s > a && s < b)) s = 0.5 * (a + b);
      if (!(s > a && s < b)) break;
      const double value = distance(step, s);
      if (value == 0.0) return s;
      if ((value < 0.0) == (at_a < 0.0)) {
        a = s;
        at_a = value;
        if (side == 1) at_b *= 0.5;
        side = 1;
      } else {
        b = s;
        at_b = value;
        if (side == -1) at_a *= 0.5;
        side = -1;
      }
    }
    return b;
  }

  // A start on the level, up to rounding, is not a crossing.
  bool is_new(double t, double length) {
    if (!(t - t_last_ > event_times::kSameCrossing * length)) return false;
    points_.t.push_back(t);
    t_last_ = t;
    return true;
  }

  const Level& level_;
  double t_last_;
  SectionPoints& points_;
};

}  // namespace

void find_crossings(const StepTable& steps, const Level& level, double t_last,
                    SectionPoints& points) {
  Search search(level, t_last, points);
  double before = 0.0;  // distance at the end of the last step
  for (std::size_t k = 0; k < steps.rows(); ++k) {
    const Step step(steps, k);
    double a = 0.0, at_a = search.distance(step, a);
    if (k > 0 && search.crosses(before, at_a)) {
      search.add_jump(Step(steps, k - 1), step);
    }
    for (int look = 1; look <= kLooks; ++look) {
      const double b = static_cast<double>(look) / kLooks;
      const double at_b = search.distance(step, b);
      if (search.crosses(at_a, at_b)) search.add_zero(step, a, b, at_a, at_b);
      a = b;
      at_a = at_b;
    }
    before = at_a;
  }
}

}  // namespace nsmb
