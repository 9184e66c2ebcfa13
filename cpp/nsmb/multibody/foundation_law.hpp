// The law of an elastic layer at one contact element, (6.1)-(6.6).
#pragma once

#include <algorithm>

namespace nsmb {

/// Law with areas, depths and velocities in m², m, m/s, and forces in N.
struct FoundationLaw {
  double stiffness = 0.0;         // c_l, N/m³, of both layers in series (6.2)
  double damping = 0.0;           // d_l, N s/m³
  double transition_depth = 0.0;  // δ_d, m, depth up to which damping grows
  double friction = 0.0;          // μ
  double switch_velocity = 1e-3;  // v_ε, m/s

  /// Return the normal force. `approach` is v_n, positive where the bodies approach each other.
  double normal_force(double area, double depth, double approach) const {
    const double elastic = stiffness * area * depth;  // (6.1)
    double damped = damping * area * approach;        // (6.4)
    if (depth < transition_depth) damped *= depth / transition_depth;
    return std::max(elastic + damped, 0.0);  // (6.5)
  }

  /// Return F_t / v_t in N s/m, which is finite without sliding.
  double friction_over_speed(double normal_force, double speed) const {
    const double bound = friction * normal_force;
    if (speed >= switch_velocity) return bound / speed;  // (6.6)
    return bound / switch_velocity * (2.0 - speed / switch_velocity);
  }
};

}  // namespace nsmb
