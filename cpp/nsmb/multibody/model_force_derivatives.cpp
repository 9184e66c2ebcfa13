// Force elements in the Jacobians of a model. Laws along a line and in a joint have a closed form.
// Any other element is differenced by itself with respect to positions and motion of its markers,
// its joints and its states. The rest follows from the dependence of the markers on positions and
// velocities.
#include <algorithm>
#include <cmath>

#include "nsmb/multibody/model_derivatives.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kWays = 12;  // variations of a marker: displacement, rotation, v, Ω

double step_of(double size) { return differences::kOfForces * std::max(1.0, std::abs(size)); }

/// Collector of force and moment on each marker, then forces in joints.
class Collector final : public WrenchSink {
 public:
  Collector(std::size_t markers, VectorRef out)
      : joints_(6 * static_cast<Index>(markers)), out_(out) {}
  void add(std::size_t marker, const Vector3& force, const Vector3& moment) override {
    out_.segment<3>(6 * static_cast<Index>(marker)) += force;
    out_.segment<3>(6 * static_cast<Index>(marker) + 3) += moment;
  }
  void add_joint(std::size_t joint, double force) override {
    out_(joints_ + static_cast<Index>(joint)) += force;
  }

 private:
  Index joints_;
  VectorRef out_;
};

}  // namespace

void line_force_derivatives(const ModelDescription& model, const PlacedForce& force,
                            const SignedLaw& law, double t, ModelDerivatives& d) {
  const auto a = static_cast<std::size_t>(force.markers[0]);
  const auto b = static_cast<std::size_t>(force.markers[1]);
  const Line line(d.work->markers[a], d.work->markers[b]);
  if (!(line.distance > 0.0)) return;
  line_derivatives(d.work->markers[a], d.work->markers[b], line, d.markers[a], d.markers[b], d);
  const double sign = law.sign == SignConvention::Tension ? -1.0 : 1.0;  // ζ > 0 pushes
  const double zeta = sign * law.law->force(t, line.distance, line.rate, d.work->inputs());
  const LawSlope slope = law.law->slope(t, line.distance, line.rate, d.work->inputs());
  d.gamma *= sign * slope.by_gamma;
  d.gamma += (sign * slope.by_rate) * d.rate;
  d.F.noalias() = line.e * d.gamma;
  d.F += zeta * d.e;
  d.push(model, force.markers[0], force.markers[1], zeta * line.e);
}

void joint_force_derivatives(const PlacedForce& force, const SignedLaw& law, double t,
                             const ConstVectorRef& q, const ConstVectorRef& u,
                             ModelDerivatives& d) {
  const JointPlace& place = force.joints[0];
  const double sign = law.sign == SignConvention::Tension ? 1.0 : -1.0;
  const LawSlope slope =
      law.law->slope(t, q(place.coordinate), u(place.velocity), d.work->inputs());
  d.direct(place.velocity, place.coordinate) += sign * slope.by_gamma;
  d.direct(place.velocity, q.size() + place.velocity) += sign * slope.by_rate;
}

ElementVariation::ElementVariation(const PlacedForce& force, Index states)
    : markers(static_cast<Index>(force.markers.size())),
      joints(static_cast<Index>(force.joints.size())),
      own(states),
      base(Vector::Zero(6 * markers + joints + own)),
      plus(base),
      minus(base),
      slopes(Matrix::Zero(base.size(), kWays * markers + 2 * joints + own)),
      known(at(own)) {}

void ElementVariation::find(const ForceElement& element, ModelWorkspace& work,
                            const PlacedForce& force, ForceWorkspace& scratch, Vector& q, Vector& u,
                            Vector& x, Index first, Index modes, double t) {
  const auto evaluate = [&](Vector& out) {
    out.setZero();
    Collector collector(force.markers.size(), out);
    const ForceInput input(t, force, work.markers, q, u,
                           {x.data() + first, static_cast<std::size_t>(own + modes)},
                           static_cast<std::size_t>(own), work.inputs());
    element.evaluate(input, collector, out.tail(own), scratch);
  };
  Index column = 0;
  const auto vary = [&](double& value) {
    const double before = value, h = step_of(before);
    value = before + h;
    evaluate(plus);
    value = before - h;
    evaluate(minus);
    value = before;
    slopes.col(column++) = (plus - minus) / (2.0 * h);
  };
  evaluate(base);
  for (const Index m : force.markers) {
    MarkerKinematics& marker = work.markers.vary(at(m));
    if (!marker.moves) {
      slopes.middleCols(column, kWays).setZero();
      column += kWays;
      continue;
    }
    for (Index k = 0; k < 3; ++k) vary(marker.r(k));
    for (Index k = 0; k < 3; ++k) {
      const Matrix3 A = marker.A;
      marker.A = rotation_about(Vector3::Unit(k), differences::kOfForces) * A;
      evaluate(plus);
      marker.A = rotation_about(Vector3::Unit(k), -differences::kOfForces) * A;
      evaluate(minus);
      marker.A = A;
      slopes.col(column++) = (plus - minus) / (2.0 * differences::kOfForces);
    }
    for (Index k = 0; k < 3; ++k) vary(marker.v(k));
    for (Index k = 0; k < 3; ++k) vary(marker.Omega(k));
  }
  for (const JointPlace& joint : force.joints) vary(q(joint.coordinate));
  for (const JointPlace& joint : force.joints) vary(u(joint.velocity));
  const Index states_at = column;
  const ForceInput input(t, force, work.markers, q, u,
                         {x.data() + first, static_cast<std::size_t>(own + modes)},
                         static_cast<std::size_t>(own), work.inputs());
  slopes.rightCols(own).setZero();
  std::fill(known.begin(), known.end(), 0);
  element.state_slopes(input, slopes.rightCols(own), known, scratch);
  for (Index k = 0; k < own; ++k, column = states_at + k) {
    if (!known[at(k)]) vary(x(first + k));
  }
}

void element_derivatives(const ModelDescription& model, const PlacedForce& force,
                         const ElementVariation& e, Index first, ModelDerivatives& d) {
  const Index nq = model.tree->nq(), nu = model.tree->nu();
  // Multiply rows of the slopes by the derivatives of the markers.
  const auto by_markers = [&](Index row, Index rows, auto&& result) {
    result.setZero();
    for (Index k = 0; k < e.markers; ++k) {
      const MarkerDerivatives& m =
          d.markers[static_cast<std::size_t>(force.markers[static_cast<std::size_t>(k)])];
      const auto G = e.slopes.block(row, kWays * k, rows, kWays);
      result.noalias() += G.middleCols(0, 3) * m.r;
      result.noalias() += G.middleCols(3, 3) * m.phi;
      result.noalias() += G.middleCols(6, 3) * m.v;
      result.noalias() += G.middleCols(9, 3) * m.Omega;
    }
  };
  // Call f(column of the slopes, column of the Jacobian) for joints and states.
  const auto each_direct = [&](auto&& f) {
    Index column = kWays * e.markers;
    for (const JointPlace& joint : force.joints) f(column++, joint.coordinate);
    for (const JointPlace& joint : force.joints) f(column++, nq + joint.velocity);
    for (Index k = 0; k < e.own; ++k) f(column++, nq + nu + first + k);
  };
  for (Index k = 0; k < e.markers; ++k) {
    const Index marker = force.markers[static_cast<std::size_t>(k)];
    const MarkerKinematics& m = d.work->markers[static_cast<std::size_t>(marker)];
    if (!m.moves) continue;
    by_markers(6 * k, 3, d.F);
    by_markers(6 * k + 3, 3, d.M);
    d.apply(model, marker, e.base.segment<3>(6 * k), e.base.segment<3>(6 * k + 3), d.F, d.M);
    each_direct([&](Index from, Index to) {
      m.each_range([&](const VelocityRange& range, Index column) {
        auto direct = d.direct.col(to).segment(range.first, range.size);
        direct.noalias() -=
            m.J_S.middleCols(column, range.size).transpose() * e.slopes.block<3, 1>(6 * k, from);
        direct.noalias() -= m.J_R.middleCols(column, range.size).transpose() *
                            e.slopes.block<3, 1>(6 * k + 3, from);
      });
    });
  }
  for (Index k = 0; k < e.joints; ++k) {
    const Index row = 6 * e.markers + k;
    const Index velocity = force.joints[static_cast<std::size_t>(k)].velocity;
    by_markers(row, 1, d.gamma);
    d.residual.row(velocity) -= d.gamma;
    each_direct([&](Index from, Index to) { d.direct(velocity, to) -= e.slopes(row, from); });
  }
  for (Index k = 0; k < e.own; ++k) {
    const Index row = 6 * e.markers + e.joints + k;
    by_markers(row, 1, d.rates.row(first + k));
    each_direct(
        [&](Index from, Index to) { d.direct_rates(first + k, to) += e.slopes(row, from); });
  }
}

}  // namespace nsmb
