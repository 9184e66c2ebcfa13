#include "nsmb/multibody/law_forces.hpp"

#include <algorithm>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

double signed_by(SignConvention sign, double tension) {
  return sign == SignConvention::Tension ? tension : -tension;
}

}  // namespace

Line::Line(const MarkerKinematics& first, const MarkerKinematics& second) {
  const Vector3 d = second.r - first.r;
  distance = d.norm();
  // Coincident points have no line of action and no force.
  e = distance > 0.0 ? Vector3(d / distance) : Vector3::Zero();
  rate = e.dot(second.v - first.v);
}

LawForce::LawForce(ForceLawPtr law, SignConvention sign) : law_{std::move(law), sign} {
  if (!law_.law) reject("law", "a force law", "none");
}

bool LawForce::calls_user() const {
  return dynamic_cast<const UserLaw*>(law_.law.get()) != nullptr;
}

double LawForce::tension(const ForceInput& in, double gamma, double rate) const {
  return signed_by(law_.sign, law_.law->force(in.t, gamma, rate, in.inputs));
}

double LawForce::potential(double gamma) const {
  return signed_by(law_.sign, law_.law->energy(gamma));
}

// (11.6)-(11.8): tension pulls the points together. Pressure is the opposite (3.12).
void LineForce::evaluate(const ForceInput& in, WrenchSink& out, VectorRef /*xdot*/,
                         ForceWorkspace& /*work*/) const {
  const Line line(in.marker(0), in.marker(1));
  const Vector3 pull = tension(in, line.distance, line.rate) * line.e;
  out.add(0, pull);
  out.add(1, -pull);
}

double LineForce::energy(const ForceInput& in, ForceWorkspace& /*work*/) const {
  return potential(Line(in.marker(0), in.marker(1)).distance);
}

void JointForce::evaluate(const ForceInput& in, WrenchSink& out, VectorRef /*xdot*/,
                          ForceWorkspace& /*work*/) const {
  out.add_joint(0, -tension(in, in.q(0), in.u(0)));
}

double JointForce::energy(const ForceInput& in, ForceWorkspace& /*work*/) const {
  return potential(in.q(0));
}

Load::Load(Function function, std::vector<Index> inputs)
    : function_(std::move(function)), inputs_(std::move(inputs)) {
  if (!function_) reject("load", "a function", "none");
}

void Load::evaluate(const ForceInput& in, WrenchSink& out, VectorRef /*xdot*/,
                    ForceWorkspace& /*work*/) const {
  const MarkerKinematics& m = in.marker(0);
  const auto [force, moment] = function_(in.t, m.r, m.A, m.v, m.Omega, Vector(in.inputs(inputs_)));
  out.add(0, force, moment);
}

Index Load::least_inputs() const {
  return inputs_.empty() ? 0 : *std::max_element(inputs_.begin(), inputs_.end()) + 1;
}

}  // namespace nsmb
