#include "nsmb/multibody/gear_train.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

struct GearWorkspace final : ForceWorkspace {
  explicit GearWorkspace(std::size_t gears) : poses(gears) {}
  std::vector<GearPose> poses;
};

std::span<const GearPose> take(const ForceInput& in, ForceWorkspace& work) {
  auto& poses = static_cast<GearWorkspace&>(work).poses;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const MarkerKinematics& m = in.marker(k);
    poses[k] = {m.r, m.A, m.v, m.Omega};
  }
  return poses;
}

// Soft teeth may deflect by more than half a pitch. With one flank in contact, the nearest pair of
// the other flank is then further away than it appears.
double bias(bool left, bool right) {
  if (left == right) return 0.0;
  return left ? gears::kGivenWay : -gears::kGivenWay;
}

/// Return a predicate for touching flanks, by their modes. Without modes, all may touch.
auto flanks_of(const ForceInput& in) {
  return [&in](std::size_t mesh, bool left) {
    return in.modes() == 0 || in.is_closed(2 * mesh + (left ? 0 : 1));
  };
}

Index modulo(Index number, Index teeth) { return ((number % teeth) + teeth) % teeth; }

void check_wheel(const GearWheel& wheel, Teeth teeth) {
  const std::string what = "gear '" + wheel.name + "': ";
  if (wheel.teeth < 1) reject(what + "teeth", "1 or more", std::to_string(wheel.teeth));
  check_positive(what + "r_b", wheel.r_b);
  check_positive(what + "r_a - r_b", wheel.r_a - wheel.r_b);
  check_positive(what + "width", wheel.width);
  check_finite(what + "half_tooth", wheel.half_tooth);
  check_finite(what + "phase", wheel.phase);
  check_finite(what + "spin", wheel.spin);
  check_range(what + "beta_b", wheel.beta_b, -1.5, 1.5);
  if (wheel.relief > 0.0) check_positive(what + "relief_length", wheel.relief_length);
  if (teeth == Teeth::Rigid) return;
  check_positive(what + "r_d", wheel.r_d);
  check_positive(what + "K", wheel.K);
  if (teeth == Teeth::Relaxing) check_positive(what + "D", wheel.D);
  if (teeth == Teeth::Dynamic) check_positive(what + "mass", wheel.mass);
  if (teeth == Teeth::Static && wheel.crowning > 0.0) {
    reject(what + "crowning", "0 with static teeth", to_text(wheel.crowning));
  }
}

// Return the factor of (6.6), with slope 2 at rest, and 1 from v_eps on.
double regularised(double speed, double v_eps) {
  const double s = speed / v_eps;
  return s >= 1.0 ? 1.0 : s * (2.0 - s);
}

}  // namespace

/// A tooth at one instant.
struct GearTrain::Tooth {
  const GearWheel* wheel = nullptr;
  Index displacement = -1, velocity = -1;  // its states; -1: none
  double s = 0.0;                          // rad, relative to the gear
  double spin = 0.0;                       // rad/s, relative to the gear
  double inertia() const { return wheel->mass * wheel->r_d * wheel->r_d; }
  double stiffness() const { return wheel->K * wheel->r_d * wheel->r_d; }
  double damping() const { return wheel->D * wheel->r_d * wheel->r_d; }
};

GearTrain::GearTrain(std::vector<GearWheel> wheels, std::vector<GearMesh> meshes, Options options)
    : wheels_(std::move(wheels)), meshes_(std::move(meshes)), options_(options) {
  const auto n = static_cast<Index>(wheels_.size());
  if (n < 2) reject("gears", "2 or more", std::to_string(n));
  for (const GearWheel& wheel : wheels_) check_wheel(wheel, options_.teeth);
  for (const GearMesh& mesh : meshes_) {
    const std::string what = "mesh '" + mesh.name + "': ";
    if (mesh.first < 0 || mesh.second < 0 || mesh.first >= n || mesh.second >= n ||
        mesh.first == mesh.second) {
      reject(what + "gears", "two of " + std::to_string(n),
             std::to_string(mesh.first) + " and " + std::to_string(mesh.second));
    }
    check_positive(what + "stiffness", mesh.stiffness);
    check_range(what + "stiffness_ratio", mesh.stiffness_ratio, 0.0, 1.0);
    check_range(what + "damping", mesh.damping, 0.0, std::numeric_limits<double>::max());
    check_positive(what + "v_eps", mesh.v_eps);
    if (mesh.damping > 0.0 && options_.teeth != Teeth::Rigid && options_.teeth != Teeth::Dynamic) {
      reject(what + "damping", "0 for massless teeth, which have their own damping",
             to_text(mesh.damping));
    }
  }
  if (!has_states()) return;
  if (options_.all_teeth) {
    for (Index k = 0; k < n; ++k) add_group(k, wheels_[static_cast<std::size_t>(k)].teeth, "");
    for (const GearMesh& mesh : meshes_) group_of_.push_back({mesh.first, mesh.second});
    return;
  }
  for (const GearMesh& mesh : meshes_) {
    std::array<Index, 2> groups{};
    for (std::size_t k = 0; k < 2; ++k) {
      const Index wheel = k == 0 ? mesh.first : mesh.second;
      groups[k] = static_cast<Index>(groups_.size());
      const Index near = k == 0 ? mesh.near_1 : mesh.near_2;
      if (near < 1) {
        reject("mesh '" + mesh.name + "': near", "1 tooth or more", std::to_string(near));
      }
      add_group(wheel, near, mesh.name.empty() ? "" : mesh.name + "_");
    }
    group_of_.push_back(groups);
  }
}

std::vector<WatchedFunction> GearTrain::watched() const {
  std::vector<WatchedFunction> functions;
  for (const GearMesh& mesh : meshes_) {
    const std::string name = mesh.name.empty() ? "" : mesh.name + "_";
    functions.push_back({name + "left", false, gears::kTouch});
    functions.push_back({name + "right", false, gears::kTouch});
  }
  return functions;
}

std::unique_ptr<ForceWorkspace> GearTrain::make_workspace() const {
  return std::make_unique<GearWorkspace>(wheels_.size());
}

GearTrain::Tooth GearTrain::tooth(std::size_t mesh, bool second, Index number, const GearPose& pose,
                                  std::span<const double> x) const {
  Tooth tooth;
  tooth.wheel =
      &wheels_[static_cast<std::size_t>(second ? meshes_[mesh].second : meshes_[mesh].first)];
  if (!has_states()) return tooth;
  const Group& group = groups_[static_cast<std::size_t>(group_of_[mesh][second ? 1 : 0])];
  const Index k = group.place[static_cast<std::size_t>(number)];
  tooth.displacement = group.first + k;
  tooth.s = x[static_cast<std::size_t>(tooth.displacement)];
  if (options_.teeth == Teeth::Dynamic) {
    tooth.velocity = tooth.displacement + group.size;
    tooth.spin = x[static_cast<std::size_t>(tooth.velocity)] - pose.Omega.dot(pose.axis());
  }
  return tooth;
}

// Tooth numbers increase with the angle. Right flanks are a mirror image of left ones.
template <typename F>
void GearTrain::each_pair(std::size_t mesh, bool left, const GearPlace& place, F&& f) const {
  const GearMesh& m = meshes_[mesh];
  if (!(left ? m.left : m.right) || !(place.width > 0.0) || !(place.g_1 + place.g_2 > 0.0)) return;
  const GearWheel& one = wheels_[static_cast<std::size_t>(m.first)];
  const GearWheel& two = wheels_[static_cast<std::size_t>(m.second)];
  const double sign = left ? 1.0 : -1.0;
  const Index sum = left ? place.teeth_sum : -place.teeth_sum - 1;
  // Position of the pair whose tooth of gear 1 has number 0.
  const double at_zero = 0.5 * (sign * (place.turn1 - place.turn2 + place.aside) + place.middle1 -
                                place.middle2 - static_cast<double>(sum) * place.p_b);
  const double half = 0.5 * place.window;
  const auto first = static_cast<Index>(std::ceil((-place.g_2 - half - at_zero) / place.p_b));
  const auto last = static_cast<Index>(std::floor((place.g_1 + half - at_zero) / place.p_b));
  for (Index k = first; k <= last; ++k) {
    const Index number = left ? k : -k, partner = left ? sum - k : k - sum;
    f(at_zero + static_cast<double>(k) * place.p_b, modulo(number, one.teeth),
      modulo(partner, two.teeth));
  }
}

template <typename F>
void GearTrain::each_contact(std::size_t mesh, bool left, const GearPlace& place,
                             std::span<const GearPose> poses, std::span<const double> x,
                             F&& f) const {
  const GearMesh& m = meshes_[mesh];
  const GearWheel& one = wheels_[static_cast<std::size_t>(m.first)];
  const GearWheel& two = wheels_[static_cast<std::size_t>(m.second)];
  const GearPose& p1 = poses[static_cast<std::size_t>(m.first)];
  const GearPose& p2 = poses[static_cast<std::size_t>(m.second)];
  const double sign = left ? 1.0 : -1.0;
  const Vector3 along = -sign * place.cos_w * place.ex + place.sin_w * place.ey;
  // (7.17), the direction of the pressure on gear 2. The angle is that of the flanks at this
  // distance of the axes.
  const Vector3 n = place.cos_b * along - sign * place.sin_b * place.ez;
  each_pair(mesh, left, place, [&](double xi, Index number_1, Index number_2) {
    const Tooth t1 = tooth(mesh, false, number_1, p1, x), t2 = tooth(mesh, true, number_2, p2, x);
    const double approach = sign * (place.approach + one.r_b * t1.s + two.r_b * t2.s);
    GearContact c;
    c.delta =
        place.cos_b * depth_of(one, two, m, place, approach, xi) - relief_at(one, two, place, xi);
    c.mesh = static_cast<Index>(mesh);
    c.is_left = left;
    c.xi = xi;
    c.tooth_1 = number_1;
    c.tooth_2 = number_2;
    const PairStiffness stiffness = pair_stiffness(place, m, xi);
    c.share = stiffness.share;
    if (!(c.delta > 0.0)) {
      f(c, t1, t2);
      return;
    }
    c.K = stiffness.K;
    if (options_.teeth == Teeth::Static && c.K > 0.0) {
      double give = 1.0 / c.K;
      for (const GearWheel* w : {&one, &two}) {
        const double arm = place.cos_b * w->r_b / w->r_d;
        give += arm * arm / w->K;
      }
      c.K = 1.0 / give;
    }
    const Pressed layer = pressed(c.K, c.delta, one.crowning + two.crowning);
    c.energy = layer.energy;
    c.point = p1.r + (one.r_b / place.cos_w) * place.ey + xi * along + place.mid * place.ez;
    const Vector3 arm_1 = c.point - p1.r, arm_2 = c.point - p2.r;
    const Vector3 gliding = p1.v + (p1.Omega + t1.spin * p1.axis()).cross(arm_1) - p2.v -
                            (p2.Omega + t2.spin * p2.axis()).cross(arm_2);
    const double v_n = n.dot(gliding);  // (7.14)
    const double depth = m.transition > 0.0 ? std::min(1.0, c.delta / m.transition) : 1.0;
    // (7.15), without tension.
    c.F_n = std::max(0.0, layer.force + m.damping * depth * c.share * v_n);
    c.force = c.F_n * n;
    if (m.mu > 0.0) {
      const Vector3 v_t = gliding - v_n * n;
      const double speed = v_t.norm();
      if (speed > 0.0) {
        c.F_t = m.mu * regularised(speed, m.v_eps) * c.F_n;  // (7.16)
        c.force += (c.F_t / speed) * v_t;
      }
    }
    f(c, t1, t2);
  });
}

template <typename Closed, typename F>
bool GearTrain::each_touching(std::span<const GearPose> poses, std::span<const double> x,
                              Closed&& closed, F&& f) const {
  bool is_possible = true;
  for (std::size_t k = 0; k < meshes_.size(); ++k) {
    const GearMesh& mesh = meshes_[k];
    const auto w1 = static_cast<std::size_t>(mesh.first);
    const auto w2 = static_cast<std::size_t>(mesh.second);
    const bool left = closed(k, true), right = closed(k, false);
    if (!left && !right) continue;
    const GearPlace place(wheels_[w1], wheels_[w2], mesh, poses[w1], poses[w2], bias(left, right));
    if (!place.is_possible) {
      is_possible = false;
      continue;
    }
    if (left) each_contact(k, true, place, poses, x, f);
    if (right) each_contact(k, false, place, poses, x, f);
  }
  return is_possible;
}

// Apply the spring torques of teeth (7.21) to the teeth and to their gears. Massless teeth transmit
// all loads.
void GearTrain::springs(std::span<const GearPose> poses, std::span<const double> x, WrenchSink& out,
                        VectorRef xdot) const {
  for (const Group& group : groups_) {
    const auto w = static_cast<std::size_t>(group.wheel);
    const GearWheel& wheel = wheels_[w];
    const auto s = [&](Index k) { return x[static_cast<std::size_t>(group.first + k)]; };
    if (options_.teeth == Teeth::Relaxing) {
      for (Index k = 0; k < group.size; ++k) xdot(group.first + k) = -wheel.K / wheel.D * s(k);
      continue;
    }
    const Vector3 axis = poses[w].axis();
    const double omega = poses[w].Omega.dot(axis), r2 = wheel.r_d * wheel.r_d;
    double torque = 0.0;
    for (Index k = 0; k < group.size; ++k) {
      const double spin = s(group.size + k) - omega;
      const double spring = wheel.K * s(k) + wheel.D * spin;
      torque += r2 * spring;
      xdot(group.first + k) = spin;
      xdot(group.first + group.size + k) = -spring / wheel.mass;  // (7.18)
    }
    out.add(w, Vector3::Zero(), torque * axis);
  }
}

void GearTrain::evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                         ForceWorkspace& work) const {
  const std::span<const GearPose> poses = take(in, work);
  const std::span<const double> x = in.x();
  springs(poses, x, out, xdot);
  const auto on_tooth = [&](const Tooth& tooth, const Vector3& axis, Vector3& moment) {
    const double torque = moment.dot(axis);
    if (tooth.velocity >= 0) {
      xdot(tooth.velocity) += torque / tooth.inertia();
      moment -= torque * axis;
    } else if (tooth.displacement >= 0) {
      xdot(tooth.displacement) += torque / tooth.damping();
    }
  };
  const bool is_possible = each_touching(
      poses, x, flanks_of(in), [&](const GearContact& c, const Tooth& t1, const Tooth& t2) {
        if (!(c.F_n > 0.0)) return;
        const GearMesh& mesh = meshes_[static_cast<std::size_t>(c.mesh)];
        const auto w1 = static_cast<std::size_t>(mesh.first);
        const auto w2 = static_cast<std::size_t>(mesh.second);
        Vector3 m1 = -(c.point - poses[w1].r).cross(c.force);
        Vector3 m2 = (c.point - poses[w2].r).cross(c.force);
        on_tooth(t1, poses[w1].axis(), m1);
        on_tooth(t2, poses[w2].axis(), m2);
        out.add(w1, -c.force, m1);
        out.add(w2, c.force, m2);
      });
  if (!is_possible) out.add(0, Vector3::Constant(std::numeric_limits<double>::quiet_NaN()));
}

// A side touches if its deepest pair does. While it touches, pairs appear and disappear at zero
// depth, so that the function does not jump.
void GearTrain::watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const {
  const std::span<const GearPose> poses = take(in, work);
  for (std::size_t k = 0; k < meshes_.size(); ++k) {
    const auto w1 = static_cast<std::size_t>(meshes_[k].first);
    const auto w2 = static_cast<std::size_t>(meshes_[k].second);
    const GearPlace place(wheels_[w1], wheels_[w2], meshes_[k], poses[w1], poses[w2],
                          bias(in.is_closed(2 * k), in.is_closed(2 * k + 1)));
    for (const bool left : {true, false}) {
      const std::size_t at = 2 * k + (left ? 0 : 1);
      double deepest = -place.p_b;
      if (!place.is_possible) deepest = std::numeric_limits<double>::quiet_NaN();
      each_contact(k, left, place, poses, in.x(),
                   [&](const GearContact& c, const Tooth&, const Tooth&) {
                     deepest = std::max(deepest, in.is_closed(at) ? c.share * c.delta : c.delta);
                   });
      values(static_cast<Index>(at)) = in.is_closed(at) ? deepest : -deepest;
    }
  }
}

void GearTrain::state_slopes(const ForceInput& in, MatrixRef slopes, std::vector<char>& known,
                             ForceWorkspace& work) const {
  if (!has_states()) return;
  const std::span<const GearPose> poses = take(in, work);
  const Index rates = 6 * static_cast<Index>(wheels_.size());
  std::fill(known.begin(), known.end(), 1);
  for (const Group& group : groups_) {
    const GearWheel& wheel = wheels_[at(group.wheel)];
    if (options_.teeth == Teeth::Relaxing) {
      for (Index k = group.first; k < group.first + group.size; ++k) {
        slopes(rates + k, k) = -wheel.K / wheel.D;
      }
      continue;
    }
    const Vector3 moment = wheel.r_d * wheel.r_d * poses[at(group.wheel)].axis();
    for (Index k = group.first; k < group.first + group.size; ++k) {  // (7.18), (7.21)
      const Index spin = k + group.size;
      slopes(rates + k, spin) = 1.0;
      slopes(rates + spin, k) = -wheel.K / wheel.mass;
      slopes(rates + spin, spin) = -wheel.D / wheel.mass;
      slopes.block<3, 1>(6 * group.wheel + 3, k) = wheel.K * moment;
      slopes.block<3, 1>(6 * group.wheel + 3, spin) = wheel.D * moment;
    }
  }
  const auto closed = flanks_of(in);
  each_touching(poses, in.x(), closed, [&](const GearContact&, const Tooth& t1, const Tooth& t2) {
    for (const Tooth* tooth : {&t1, &t2}) {
      known[at(tooth->displacement)] = 0;
      if (tooth->velocity >= 0) known[at(tooth->velocity)] = 0;
    }
  });
}

double GearTrain::energy(const ForceInput& in, ForceWorkspace& work) const {
  const std::span<const GearPose> poses = take(in, work);
  double sum = 0.0;
  const bool is_possible =
      each_touching(poses, in.x(), flanks_of(in),
                    [&](const GearContact& c, const Tooth&, const Tooth&) { sum += c.energy; });
  if (!is_possible) return std::numeric_limits<double>::quiet_NaN();
  for (const Group& group : groups_) {
    const GearWheel& wheel = wheels_[static_cast<std::size_t>(group.wheel)];
    const double half = 0.5 * wheel.r_d * wheel.r_d;
    for (Index k = 0; k < group.size; ++k) {
      const double s = in.x(static_cast<std::size_t>(group.first + k));
      sum += half * wheel.K * s * s;
      if (options_.teeth != Teeth::Dynamic) continue;
      const double omega = in.x(static_cast<std::size_t>(group.first + group.size + k));
      sum += half * wheel.mass * omega * omega;
    }
  }
  return sum;
}

std::string GearTrain::trouble(const ForceInput& in, ForceWorkspace& work) const {
  const std::span<const GearPose> poses = take(in, work);
  for (const GearMesh& mesh : meshes_) {
    const auto w1 = static_cast<std::size_t>(mesh.first);
    const auto w2 = static_cast<std::size_t>(mesh.second);
    if (GearPlace(wheels_[w1], wheels_[w2], mesh, poses[w1], poses[w2], 0.0).is_possible) continue;
    const Vector3 d = poses[w2].r - poses[w1].r, z = poses[w1].axis();
    return "gears '" + wheels_[w1].name + "' and '" + wheels_[w2].name +
           "': expected parallel axes at a distance above the sum of the base radii, " +
           to_text(wheels_[w1].r_b + wheels_[w2].r_b) + " m, got a distance of " +
           to_text((d - d.dot(z) * z).norm()) + " m and a cosine of " +
           to_text(z.dot(poses[w2].axis())) + " between the axes";
  }
  return {};
}

std::vector<GearContact> GearTrain::contacts(std::span<const GearPose> poses,
                                             std::span<const double> x, const Vector& modes) const {
  std::vector<GearContact> found;
  const auto closed = [&modes](std::size_t mesh, bool left) {
    return modes.size() == 0 || modes(static_cast<Index>(2 * mesh + (left ? 0 : 1))) > 0.5;
  };
  each_touching(poses, x, closed, [&](const GearContact& c, const Tooth&, const Tooth&) {
    if (c.delta > 0.0) found.push_back(c);
  });
  return found;
}

}  // namespace nsmb
