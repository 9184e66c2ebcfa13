// A user-defined System: a ball that bounces on a table until it rests.
//
//   M = m,  h = -m g,  g_N = y,  W_N = 1.   With u⁺ = -ε u⁻ (8.1) the ball falls from H for
//   t_1 = √(2 H/g), every flight is ε times the one before, and all of them end at
//   t_∞ = t_1 (1 + ε)/(1 - ε).
#include <nsmb/simulation/event_driven.hpp>

#include "compare.hpp"

namespace {

class Ball final : public nsmb::System {
 public:
  Ball(double mass, double gravity, double restitution)
      : System(describe(restitution)), mass_(mass), gravity_(gravity) {}

  void mass_matrix(double, const nsmb::ConstVectorRef&, nsmb::MatrixRef M,
                   nsmb::SystemWorkspace&) const override {
    M(0, 0) = mass_;
  }
  void forces(double, const nsmb::ConstVectorRef&, const nsmb::ConstVectorRef&,
              const nsmb::ConstVectorRef&, nsmb::VectorRef h,
              nsmb::SystemWorkspace&) const override {
    h(0) = -mass_ * gravity_;
  }
  void contact_kinematics(double, const nsmb::ConstVectorRef& q, const nsmb::ConstVectorRef&,
                          nsmb::ContactKinematics& contacts,
                          nsmb::SystemWorkspace&) const override {
    contacts.g_N(0) = q(0);
    contacts.W_N(0, 0) = 1.0;
    contacts.W_T(0, 0) = 0.0;
    contacts.w_tilde_N(0) = contacts.w_tilde_T(0) = 0.0;
    contacts.w_bar_N(0) = contacts.w_bar_T(0) = 0.0;
  }
  double potential_energy(double, const nsmb::ConstVectorRef& q,
                          nsmb::SystemWorkspace&) const override {
    return mass_ * gravity_ * q(0);
  }

 private:
  static nsmb::SystemDescription describe(double restitution) {
    nsmb::ContactDescription table;
    table.name = "table";
    table.law.e_N = restitution;
    nsmb::SystemDescription description;
    description.coordinates = {"y"};
    description.nu = 1;
    description.contacts = {table};
    return description;
  }

  double mass_, gravity_;
};

}  // namespace

int main() {
  constexpr double kMass = 0.2, kGravity = 9.81, kRestitution = 0.6, kHeight = 1.3;
  const Ball ball(kMass, kGravity, kRestitution);
  nsmb::EventDriven motion(ball, {});
  motion.reset(0.0, nsmb::Vector::Constant(1, kHeight), nsmb::Vector::Zero(1), nsmb::Vector());
  const nsmb::SimulationStatus status = motion.advance(3.0, false, {});
  std::printf("%s\n", nsmb::to_text(status).data());

  const nsmb::Trajectory& run = motion.trajectory();
  const double first = std::sqrt(2.0 * kHeight / kGravity);
  compare("first impact, s", run.events.t[0], first, 1e-12);
  compare("third impact, s", run.events.t[2],
          first * (1.0 + 2.0 * kRestitution + 2.0 * kRestitution * kRestitution), 1e-11);
  // Impacts slower than rest_velocity, 1e-11 m/s, end in rest. The last flight, of duration 2 ·
  // 1e-11/g, is omitted.
  compare("rest, s", run.events.t.back(), first * (1.0 + kRestitution) / (1.0 - kRestitution),
          1e-10);
  compare("lambda_N at rest, N", run.samples.lambda_N.back(), kMass * kGravity, 1e-12);
  return failures + (status != nsmb::SimulationStatus::Finished);
}
