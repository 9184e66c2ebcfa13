#include "nsmb/complementarity/lorentz_cone.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb::internal {
namespace {

/// Return a with its second part mirrored, which is the inverse of a up to its determinant.
ConePoint mirrored(const ConePoint& a) { return {a[0], -a[1], -a[2]}; }

/// Return the matrix of determinant one that maps e to w ∘ w, w of determinant one.
ConeMatrix root_matrix(const ConePoint& w) {
  ConeMatrix matrix;
  matrix.row(0) = w.transpose();
  matrix.col(0) = w;
  matrix.bottomRightCorner<2, 2>() =
      Eigen::Matrix2d::Identity() + w.tail<2>() * w.tail<2>().transpose() / (1.0 + w[0]);
  return matrix;
}

}  // namespace

double cone_det(const ConePoint& a) {
  const double rest = a.tail<2>().norm();
  return (a[0] - rest) * (a[0] + rest);
}

ConePoint cone_product(const ConePoint& a, const ConePoint& b) {
  ConePoint product;
  product[0] = a.dot(b);
  product.tail<2>() = a[0] * b.tail<2>() + b[0] * a.tail<2>();
  return product;
}

ConePoint cone_quotient(const ConePoint& a, const ConePoint& b) {
  ConePoint u;
  u[0] = a.dot(mirrored(b)) / cone_det(a);
  u.tail<2>() = (b.tail<2>() - u[0] * a.tail<2>()) / a[0];
  return u;
}

double cone_step(const ConePoint& a, const ConePoint& da, double most) {
  // det(a + alpha da) = A alpha² + 2 B alpha + C, C > 0.
  const double A = cone_det(da);
  const double B = a.dot(mirrored(da));
  const double C = cone_det(a);
  const double discriminant = B * B - A * C;
  double step = most;
  if (discriminant >= 0.0) {
    // Formulas without cancellation.
    const double sum = -(B + std::copysign(std::sqrt(discriminant), B));
    for (const double root : {sum / A, C / sum}) {
      if (root > 0.0) step = std::min(step, root);
    }
  }
  if (da[0] < 0.0) step = std::min(step, -a[0] / da[0]);
  return step;
}

ConeScaling::ConeScaling(const ConePoint& x, const ConePoint& F) {
  const double size_x = std::sqrt(cone_det(x)), size_F = std::sqrt(cone_det(F));
  const ConePoint unit_x = x / size_x, unit_F = F / size_F;
  const double norm = std::sqrt(2.0 * (1.0 + unit_x.dot(unit_F)));
  const ConePoint w = (unit_F + mirrored(unit_x)) / norm;
  const double factor = std::sqrt(size_F / size_x);
  W = factor * root_matrix(w);
  inverse = root_matrix(mirrored(w)) / factor;
}

}  // namespace nsmb::internal
