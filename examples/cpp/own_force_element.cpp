// A user-defined ForceElement with two states and a switch: a slide on a spring, pulled by a
// damper, a spring and an actuator in series. The actuator locks at the end of its stroke.
//
//   Tension T = c s;   free: ȧ = b (T - T_0) while a_max - a >= 0,   locked: ȧ = 0 while T >= T_0;
//   γ̇ = ṡ + ȧ + T/d,   m q̈ + k q = -T.   In each mode ẏ = A y with y = (q, u, s, a, 1), so that
//   y(t) = exp(A t) y(0), and a mode ends at a zero of a linear function of it.
#include <nsmb/multibody/law_forces.hpp>
#include <nsmb/multibody/model_system.hpp>
#include <nsmb/simulation/event_driven.hpp>

#include "compare.hpp"

namespace {

constexpr double kMass = 1.0, kSpring = 400.0, kSeries = 100.0, kDamping = 100.0;  // kg, N/m, N s/m
constexpr double kYield = -4.0, kFlow = 0.01, kStroke = 0.05;                      // N, m/(N s), m

class Actuator final : public nsmb::ForceElement, public nsmb::ForceSwitches {
 public:
  std::size_t markers() const override { return 2; }
  std::size_t joints() const override { return 0; }
  std::vector<std::string> states() const override { return {"s", "a"}; }
  const nsmb::ForceSwitches* switches() const override { return this; }
  std::vector<nsmb::WatchedFunction> watched() const override { return {{"locked"}}; }
  void evaluate(const nsmb::ForceInput& in, nsmb::WrenchSink& out, nsmb::VectorRef xdot,
                nsmb::ForceWorkspace&) const override {
    const nsmb::Vector3 e = (in.marker(1).r - in.marker(0).r).normalized();
    const double tension = kSeries * in.x(0);
    out.add(0, tension * e);
    out.add(1, -tension * e);
    xdot(1) = in.is_closed(0) ? 0.0 : kFlow * (tension - kYield);
    xdot(0) = e.dot(in.marker(1).v - in.marker(0).v) - tension / kDamping - xdot(1);
  }
  void watch(const nsmb::ForceInput& in, nsmb::VectorRef values,
             nsmb::ForceWorkspace&) const override {
    values(0) = in.is_closed(0) ? kSeries * in.x(0) - kYield : kStroke - in.x(1);
  }
  double energy(const nsmb::ForceInput& in, nsmb::ForceWorkspace&) const override {
    return 0.5 * kSeries * in.x(0) * in.x(0);
  }
};

nsmb::ModelDescription slide() {
  nsmb::BodyDescription body;
  body.name = "slide";
  body.mass = kMass;
  body.inertia = nsmb::Vector3(1e-3, 1e-3, 1e-3).asDiagonal();
  body.joint = std::make_shared<nsmb::PrismaticJoint>(nsmb::Vector3(1, 0, 0));
  nsmb::ModelDescription model;
  model.tree = std::make_shared<nsmb::Tree>(std::vector{body}, nsmb::Vector3(0, 0, 0));
  model.markers.resize(2);
  model.markers[0].frame.r = nsmb::Vector3(-1, 0, 0);
  model.markers[1].body = 0;
  const auto spring = std::make_shared<nsmb::SpringDamper>(kSpring, 0.0, 0.0, 0.0);
  model.forces.push_back({"spring",
                          std::make_shared<nsmb::JointForce>(spring, nsmb::SignConvention::Tension),
                          {},
                          {{0, 0}}});
  model.forces.push_back({"actuator", std::make_shared<Actuator>(), {0, 1}});
  return model;
}

using State = Eigen::Matrix<double, 5, 1>;
using Flow = Eigen::Matrix<double, 5, 5>;

Flow rates(bool locked) {
  Flow A = Flow::Zero();
  A.row(0) << 0, 1, 0, 0, 0;
  A.row(1) << -kSpring / kMass, 0, -kSeries / kMass, 0, 0;
  if (!locked) A.row(3) << 0, 0, kFlow * kSeries, 0, -kFlow * kYield;
  A.row(2) << 0, 1, -kSeries / kDamping, 0, 0;
  A.row(2) -= A.row(3);
  return A;
}

/// Return exp(A), by scaling and squaring of its series.
Flow exponential(Flow A) {
  int squares = 0;
  for (; A.cwiseAbs().maxCoeff() > 0.1; A *= 0.5) ++squares;
  Flow term = Flow::Identity(), sum = term;
  for (int k = 1; k < 20; ++k) sum += term = term * A / k;
  for (; squares > 0; --squares) sum = sum * sum;
  return sum;
}

double left(const State& y, bool locked) {
  return locked ? kSeries * y(2) - kYield : kStroke - y(3);
}

}  // namespace

int main() {
  const nsmb::ModelSystem system(slide());
  nsmb::EventDrivenOptions options;
  options.rtol = 1e-10;
  nsmb::EventDriven motion(system, options);
  constexpr double kStart = -0.3, kEnd = 2.0;
  motion.reset(0.0, nsmb::Vector::Constant(1, kStart), nsmb::Vector::Zero(1),
               system.initial_states());
  const nsmb::SimulationStatus status = motion.advance(kEnd, false, {});
  std::printf("%s\n", nsmb::to_text(status).data());

  State y(kStart, 0, 0, 0, 1);
  std::vector<double> switches;
  bool locked = false;
  for (double t = 0.0; t < kEnd;) {
    const auto at = [&](double dt) { return State(exponential(rates(locked) * dt) * y); };
    // Modes last longer than 0.05 s.
    double from = 1e-3, to = from;
    while (t + to < kEnd && left(at(to), locked) >= 0.0) to += 1e-3;
    if (t + to >= kEnd) {
      y = at(kEnd - t);
      break;
    }
    for (from = to - 1e-3; to - from > 1e-15;) {
      const double middle = 0.5 * (from + to);
      (left(at(middle), locked) >= 0.0 ? from : to) = middle;
      if (middle == from && middle == to) break;
    }
    y = at(from);
    t += from;
    locked = !locked;
    switches.push_back(t);
  }

  const nsmb::Trajectory& run = motion.trajectory();
  compare("switches", static_cast<double>(run.events.t.size()),
          static_cast<double>(switches.size()), 0.0);
  compare("first switch, s", run.events.t[0], switches[0], 1e-10);
  compare("last switch, s", run.events.t.back(), switches.back(), 1e-9);
  const nsmb::Vector end = motion.y();
  compare("place, m", end(0), y(0), 1e-9);
  compare("spring, m", end(2), y(2), 1e-9);
  compare("stroke, m", end(3), y(3), 1e-9);
  return failures + (status != nsmb::SimulationStatus::Finished);
}
