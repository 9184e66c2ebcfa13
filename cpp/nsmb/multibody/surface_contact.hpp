// Contacts in space of pairs of smooth surfaces that always have one contact point.
//
// A surface is a skeleton with a body around it: all places up to `radius` from a point, a line or
// a circle; a plane bounds a half-space. So a sphere is a point with a radius, a corner one
// without, a cylinder a line, the rim of a disc a circle. A negative radius bounds a hollow from
// outside.
//
// With the points s of the skeletons nearest to each other and n from 1 to 2:
//   g_N = |s_2 - s_1| - radius_1 - radius_2,   C_1 = s_1 + radius_1 n,   C_2 = s_2 - radius_2 n
//   γ = (n, t_1, t_2)ᵀ (v_C2 - v_C1),   γ̇ = (n, t_1, t_2)ᵀ (a_C2 - a_C1) + (ṅ, ṫ_1, ṫ_2)ᵀ (v_C2 -
//   v_C1) a_C = a + Ω̇ × ρ + Ω × ρ̇,   ρ = C - r;   C moves on both bodies, ρ̇ = Ċ - v.
#pragma once

#include <string>

#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// In the frame of a marker: its origin, its e_z, the plane z = 0 with the body below, or the
/// circle about e_z.
enum class Skeleton { Point, Line, Plane, Circle };

struct Surface {
  Skeleton skeleton = Skeleton::Point;
  double radius = 0.0;  // m, of the body around it; negative: of a hollow
  double circle = 0.0;  // m, radius of a circle
};

/// The first is a point, a line or a plane, the second a point; or a plane and a circle. The first
/// tangent is as near to e_x of the first as may be, on a cylinder along e_z.
struct SurfaceContact {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;
  Surface surface_1, surface_2;
};

/// Throws std::invalid_argument for a pair that is not known here.
void check_surfaces(const SurfaceContact& contact);

/// Where two surfaces are nearest, and how that moves. Inertial components.
struct SurfacePoint {
  bool is_singular = false;  // no nearest point, or more than one
  double g_N = 0.0;
  Matrix3 axes, axes_dot;            // n, t_1, t_2
  Vector3 r_1, r_2, rdot_1, rdot_2;  // C_1, C_2
};

SurfacePoint surface_point(const SurfaceContact& contact, const MarkerKinematics& m1,
                           const MarkerKinematics& m2);

/// Contact `i` with its tangential rows from `row` on.
void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c);

}  // namespace nsmb
