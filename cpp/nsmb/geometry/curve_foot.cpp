#include "nsmb/geometry/curve_foot.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/geometry/involute.hpp"
#include "nsmb/geometry/newton.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

/// Return σ of the nearest sample among the ends and midpoints of all elements, which are
/// contiguous.
double nearest_sample(const Contour& contour, const Vector2& p) {
  double best = kInfinity, sigma = 0.0;
  const auto look = [&](double s) {
    if (!std::isfinite(s)) return;
    const double distance = (contour.at(0, s).r - p).squaredNorm();
    if (distance >= best) return;
    best = distance;
    sigma = s;
  };
  for (const Element& element : contour.elements()) {
    look(element.begin);
    look(0.5 * (element.begin + element.end));
  }
  look(contour.elements().back().end);
  return sigma;
}

}  // namespace

CurveFoot nearest_foot(const Contour& contour, const Vector2& p) {
  const Piece piece = contour.piece(0);
  CurveFoot foot;
  bool found = true;
  if (piece.shape == PieceShape::Straight) {
    const CurvePoint q = contour.at(0, 0.0);
    foot.sigma = q.t.dot(p - q.r) / q.speed;
  } else {
    foot.sigma = nearest_sample(contour, p);
    found = solve_foot({contour, 0, p, 1.0}, piece, foot.sigma).converged;
  }
  foot.at = contour.at(0, foot.sigma);
  foot.height = found ? foot.at.n.dot(p - foot.at.r) : std::numeric_limits<double>::quiet_NaN();
  return foot;
}

double curvature_slope(const Contour& contour, Index piece, double sigma) {
  const Piece shape = contour.piece(piece);
  if (shape.shape == PieceShape::Involute) return involute_curvature_slope(shape, sigma);
  if (shape.shape != PieceShape::General) return 0.0;
  const double range = shape.end - shape.begin;
  const double h =
      slopes::kAlongContour * (std::isfinite(range) ? range : std::max(1.0, std::abs(sigma)));
  const auto rise = [&](double step) {
    return contour.at(piece, sigma + step).kappa - contour.at(piece, sigma - step).kappa;
  };
  return (8.0 * rise(h) - rise(2.0 * h)) / (12.0 * h * contour.at(piece, sigma).speed);
}

}  // namespace nsmb
