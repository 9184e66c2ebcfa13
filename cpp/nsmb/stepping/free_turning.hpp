// How a body turns about its centre of mass without loads.
#pragma once

#include <Eigen/Geometry>

namespace nsmb {

/// By h s, from the attitude A (body to rest) and Ω (rad/s, in the body), I_S in the body.
///
///   A ← A Λ,   Λ = cay(k Ω̄),   2 I (Ω̄ - Ω) + k Ω̄ × I Ω̄ = 0,   Ω ← 2 Ω̄ - Ω
///
/// in substeps k. Each is the implicit midpoint rule, which keeps Ωᵀ I Ω and A I Ω, as I Ω ← Λᵀ I Ω
/// is the same equation; seven make one of sixth order. What has the same moment of inertia about
/// all axes turns evenly.
void turn_freely(const Eigen::Matrix3d& I, double h, Eigen::Quaterniond& A, Eigen::Vector3d& Omega);

}  // namespace nsmb
