#include "nsmb/multibody/elastic_foundation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/box_pairs.hpp"

namespace nsmb {

namespace {

Index coordinates(const FoundationSide& side) { return side.shapes.cols(); }

Vector3 triangle_mean(const Matrix& rows, const TriangleTopology::Triangle& t,
                      const Vector3& weights, const Vector& u) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < 3; ++i) {
    sum.noalias() += weights(static_cast<Index>(i)) * (rows.middleRows<3>(3 * t[i]) * u);
  }
  return sum;
}

}  // namespace

Vector3 area_coordinates(const NumberedTriangle& t, const Vector3& p) {
  const Vector3 normal = (t.corner[1] - t.corner[0]).cross(t.corner[2] - t.corner[0]);
  const auto share = [&](std::size_t a, std::size_t b) {
    return (t.corner[a] - p).cross(t.corner[b] - p).dot(normal) / normal.squaredNorm();
  };
  const double first = share(1, 2), second = share(2, 0);
  return {first, second, 1.0 - first - second};
}

FoundationWorkspace::FoundationWorkspace(const ElasticFoundation& element)
    : surface{ArealInstance(element.side(0).mesh), ArealInstance(element.side(1).mesh)} {
  for (std::size_t i = 0; i < 2; ++i) {
    const Index n = coordinates(element.side(i));
    q[i] = modal[i] = motion.side[i].q = motion.side[i].u = Vector::Zero(n);
  }
}

ElasticFoundation::ElasticFoundation(FoundationSide first, FoundationSide second, FoundationLaw law,
                                     FoundationOptions options)
    : sides_{std::move(first), std::move(second)}, law_(law), options_(options) {
  check();
}

void ElasticFoundation::check() const {
  const auto check_least = [](const char* name, double value) {
    check_range(name, value, 0.0, std::numeric_limits<double>::max());
  };
  check_positive("stiffness", law_.stiffness);
  check_finite("stiffness", law_.stiffness);
  check_least("damping", law_.damping);
  check_least("transition_depth", law_.transition_depth);
  check_least("friction", law_.friction);
  check_positive("switch_velocity", law_.switch_velocity);
  if (options_.same_body && coordinates(sides_[0]) != coordinates(sides_[1])) {
    reject(
        "shapes", "the same number of coordinates for both surfaces of a body",
        std::to_string(coordinates(sides_[0])) + " and " + std::to_string(coordinates(sides_[1])));
  }
  for (const FoundationSide& side : sides_) {
    if (!side.mesh) reject("surface", "a closed mesh", "none");
    const Index rows = 3 * side.mesh->topology().vertices();
    if (side.shapes.size() > 0) check_shape("shapes", side.shapes, rows, side.shapes.cols());
    check_finite("shapes", side.shapes);
    if (side.turns.size() > 0) check_shape("turns", side.turns, rows, side.shapes.cols());
    check_finite("turns", side.turns);
    if (options_.velocity == FoundationVelocity::Average && side.shapes.size() > 0 &&
        side.turns.size() == 0) {
      reject("velocity", "barycentric for a surface without turns", "average");
    }
  }
}

std::size_t ElasticFoundation::joints() const {
  const Index n = coordinates(sides_[0]);
  return at(options_.same_body ? n : n + coordinates(sides_[1]));
}

std::unique_ptr<ForceWorkspace> ElasticFoundation::make_workspace() const {
  return std::make_unique<FoundationWorkspace>(*this);
}

void ElasticFoundation::read(const ForceInput& in, FoundationMotion& motion) const {
  std::size_t joint = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (options_.same_body) joint = 0;
    const MarkerKinematics& m = in.marker(i);
    FoundationMotion::Side& side = motion.side[i];
    side.pose.r = m.r;
    side.pose.A = m.A;
    side.v = m.v;
    side.Omega = m.Omega;
    for (Index k = 0; k < coordinates(sides_[i]); ++k, ++joint) {
      side.q(k) = in.q(joint);
      side.u(k) = in.u(joint);
    }
  }
}

void ElasticFoundation::evaluate(const ForceInput& in, WrenchSink& out, VectorRef /*xdot*/,
                                 ForceWorkspace& work) const {
  auto& w = static_cast<FoundationWorkspace&>(work);
  read(in, w.motion);
  contact(w.motion, w);
  std::size_t joint = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    if (options_.same_body) joint = 0;
    out.add(i, w.force[i], w.moment[i]);
    for (Index k = 0; k < coordinates(sides_[i]); ++k) out.add_joint(joint++, w.modal[i](k));
  }
}

double ElasticFoundation::energy(const ForceInput& in, ForceWorkspace& work) const {
  auto& w = static_cast<FoundationWorkspace&>(work);
  read(in, w.motion);
  return energy(w.motion, w);
}

// Return a bound of the speed of any point of one surface relative to the other body, m/s.
double ElasticFoundation::largest_speed(const FoundationMotion& motion,
                                        const FoundationWorkspace& w) const {
  const FoundationMotion::Side &one = motion.side[0], &two = motion.side[1];
  const double turn = (two.Omega - one.Omega).norm();
  double rigid = kInfinity, deforming = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const FoundationMotion::Side &own = motion.side[i], &other = motion.side[1 - i];
    const Bounds& box = w.surface[i].tree().bounds();
    const double radius = box.low.cwiseAbs().cwiseMax(box.high.cwiseAbs()).norm();
    const Vector3 v = own.v - other.v - other.Omega.cross(own.pose.r - other.pose.r);
    rigid = std::min(rigid, v.norm() + turn * radius);
    for (Index k = 0; own.u.size() > 0 && k < sides_[i].shapes.rows(); k += 3) {
      const Vector3 rate = sides_[i].shapes.middleRows<3>(k) * own.u;
      deforming = std::max(deforming, rate.squaredNorm());
    }
  }
  return rigid + 2.0 * std::sqrt(deforming);
}

double ElasticFoundation::longest_step(const ForceInput& in, ForceWorkspace& work) const {
  auto& w = static_cast<FoundationWorkspace&>(work);
  read(in, w.motion);
  const double speed = largest_speed(w.motion, w);
  if (!(speed > 0.0)) return kInfinity;
  deform(w.motion, w);
  const Placement second = relative(w.motion.side[0].pose, w.motion.side[1].pose);
  const double distance =
      distance_of_boxes(w.surface[0].tree(), w.surface[1].tree(), second, w.scratch.stack);
  if (distance == 0.0) {
    ArealCounts counts;
    find_elements(w.motion, w, counts);
    if (!w.found[0].empty() || !w.found[1].empty()) return kInfinity;
  }
  const double layer = std::min(sides_[0].mesh->depth(), sides_[1].mesh->depth());
  return (distance + 0.5 * layer) / speed;
}

// Update positions of the vertices, normals, layer and tree to the current deformation.
void ElasticFoundation::deform(const FoundationMotion& motion, FoundationWorkspace& w) const {
  for (std::size_t i = 0; i < 2; ++i) {
    const Vector& q = motion.side[i].q;
    if (q.size() == 0 || q == w.q[i]) continue;
    w.q[i] = q;
    ArealInstance& surface = w.surface[i];
    const std::vector<Vector3>& places = sides_[i].mesh->places();
    for (std::size_t v = 0; v < places.size(); ++v) {
      surface.vertices()[v] = places[v];
      surface.vertices()[v].noalias() +=
          sides_[i].shapes.middleRows<3>(3 * static_cast<Index>(v)) * q;
    }
    surface.update();
  }
}

void ElasticFoundation::find_elements(const FoundationMotion& motion, FoundationWorkspace& w,
                                      ArealCounts& counts) const {
  const bool is_clipped = options_.elements == FoundationElements::Clipped;
  for (auto& found : w.found) found.clear();
  if (!is_clipped) {
    w.intersection.find(w.surface[0], w.surface[1],
                        relative(motion.side[0].pose, motion.side[1].pose));
    counts = w.intersection.counts();
  }
  for (std::size_t base = 0; base < 2; ++base) {
    if (options_.base == (base == 0 ? FoundationBase::Second : FoundationBase::First)) continue;
    const std::size_t target = 1 - base;
    const Placement pose = relative(motion.side[target].pose, motion.side[base].pose);
    if (is_clipped) {
      clipped_elements(w.surface[base], w.surface[target], pose, w.scratch, counts, w.found[base]);
    } else {
      barycentre_elements(w.surface[base], w.surface[target], pose, w.intersection.active(base),
                          counts, w.found[base]);
    }
  }
}

FoundationResult ElasticFoundation::contact(const FoundationMotion& motion,
                                            FoundationWorkspace& w) const {
  FoundationResult result;
  w.elements.clear();
  for (std::size_t i = 0; i < 2; ++i) {
    w.force[i].setZero();
    w.moment[i].setZero();
    w.modal[i].setZero();
  }
  deform(motion, w);
  find_elements(motion, w, result.counts);
  const double weight = options_.base == FoundationBase::Both ? 0.5 : 1.0;
  for (std::size_t base = 0; base < 2; ++base) {
    for (const ArealElement& element : w.found[base]) {
      act(motion, base, weight, element, w, result);
    }
  }
  result.force = w.force[0];  // (6.8)
  result.moment = w.moment[0];
  return result;
}

// Return the velocity relative to the body's frame, in inertial components.
Vector3 ElasticFoundation::deformation_velocity(const FoundationMotion& motion, std::size_t i,
                                                Index triangle, const Vector3& place,
                                                const Vector3& weights,
                                                const FoundationWorkspace& w) const {
  const FoundationSide& side = sides_[i];
  const FoundationMotion::Side& m = motion.side[i];
  const TriangleTopology::Triangle& t = side.mesh->topology().triangles()[at(triangle)];
  if (options_.velocity == FoundationVelocity::Barycentric) {
    return m.pose.direction(triangle_mean(side.shapes, t, weights, m.u));
  }
  Vector3 sum = Vector3::Zero();
  for (const Index v : t) {
    const Vector3 turn = side.turns.middleRows<3>(3 * v) * m.u;
    sum += side.shapes.middleRows<3>(3 * v) * m.u;  // (6.11), (6.13)
    sum += turn.cross(place - w.surface[i].vertices()[at(v)]);
  }
  return m.pose.direction(sum / 3.0);  // (6.12), (6.14)
}

void ElasticFoundation::act(const FoundationMotion& motion, std::size_t base, double weight,
                            const ArealElement& element, FoundationWorkspace& w,
                            FoundationResult& result) const {
  const std::size_t target = 1 - base;
  const Placement& frame = motion.side[target].pose;
  FoundationElement e;
  e.place = frame.point(element.place);
  e.push = frame.direction(element.push);
  e.area = weight * element.area;
  e.depth = element.depth;
  e.base = element.base;
  e.target = element.target;
  e.base_is_first = base == 0;
  // Velocity of the base relative to the target, (6.9), (6.10).
  Vector3 v = Vector3::Zero();
  std::array<Vector3, 2> weights;
  for (std::size_t i = 0; i < 2; ++i) {
    const double sign = i == base ? 1.0 : -1.0;
    const FoundationMotion::Side& m = motion.side[i];
    v += sign * (m.v + m.Omega.cross(e.place - m.pose.r));
    if (m.q.size() == 0) continue;
    const Index triangle = i == base ? e.base : e.target;
    const Vector3 own = m.pose.local(e.place);
    weights[i] = area_coordinates(w.surface[i].triangle(triangle), own);
    v += sign * deformation_velocity(motion, i, triangle, own, weights[i], w);
  }
  e.approach = -v.dot(e.push);
  const double normal = law_.normal_force(e.area, e.depth, e.approach);
  const Vector3 v_t = v + e.approach * e.push;
  e.force = normal * e.push - law_.friction_over_speed(normal, v_t.norm()) * v_t;  // (6.7)
  e.pressure = normal > 0.0 ? law_.stiffness * element.deepest : 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double sign = i == base ? 1.0 : -1.0;
    const FoundationMotion::Side& m = motion.side[i];
    w.force[i] += sign * e.force;
    w.moment[i] += sign * (e.place - m.pose.r).cross(e.force);
    if (m.q.size() == 0) continue;
    // (6.15) with the area coordinates as weights, and (2.55).
    const TriangleTopology::Triangle& t =
        sides_[i].mesh->topology().triangles()[at(i == base ? e.base : e.target)];
    const Vector3 own = sign * m.pose.local_direction(e.force);
    for (std::size_t k = 0; k < 3; ++k) {
      w.modal[i].noalias() += sides_[i].shapes.middleRows<3>(3 * t[k]).transpose() *
                              (weights[i](static_cast<Index>(k)) * own);
    }
  }
  if (normal > 0.0) ++result.active;
  result.area += e.area;
  result.pressure = std::max(result.pressure, e.pressure);
  result.depth = std::max(result.depth, element.deepest);
  result.power += e.force.dot(v);
  w.elements.push_back(e);
}

// Return c_l ∫ δ dV over the part of the base in the layer of the target. Its derivative with
// respect to the motion is the pressure c_l δ on the surface of the base.
double ElasticFoundation::energy(const FoundationMotion& motion, FoundationWorkspace& w) const {
  if (options_.elements != FoundationElements::Clipped) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  deform(motion, w);
  double sum = 0.0;
  for (std::size_t base = 0; base < 2; ++base) {
    if (options_.base == (base == 0 ? FoundationBase::Second : FoundationBase::First)) continue;
    const std::size_t target = 1 - base;
    const Placement pose = relative(motion.side[target].pose, motion.side[base].pose);
    sum += depth_integral(w.surface[base], w.surface[target], pose, w.scratch);
  }
  return law_.stiffness * (options_.base == FoundationBase::Both ? 0.5 : 1.0) * sum;
}

}  // namespace nsmb
