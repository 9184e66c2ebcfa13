// A user-defined System with a bilateral constraint and a first-order state: a mass that whirls
// round on a rod, and a sensor with the time constant τ.
//
//   q = (a, b),  M = m E,  h = 0,  g = (a² + b² - l²)/2,  W = (a, b),  w̄ = ȧ² + ḃ²,  τ ẋ = ȧ - x.
//   a = l cos ωt,  b = l sin ωt,  x = l ω (ωτ (cos ωt - exp(-t/τ)) - sin ωt)/(1 + ω²τ²).
#include <nsmb/simulation/event_driven.hpp>
#include <nsmb/system/constraint_set.hpp>
#include <nsmb/system/internal_states.hpp>

#include "compare.hpp"

namespace {

constexpr double kMass = 0.5, kLength = 0.4, kSpeed = 3.0, kLate = 0.2;  // kg, m, rad/s, s

/// A system that passes its constraint and its internal state to System as objects.
class Whirl final : public nsmb::System, public nsmb::ConstraintSet, public nsmb::InternalStates {
 public:
  Whirl() : System(describe(), {.internal_states = this, .constraint_set = this}) {}

  static nsmb::SystemDescription describe() {
    nsmb::SystemDescription description;
    description.coordinates = {"a", "b"};
    description.nu = 2;
    description.states = {"sensor"};
    description.constraints = {"rod"};
    return description;
  }

  void mass_matrix(double, const nsmb::ConstVectorRef&, nsmb::MatrixRef M,
                   nsmb::SystemWorkspace&) const override {
    M = kMass * nsmb::Matrix::Identity(2, 2);
  }
  void forces(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
              const nsmb::ConstVectorRef&, nsmb::VectorRef h,
              nsmb::SystemWorkspace&) const override {
    h.setZero();
  }
  void contact_kinematics(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
                          nsmb::ContactKinematics&, nsmb::SystemWorkspace&) const override {}

  void constraint_kinematics(double, const nsmb::ConstVectorRef& q, const nsmb::ConstVectorRef& u,
                             nsmb::ConstraintKinematics& rod,
                             nsmb::SystemWorkspace&) const override {
    rod.g(0) = 0.5 * (q.squaredNorm() - kLength * kLength);
    rod.W.col(0) = q;
    rod.w_tilde(0) = 0.0;
    rod.w_bar(0) = u.squaredNorm();
  }

  void state_rates(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef& u,
                   const nsmb::ConstVectorRef& x, nsmb::VectorRef xdot,
                   nsmb::SystemWorkspace&) const override {
    xdot(0) = (u(0) - x(0)) / kLate;
  }
  double state_energy(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
                      const nsmb::ConstVectorRef&, nsmb::SystemWorkspace&) const override {
    return 0.0;
  }
};

/// A system with the same description but without objects for the constraint and the state.
class Incomplete final : public nsmb::System {
 public:
  explicit Incomplete(nsmb::SystemDescription description) : System(std::move(description)) {}
  void mass_matrix(double, const nsmb::ConstVectorRef&, nsmb::MatrixRef,
                   nsmb::SystemWorkspace&) const override {}
  void forces(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
              const nsmb::ConstVectorRef&, nsmb::VectorRef, nsmb::SystemWorkspace&) const override {
  }
  void contact_kinematics(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
                          nsmb::ContactKinematics&, nsmb::SystemWorkspace&) const override {}
};

/// Return true if the constructor rejects the description with a message that starts with `name`.
bool is_refused(const nsmb::SystemDescription& description, const char* name) {
  try {
    const Incomplete system(description);
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).starts_with(name);
  }
  return false;
}

}  // namespace

int main() {
  const Whirl whirl;
  nsmb::EventDrivenOptions options;
  options.rtol = 1e-10;
  nsmb::EventDriven motion(whirl, options);
  constexpr double kEnd = 5.0;
  motion.reset(0.0, nsmb::Vector{{kLength, 0.0}}, nsmb::Vector{{0.0, kSpeed * kLength}},
               nsmb::Vector::Zero(1));
  const nsmb::SimulationStatus status = motion.advance(kEnd, false, {});
  std::printf("%s\n", nsmb::to_text(status).data());

  const double late = kSpeed * kLate, angle = kSpeed * kEnd;
  const double sensor = kLength * kSpeed / (1.0 + late * late) *
                        (late * (std::cos(angle) - std::exp(-kEnd / kLate)) - std::sin(angle));
  const nsmb::Vector y = motion.y();
  compare("a, m", y(0), kLength * std::cos(angle), 1e-8);
  compare("b, m", y(1), kLength * std::sin(angle), 1e-8);
  compare("sensor, m/s", y(4), sensor, 1e-8);

  nsmb::SystemDescription states = Whirl::describe(), constraints = states, map = states;
  states.constraints.clear();
  constraints.states.clear();
  map.states.clear();
  map.constraints.clear();
  map.nu = 1;
  compare("without states", is_refused(states, "internal_states"), true, 0.0);
  compare("without constraints", is_refused(constraints, "constraint_set"), true, 0.0);
  compare("without rates of q", is_refused(map, "coordinate_map"), true, 0.0);
  return failures + (status != nsmb::SimulationStatus::Finished);
}
