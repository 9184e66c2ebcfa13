// Two involute gears in mesh as geometry: where flanks touch, how deep, how stiff.
#pragma once

#include <span>
#include <string>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

/// A gear about the z axis of its marker, its middle plane through the origin.
struct GearWheel {
  std::string name;
  Index teeth = 0;
  double r_b = 0.0, r_a = 0.0;  // m, base and tip circle
  /// rad, half the angle of a tooth on the base circle, (π/2 + 2x tan α_n)/z + inv α_t.
  double half_tooth = 0.0;
  double beta_b = 0.0;  // rad, helix angle on the base circle, right-handed positive
  double width = 0.0;   // m
  double phase = 0.0;   // rad, middle of tooth 0 from the x axis of the marker
  double relief = 0.0, relief_length = 0.0;  // m, amount at the tip; along the path of contact
  double crowning = 0.0;                     // m, amount at both ends of the face
  double r_d = 0.0;                          // m, root circle, where teeth stand on their springs
  double K = 0.0, D = 0.0, mass = 0.0;       // N/m, N s/m, kg of a tooth
  double spin = 0.0;                         // rad/s of its teeth at the start

  double pitch() const;  // rad
};

/// Which two of the gears, and by which law their flanks touch.
struct GearMesh {
  /// How deep two flanks are in each other.
  enum class Depth { LineOfAction, TurnAngle };

  std::string name;
  Index first = 0, second = 1;
  Index near_1 = 0, near_2 = 0;  // teeth of each that touch or have just done so, at most
  double stiffness = 0.0;        // N/m², c_max by width
  double stiffness_ratio = 1.0;  // c_min/c_max
  double damping = 0.0;          // N s/m of a pair of teeth
  double transition = 0.0;       // m, depth within which damping grows
  double mu = 0.0, v_eps = 1.0;  // friction, and m/s where it is full
  double play = 0.0;             // m, half of it along the transverse line of action, given ...
  bool from_geometry = true;     // ... besides that of the teeth at their distance
  double inv_v = 0.0;            // inv of the angle without play (7.4)
  double entry = 0.0;            // share of the base pitch over which a pair takes up its load
  bool left = true, right = true;
  Depth depth = Depth::LineOfAction;
};

struct GearPose {
  Vector3 r = Vector3::Zero();
  Matrix3 A = Matrix3::Identity();  // marker components to inertial ones
  Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();

  Vector3 axis() const { return A.col(2); }
};

/// How two gears stand to each other. x along the circumference, y from 1 to 2, z along the axes.
struct GearPlace {
  /// `bias`: share of the pitch by which soft teeth are expected to have given way on the left.
  GearPlace(const GearWheel& one, const GearWheel& two, const GearMesh& mesh, const GearPose& p1,
            const GearPose& p2, double bias);

  bool is_possible = false;  // axes parallel, and further apart than base circles allow
  Vector3 ex, ey, ez;
  double cos_w = 0.0, sin_w = 0.0;
  double turn1 = 0.0, turn2 = 0.0;      // m, r_b φ of each, from the line of centres
  double middle1 = 0.0, middle2 = 0.0;  // m, r_b times half of a tooth at the pitch point
  double aside = 0.0;                   // m, as a turn of 1 against 2: the helix in the common face
  double approach = 0.0;                // m, r_b2 Δφ (7.12), left flanks towards each other
  Index teeth_sum = 0;                  // of numbers of teeth whose left flanks are a pair
  double play = 0.0;                    // m, half
  double g_1 = 0.0, g_2 = 0.0;          // m, recess and approach of the path of contact (7.8)
  double width = 0.0, mid = 0.0;        // m, common face, and its middle along z from gear 1
  double window = 0.0;                  // m, of the path that a pair covers at once
  double p_b = 0.0, sin_b = 0.0, cos_b = 1.0;
};

/// Of a pair of teeth at a place of the path of contact.
struct PairStiffness {
  double K = 0.0;      // N/m
  double share = 0.0;  // of the window that is on the path
};
PairStiffness pair_stiffness(const GearPlace& place, const GearMesh& mesh, double xi);

/// m, what tip reliefs take away.
double relief_at(const GearWheel& one, const GearWheel& two, const GearPlace& place, double xi);

/// m along the transverse line of action, of flanks on the side `sign` at `xi` which are `approach`
/// nearer than in the middle of the play.
double depth_of(const GearWheel& one, const GearWheel& two, const GearMesh& mesh,
                const GearPlace& place, double approach, double xi);

/// Force of a face pressed `delta` deep, and what it stores, J.
struct Pressed {
  double force = 0.0, energy = 0.0;
};
Pressed pressed(double K, double delta, double crowning);

}  // namespace nsmb
