// A user-defined Contour: a three-cornered roller of constant width that falls onto a floor.
//
//   Support function H(ϑ) = R + c cos 3ϑ, n = (cos ϑ, sin ϑ), t = n':
//     r = H n + H' t,   r' = (H + H'') t,   r'' = (H' + H''') t - (H + H'') n.
//   Rotated by φ, its lowest point is that with ϑ = -π/2 - φ, so that above the floor y = 0
//     g_N = y - H(ϑ),   ġ_N = ẏ + H'(ϑ) φ̇.
//   Without friction the impact is (ẏ, φ̇)⁺ = (ẏ, φ̇)⁻ + Λ (1/m, H'/I),
//     Λ = -(1 + ε) ġ_N⁻/(1/m + H'²/I).
#include <nsmb/geometry/curves.hpp>
#include <nsmb/multibody/model_system.hpp>
#include <nsmb/simulation/event_driven.hpp>
#include <numbers>

#include "compare.hpp"

namespace {

constexpr double kRadius = 0.1, kLobe = 0.008;  // m

/// Return the n-th derivative of H.
double support(double theta, int n = 0) {
  const double constant = n == 0 ? kRadius : 0.0;
  return constant + kLobe * std::pow(3.0, n) * std::cos(3.0 * theta + 0.5 * n * std::numbers::pi);
}

class Roller final : public nsmb::Contour {
 public:
  Roller() { cover(12); }
  nsmb::Index pieces() const override { return 1; }
  nsmb::Index vertices() const override { return 0; }
  nsmb::Piece piece(nsmb::Index) const override {
    nsmb::Piece p;
    p.end = 2.0 * std::numbers::pi;
    p.closed = true;
    return p;
  }
  nsmb::Vertex vertex(nsmb::Index) const override { return {}; }
  void derivatives(nsmb::Index, double sigma, nsmb::CurveDerivatives& out) const override {
    const nsmb::Vector2 n(std::cos(sigma), std::sin(sigma)), t = nsmb::left_of(n);
    const double radius = support(sigma) + support(sigma, 2);
    out.r = support(sigma) * n + support(sigma, 1) * t;
    out.d1 = radius * t;
    out.d2 = (support(sigma, 1) + support(sigma, 3)) * t - radius * n;
  }
};

constexpr double kMass = 0.5, kInertia = 2e-3, kGravity = 9.81, kRestitution = 0.4;

nsmb::ModelDescription roller_on_floor() {
  nsmb::BodyDescription body;
  body.name = "roller";
  body.mass = kMass;
  body.inertia = nsmb::Vector3(kInertia, kInertia, kInertia).asDiagonal();
  body.joint = std::make_shared<nsmb::PlanarJoint>();  // x, y, φ
  nsmb::ModelDescription model;
  model.tree = std::make_shared<nsmb::Tree>(std::vector{body}, nsmb::Vector3(0, -kGravity, 0));
  model.markers.resize(2);
  model.markers[1].body = 0;
  nsmb::ContourContact contact;
  contact.name = "floor";
  contact.law.e_N = kRestitution;
  contact.marker_1 = 0;  // of the environment
  contact.marker_2 = 1;
  contact.contour_1 =
      std::make_shared<nsmb::LineContour>(nsmb::Vector2(0, 0), nsmb::Vector2(-1, 0));
  contact.contour_2 = std::make_shared<Roller>();
  contact.search_distance = 1.0;
  contact.skin = 0.01;
  model.contacts = {contact};
  return model;
}

}  // namespace

int main() {
  const nsmb::ModelSystem system(roller_on_floor());
  nsmb::EventDrivenOptions options;
  options.rtol = 1e-10;
  nsmb::EventDriven motion(system, options);
  const double height = 0.4, drift = 0.3, turn = 5.0;
  motion.reset(0.0, nsmb::Vector3(0.0, height, 0.2), nsmb::Vector3(drift, 0.0, turn),
               nsmb::Vector());
  const nsmb::SimulationStatus status = motion.advance(0.3, false, {});
  std::printf("%s\n", nsmb::to_text(status).data());

  const auto theta = [&](double t) { return -0.5 * std::numbers::pi - (0.2 + turn * t); };
  const auto gap = [&](double t) { return height - 0.5 * kGravity * t * t - support(theta(t)); };
  double from = 0.0, to = 0.3;  // g_N decreases from 0.3 m and has one zero
  while (to - from > 1e-15) {
    const double middle = 0.5 * (from + to);
    (gap(middle) > 0.0 ? from : to) = middle;
  }
  const double arm = support(theta(from), 1), fall = -kGravity * from;
  const double approach = fall + arm * turn;
  const double impulse = -(1.0 + kRestitution) * approach / (1.0 / kMass + arm * arm / kInertia);

  const nsmb::Trajectory& run = motion.trajectory();
  compare("impact, s", run.events.t[0], from, 1e-9);
  compare("Lambda_N, N s", run.events.Lambda_N[0], impulse, 1e-8);
  compare("fall after it, m/s", run.events.u_plus[1], fall + impulse / kMass, 1e-8);
  compare("turn after it, rad/s", run.events.u_plus[2], turn + impulse * arm / kInertia, 1e-7);
  compare("drift after it, m/s", run.events.u_plus[0], drift, 1e-12);
  return failures + (status != nsmb::SimulationStatus::Finished);
}
