// The foot of a point on a curve, wherever the point is.
#pragma once

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

struct CurveFoot {
  CurvePoint at;
  double sigma = 0.0;
  double height = 0.0;  // m, nᵀ(p - r): positive on the side of the body
};

/// Of a point in the frame of the contour, on the first piece, at the nearest of all local minima
/// that its elements lead to. The height is not a number where Newton's method finds none.
CurveFoot nearest_foot(const Contour& contour, const Vector2& p);

/// dκ/ds where it is not zero by the shape: by differences of the contour alone.
double curvature_slope(const Contour& contour, Index piece, double sigma);

}  // namespace nsmb
