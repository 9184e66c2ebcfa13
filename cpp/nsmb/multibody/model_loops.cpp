// Closed loops: equations between two markers.
#include "nsmb/geometry/curve_foot.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

// Compute ġ and g̈ of g = aᵀd with a fixed in body 1: ġ = aᵀ(v_2 - v_1) + (Ω_1 × a)ᵀd.
void along(const MarkerKinematics& m1, const MarkerKinematics& m2, const Vector3& a, Index i,
           ConstraintKinematics& c) {
  const Vector3 d = m2.r - m1.r;
  const Vector3 arm = a.cross(d);
  const Vector3 turn = m1.Omega.cross(a);
  auto w = c.W.col(i);
  relative_direction(m1, m2, &MarkerKinematics::J_S, a, w);
  m1.each_range([&](const VelocityRange& range, Index column) {
    w.segment(range.first, range.size) += m1.J_R.middleCols(column, range.size).transpose() * arm;
  });
  c.w_tilde(i) = a.dot(m2.j_tilde_S - m1.j_tilde_S) + arm.dot(m1.j_tilde_R);
  c.w_bar(i) = a.dot(m2.j_bar_S - m1.j_bar_S) + arm.dot(m1.j_bar_R) + 2.0 * turn.dot(m2.v - m1.v) +
               m1.Omega.cross(turn).dot(d);
}

// Compute g = aᵀb with a fixed in body 1, b in body 2: ġ = (b × a)ᵀ(Ω_2 - Ω_1).
void perpendicular(const MarkerKinematics& m1, const MarkerKinematics& m2, const Vector3& a,
                   const Vector3& b, Index i, ConstraintKinematics& c) {
  const Vector3 arm = b.cross(a);
  const Vector3 rate = m2.Omega.cross(b).cross(a) + b.cross(m1.Omega.cross(a));
  c.g(i) = a.dot(b);
  relative_direction(m1, m2, &MarkerKinematics::J_R, arm, c.W.col(i));
  c.w_tilde(i) = arm.dot(m2.j_tilde_R - m1.j_tilde_R);
  c.w_bar(i) = arm.dot(m2.j_bar_R - m1.j_bar_R) + rate.dot(m2.Omega - m1.Omega);
}

void distance(const MarkerKinematics& m1, const MarkerKinematics& m2, double length, Index i,
              ConstraintKinematics& c) {
  const Line line(m1, m2);
  const Vector3 v = m2.v - m1.v;
  c.g(i) = line.distance - length;
  relative_direction(m1, m2, &MarkerKinematics::J_S, line.e, c.W.col(i));
  c.w_tilde(i) = line.e.dot(m2.j_tilde_S - m1.j_tilde_S);
  c.w_bar(i) = line.e.dot(m2.j_bar_S - m1.j_bar_S) +
               (v.squaredNorm() - line.rate * line.rate) / line.distance;
}

// Compute the height of point 2 over the curve. Its gradient is n, which rotates by -κ/(1 - κ g) t
// per length as d moves along t. With the speed s of d along t in body 1:
//   g̈ = that of nᵀd with n fixed - κ/(1 - κ g) s².
void on_curve(const MarkerKinematics& m1, const MarkerKinematics& m2, const Contour& curve, Index i,
              ConstraintKinematics& c) {
  const CurvePlace place(m1, m2, curve);
  along(m1, m2, place.n, i, c);
  c.g(i) = place.g;
  c.w_bar(i) -= place.bend * place.speed * place.speed;
}

}  // namespace

CurvePlace::CurvePlace(const MarkerKinematics& m1, const MarkerKinematics& m2,
                       const Contour& curve) {
  const Vector3 d = m2.r - m1.r;
  const CurveFoot foot = nearest_foot(curve, {m1.A.col(0).dot(d), m1.A.col(1).dot(d)});
  n = m1.A.leftCols<2>() * foot.at.n;
  t = m1.A.leftCols<2>() * foot.at.t;
  g = foot.height;
  sigma = foot.sigma;
  kappa = foot.at.kappa;
  shrink = 1.0 / (1.0 - kappa * g);
  bend = kappa * shrink;
  speed = t.dot(m2.v - m1.v - m1.Omega.cross(d));
}

void loop_row(const LoopRow& row, const ModelWorkspace& work, Index i, ConstraintKinematics& c) {
  const MarkerKinematics& m1 = work.markers[static_cast<std::size_t>(row.marker_1)];
  const MarkerKinematics& m2 = work.markers[static_cast<std::size_t>(row.marker_2)];
  switch (row.kind) {
    case LoopRow::Kind::Along:
      c.g(i) = m1.A.col(row.first).dot(m2.r - m1.r);
      return along(m1, m2, m1.A.col(row.first), i, c);
    case LoopRow::Kind::Perpendicular:
      return perpendicular(m1, m2, m1.A.col(row.first), m2.A.col(row.second), i, c);
    case LoopRow::Kind::Distance:
      return distance(m1, m2, row.length, i, c);
    case LoopRow::Kind::OnCurve:
      return on_curve(m1, m2, *row.curve, i, c);
  }
}

}  // namespace nsmb
