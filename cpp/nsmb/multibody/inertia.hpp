// Small operations on symmetric 3x3 matrices and on the inertia of chains of bodies.
#pragma once

#include "nsmb/multibody/tree_workspace.hpp"

namespace nsmb {

inline Vector3 operator*(const Symmetric3& s, const Vector3& v) {
  return {s[0] * v[0] + s[1] * v[1] + s[2] * v[2], s[1] * v[0] + s[3] * v[1] + s[4] * v[2],
          s[2] * v[0] + s[4] * v[1] + s[5] * v[2]};
}

/// Add a bᵀ to s, where a and b make a symmetric matrix.
inline void add_product(Symmetric3& s, const Vector3& a, const Vector3& b) {
  s[0] += a[0] * b[0];
  s[1] += a[0] * b[1];
  s[2] += a[0] * b[2];
  s[3] += a[1] * b[1];
  s[4] += a[1] * b[2];
  s[5] += a[2] * b[2];
}

/// Return the moment about O and the force for motion `a` of the rigid body, given I_O and m r_OS.
inline Pair times_inertia(const LinkState& body, double mass, const Pair& a) {
  return {body.inertia * a.R + body.moment.cross(a.T), mass * a.T + a.R.cross(body.moment)};
}

/// Return the gyroscopic part: the moment and force about O at zero acceleration.
inline Pair gyroscopic(const LinkState& body) {
  const Vector3& Omega = body.v.R;
  return {Omega.cross(body.inertia * Omega), Omega.cross(Omega.cross(body.moment))};
}

inline double dot(const Pair& a, const Pair& b) { return a.R.dot(b.R) + a.T.dot(b.T); }

inline Pair operator*(const ChainInertia& I, const Pair& a) {
  return {I.J * a.R + I.H * a.T, I.H.transpose() * a.R + I.M * a.T};
}

/// Compute the same inertia about a new point, from which rho leads to the old point.
inline void shift(const ChainInertia& I, const Vector3& rho, ChainInertia& out) {
  const double x = rho[0], y = rho[1], z = rho[2];
  const auto& M = I.M;
  // H' = H + ρ~ M
  Matrix3& H = out.H;
  H(0, 0) = I.H(0, 0) + y * M[2] - z * M[1];
  H(1, 0) = I.H(1, 0) + z * M[0] - x * M[2];
  H(2, 0) = I.H(2, 0) + x * M[1] - y * M[0];
  H(0, 1) = I.H(0, 1) + y * M[4] - z * M[3];
  H(1, 1) = I.H(1, 1) + z * M[1] - x * M[4];
  H(2, 1) = I.H(2, 1) + x * M[3] - y * M[1];
  H(0, 2) = I.H(0, 2) + y * M[5] - z * M[4];
  H(1, 2) = I.H(1, 2) + z * M[2] - x * M[5];
  H(2, 2) = I.H(2, 2) + x * M[4] - y * M[2];
  // J' = J - H ρ~ + ρ~ H'ᵀ
  const Matrix3& h = I.H;
  out.J[0] = I.J[0] + (y * h(0, 2) - z * h(0, 1)) + (y * H(0, 2) - z * H(0, 1));
  out.J[1] = I.J[1] + (z * h(0, 0) - x * h(0, 2)) + (y * H(1, 2) - z * H(1, 1));
  out.J[2] = I.J[2] + (x * h(0, 1) - y * h(0, 0)) + (y * H(2, 2) - z * H(2, 1));
  out.J[3] = I.J[3] + (z * h(1, 0) - x * h(1, 2)) + (z * H(1, 0) - x * H(1, 2));
  out.J[4] = I.J[4] + (x * h(1, 1) - y * h(1, 0)) + (z * H(2, 0) - x * H(2, 2));
  out.J[5] = I.J[5] + (x * h(2, 1) - y * h(2, 0)) + (x * H(2, 1) - y * H(2, 0));
  out.M = M;
}

inline void add(const ChainInertia& I, ChainInertia& sum) {
  for (std::size_t k = 0; k < 6; ++k) {
    sum.J[k] += I.J[k];
    sum.M[k] += I.M[k];
  }
  sum.H += I.H;
}

}  // namespace nsmb
