// Contacts in space between pairs of smooth surfaces.
//
//   γ = (n, t_1, t_2)ᵀ (v_C2 - v_C1),
//   γ̇ = (n, t_1, t_2)ᵀ (a_C2 - a_C1) + (ṅ, ṫ_1, ṫ_2)ᵀ (v_C2 - v_C1),
//   a_C = a + Ω̇ × ρ + Ω × ρ̇,   ρ = C - r,   ρ̇ = Ċ - v, where C moves on both bodies.
#pragma once

#include <string>

#include "nsmb/geometry/surface_point.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

/// A contact of surfaces that always have one contact point.
struct SurfaceContact {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;
  Surface surface_1, surface_2;
};

/// Throw std::invalid_argument for an unsupported pair.
void check_surfaces(const SurfaceContact& contact);

/// Return the motion of a shape in the frame of a marker.
ShapeMotion motion_of(const MarkerKinematics& marker);

/// Throw std::domain_error, since the surfaces of this contact touch at many points.
[[noreturn]] void refuse_many_points(const std::string& contact);

/// A contact and its rows: the first tangential rows of sliding, rolling and drilling; -1: none.
struct ContactPlace {
  Index contact = 0, sliding = 0, rolling = -1, drilling = -1;
};

/// Set to zero the rows of a contact where they may be non-zero.
void clear_surface_rows(const MarkerKinematics& m1, const MarkerKinematics& m2,
                        const ContactPlace& place, ContactKinematics& c);
/// Fill all rows of the contact.
void fill_surface_rows(const SurfacePoint& p, const MarkerKinematics& m1,
                       const MarkerKinematics& m2, const ContactPlace& place, ContactKinematics& c);

/// Set the tangential row `row` to zero where it may be non-zero.
void clear_turn_row(const MarkerKinematics& m1, const MarkerKinematics& m2, Index row,
                    ContactKinematics& c);
/// Fill the tangential row of γ = eᵀ(Ω_2 - Ω_1), γ̇ = eᵀ(Ω̇_2 - Ω̇_1) + ėᵀ(Ω_2 - Ω_1), which is zero
/// on entry.
void fill_turn_row(const Vector3& e, const Vector3& e_dot, const MarkerKinematics& m1,
                   const MarkerKinematics& m2, Index row, ContactKinematics& c);

void surface_contact(const SurfaceContact& contact, const MarkerKinematics& m1,
                     const MarkerKinematics& m2, const ContactPlace& place, ContactKinematics& c);

}  // namespace nsmb
