// Newton's method for the contact conditions (4.21), with limited steps.
#pragma once

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

struct NewtonResult {
  bool converged = false;
  int iterations = 0;
};

/// The problem of finding σ where the curve is locally nearest to `point` (sign 1) or farthest from
/// it (sign -1).
struct FootProblem {
  const Contour& contour;
  Index piece;
  Vector2 point;  // frame of the contour
  double sign;
};

/// The problem of finding σ where the curve has the tangent `t` and bends to the left: nearest to a
/// line on its right.
struct TangentProblem {
  const Contour& contour;
  Index piece;
  Vector2 t;  // frame of the contour
};

/// The problem of finding (σ_1, σ_2) with n_1ᵀ t_2 = 0 and r_Dᵀ t_1 = 0.
struct PairProblem {
  const Contour& c1;
  const Pose& pose1;
  Index piece_1;
  const Contour& c2;
  const Pose& pose2;
  Index piece_2;
};

/// Each function takes σ as start and replaces it by the root.
NewtonResult solve_foot(const FootProblem& problem, const Piece& piece, double& sigma);
NewtonResult solve_tangent(const TangentProblem& problem, const Piece& piece, double& sigma);
NewtonResult solve_pair(const PairProblem& problem, const Piece& piece_1, const Piece& piece_2,
                        double& sigma_1, double& sigma_2);

}  // namespace nsmb
