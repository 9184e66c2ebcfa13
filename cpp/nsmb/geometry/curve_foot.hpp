// The foot of a point on a curve, for any position of the point.
#pragma once

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

struct CurveFoot {
  CurvePoint at;
  double sigma = 0.0;
  double height = 0.0;  // m, nᵀ(p - r): positive on the side of the body
};

/// Return the foot of a point in the frame of the contour on the first piece, at the nearest of all
/// local minima found from its elements. The height is NaN if Newton's method finds none.
CurveFoot nearest_foot(const Contour& contour, const Vector2& p);

/// Return dκ/ds, by finite differences unless it is zero for the shape.
double curvature_slope(const Contour& contour, Index piece, double sigma);

}  // namespace nsmb
