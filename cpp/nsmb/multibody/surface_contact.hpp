// Contacts in space of pairs of smooth surfaces.
//
//   γ = (n, t_1, t_2)ᵀ (v_C2 - v_C1),   γ̇ = (n, t_1, t_2)ᵀ (a_C2 - a_C1) + (ṅ, ṫ_1, ṫ_2)ᵀ (v_C2 -
//   v_C1) a_C = a + Ω̇ × ρ + Ω × ρ̇,   ρ = C - r;   C moves on both bodies, ρ̇ = Ċ - v.
#pragma once

#include <string>

#include "nsmb/geometry/surface_point.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// Of surfaces that always have one contact point.
struct SurfaceContact {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;
  Surface surface_1, surface_2;
};

/// Throws std::invalid_argument for a pair that is not known here.
void check_surfaces(const SurfaceContact& contact);

/// A shape in the frame of a marker, on its way.
ShapeMotion motion_of(const MarkerKinematics& marker);

/// Throws std::domain_error: the surfaces of this contact touch at many points.
[[noreturn]] void refuse_many_points(const std::string& contact);

/// Where contact `i` may have directions, with its tangential rows from `row` on, they are zero.
void clear_surface_rows(const MarkerKinematics& m1, const MarkerKinematics& m2, Index i, Index row,
                        ContactKinematics& c);
/// Everything that is said of the contact, from zero.
void fill_surface_rows(const SurfacePoint& p, const MarkerKinematics& m1,
                       const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c);

/// Contact `i` with its tangential rows from `row` on.
void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, Index i, Index row, ContactKinematics& c);

}  // namespace nsmb
