// Rotation of a rigid body about its centre of mass without loads.
#pragma once

#include <Eigen/Geometry>

namespace nsmb {

/// Rotate a body for h s, from attitude A (body to inertial frame) and Ω (rad/s, body frame). I_S
/// is in the body frame.
///
///   A ← A Λ,   Λ = cay(k Ω̄),   2 I (Ω̄ - Ω) + k Ω̄ × I Ω̄ = 0,   Ω ← 2 Ω̄ - Ω
///
/// in substeps k. Each substep is the implicit midpoint rule, which conserves Ωᵀ I Ω and A I Ω,
/// since I Ω ← Λᵀ I Ω is the same equation. Seven substeps form one of sixth order. Bodies with
/// equal moments of inertia about all axes rotate uniformly.
void turn_freely(const Eigen::Matrix3d& I, double h, Eigen::Quaterniond& A, Eigen::Vector3d& Omega);

}  // namespace nsmb
