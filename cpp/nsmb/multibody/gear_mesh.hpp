// Geometry of two involute gears in mesh: contact position, depth and stiffness of the flanks.
#pragma once

#include <span>
#include <string>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

/// A gear about the z axis of its marker, with its middle plane through the origin.
struct GearWheel {
  std::string name;
  Index teeth = 0;
  double r_b = 0.0, r_a = 0.0;  // m, base and tip circle
  /// Half the angle of a tooth on the base circle, rad, (π/2 + 2x tan α_n)/z + inv α_t.
  double half_tooth = 0.0;
  double beta_b = 0.0;  // rad, helix angle on the base circle, right-handed positive
  double width = 0.0;   // m
  double phase = 0.0;   // rad, angle from the x axis of the marker to the middle of tooth 0
  double relief = 0.0, relief_length = 0.0;  // m, depth at the tip; along the path of contact
  double crowning = 0.0;                     // m, depth at both ends of the face
  double r_d = 0.0;                          // m, root circle, where the springs of teeth act
  double K = 0.0, D = 0.0, mass = 0.0;       // N/m, N s/m, kg of a tooth
  double spin = 0.0;                         // rad/s, initial angular velocity of its teeth

  double pitch() const;  // rad
};

/// A mesh of two gears and the law of contact of their flanks.
struct GearMesh {
  /// Definition of the penetration of two flanks.
  enum class Depth { LineOfAction, TurnAngle };

  std::string name;
  Index first = 0, second = 1;
  Index near_1 = 0, near_2 = 0;  // maximum numbers of teeth that touch or have just touched
  double stiffness = 0.0;        // N/m², c_max per width
  double stiffness_ratio = 1.0;  // c_min/c_max
  double damping = 0.0;          // N s/m for a pair of teeth
  double transition = 0.0;       // m, depth within which damping grows
  double mu = 0.0, v_eps = 1.0;  // friction; m/s, slip speed of full friction
  double play = 0.0;             // m, half the backlash on the transverse line of action ...
  bool from_geometry = true;     // ... added to that of the teeth at their distance
  double inv_v = 0.0;            // inv of the pressure angle without backlash (7.4)
  double entry = 0.0;            // fraction of the base pitch over which a pair takes up its load
  bool left = true, right = true;
  Depth depth = Depth::LineOfAction;
};

struct GearPose {
  Vector3 r = Vector3::Zero();
  Matrix3 A = Matrix3::Identity();  // marker components to inertial ones
  Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();

  Vector3 axis() const { return A.col(2); }
};

/// Relative position of two gears, with x along the circumference, y from 1 to 2, z along the axes.
struct GearPlace {
  /// Construct the position. `bias` is the expected deflection of soft teeth on the left, as a
  /// fraction of the pitch.
  GearPlace(const GearWheel& one, const GearWheel& two, const GearMesh& mesh, const GearPose& p1,
            const GearPose& p2, double bias);

  bool is_possible = false;  // axes parallel, and further apart than the base circles
  Vector3 ex, ey, ez;
  double cos_w = 0.0, sin_w = 0.0;
  double turn1 = 0.0, turn2 = 0.0;      // m, r_b φ of each, from the line of centres
  double middle1 = 0.0, middle2 = 0.0;  // m, r_b times half a tooth at the pitch point
  double aside = 0.0;                   // m, helix in the common face, as a rotation of 1 against 2
  double approach = 0.0;                // m, r_b2 Δφ (7.12), positive where left flanks approach
  Index teeth_sum = 0;                  // sum of the numbers of teeth whose left flanks are a pair
  double play = 0.0;                    // m, half of the backlash
  double g_1 = 0.0, g_2 = 0.0;          // m, recess and approach of the path of contact (7.8)
  double width = 0.0, mid = 0.0;        // m, common face, and its middle along z from gear 1
  double window = 0.0;                  // m, length of the path that a pair covers at once
  double p_b = 0.0, sin_b = 0.0, cos_b = 1.0;
};

/// Stiffness of a pair of teeth at a point of the path of contact.
struct PairStiffness {
  double K = 0.0;      // N/m
  double share = 0.0;  // fraction of the window that is on the path
};
PairStiffness pair_stiffness(const GearPlace& place, const GearMesh& mesh, double xi);

/// Return the material removed by tip relief, m.
double relief_at(const GearWheel& one, const GearWheel& two, const GearPlace& place, double xi);

/// Return the depth along the transverse line of action, m, of flanks on one side at `xi`. They are
/// `approach` nearer than in the middle of the backlash.
double depth_of(const GearWheel& one, const GearWheel& two, const GearMesh& mesh,
                const GearPlace& place, double approach, double xi);

/// Force of a face pressed in to depth `delta`, and its stored energy, J.
struct Pressed {
  double force = 0.0, energy = 0.0;
};
Pressed pressed(double K, double delta, double crowning);

}  // namespace nsmb
