// Derivatives of closed loops and joint limits, with a fixed in body 1, b in body 2, d = r_2 - r_1:
//   g = aᵀd:  g̈ = aᵀ(a_2 - a_1) + 2 (Ω_1 × a)ᵀ(v_2 - v_1) + äᵀd,   ä = Ω̇_1 × a + Ω_1 × (Ω_1 × a)
//   g = aᵀb:  g̈ = äᵀb + 2 (Ω_1 × a)ᵀ(Ω_2 × b) + aᵀb̈
//   g = |d|:  g̈ = eᵀ(a_2 - a_1) + (|v_2 - v_1|² - ġ²)/|d|
//   g of a curve:  g̈ of g = nᵀd minus K s²,   K = κ/(1 - κ g),   s = tᵀ(v_2 - v_1 - Ω_1 × d)
// A change of d by τ along t in body 1 rotates n by -K τ t and moves the foot by τ/(1 - κ g).
#include "nsmb/geometry/curve_foot.hpp"
#include "nsmb/multibody/model_derivatives.hpp"

namespace nsmb {

namespace {

/// The two ends of a row.
struct Ends {
  Ends(Index first, Index second, const ModelDerivatives& d)
      : m1(d.work->markers[static_cast<std::size_t>(first)]),
        m2(d.work->markers[static_cast<std::size_t>(second)]),
        d1(d.markers[static_cast<std::size_t>(first)]),
        d2(d.markers[static_cast<std::size_t>(second)]) {}
  const MarkerKinematics &m1, &m2;
  const MarkerDerivatives &d1, &d2;
};

/// A direction fixed in a body, its rates, and their derivatives.
struct Direction {
  Direction(const Vector3& direction, const MarkerKinematics& marker,
            const MarkerDerivatives& derivatives)
      : a(direction), m(marker), d(derivatives) {
    rate = m.Omega.cross(a);
    second = d.alpha.cross(a) + m.Omega.cross(rate);
  }
  Vector3 change(Index k) const { return Vector3(d.phi.col(k)).cross(a); }
  Vector3 change_of_rate(Index k) const {
    return Vector3(d.Omega.col(k)).cross(a) + m.Omega.cross(change(k));
  }
  Vector3 change_of_second(Index k) const {
    return Vector3(d.alpha_y.col(k)).cross(a) + d.alpha.cross(change(k)) +
           Vector3(d.Omega.col(k)).cross(rate) + m.Omega.cross(change_of_rate(k));
  }
  Vector3 a, rate, second;
  const MarkerKinematics& m;
  const MarkerDerivatives& d;
};

// λ Wᵀ: force λ a on 2, -λ a and the moment λ a × d on 1. `inner(k)` is the change of a in body 1.
template <class Inner>
void along(const ModelDescription& model, const Ends& ends, Index first, Index second,
           const Direction& a, const Inner& inner, double lambda, Index row, ModelDerivatives& d) {
  const Vector3 way = ends.m2.r - ends.m1.r, v = ends.m2.v - ends.m1.v;
  const Vector3 acceleration = ends.d2.a - ends.d1.a;
  const Vector3 &Omega = ends.m1.Omega, &alpha = ends.d1.alpha;
  for (Index k = 0; k < d.none.cols(); ++k) {
    const Vector3 own = inner(k), own_rate = Omega.cross(own);
    const Vector3 da = a.change(k) + own, dd = ends.d2.r.col(k) - ends.d1.r.col(k);
    const Vector3 dv = ends.d2.v.col(k) - ends.d1.v.col(k);
    const Vector3 dw = ends.d2.a_y.col(k) - ends.d1.a_y.col(k);
    const Vector3 change_of_rate = a.change_of_rate(k) + own_rate;
    const Vector3 change_of_second =
        a.change_of_second(k) + alpha.cross(own) + Omega.cross(own_rate);
    d.rows(row, k) = da.dot(acceleration) + a.a.dot(dw) +
                     2.0 * (change_of_rate.dot(v) + a.rate.dot(dv)) + change_of_second.dot(way) +
                     a.second.dot(dd);
    d.F.col(k) = lambda * da;
    d.M.col(k) = lambda * (da.cross(way) + a.a.cross(dd));
  }
  d.apply(model, second, lambda * a.a, Vector3::Zero(), d.F, d.none);
  d.F = -d.F;
  d.apply(model, first, -lambda * a.a, lambda * a.a.cross(way), d.F, d.M);
}

void along(const ModelDescription& model, Index first, Index second, Index axis, double lambda,
           Index row, ModelDerivatives& d) {
  const Ends ends(first, second, d);
  const Direction a(ends.m1.A.col(axis), ends.m1, ends.d1);
  along(
      model, ends, first, second, a, [](Index) { return Vector3(Vector3::Zero()); }, lambda, row,
      d);
}

// Return the change of d in body 1.
Vector3 inner_change(const Ends& ends, const Vector3& way, Index k) {
  return ends.d2.r.col(k) - ends.d1.r.col(k) - Vector3(ends.d1.phi.col(k)).cross(way);
}

void on_curve(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
              ModelDerivatives& d) {
  const Ends ends(loop.marker_1, loop.marker_2, d);
  const CurvePlace place(ends.m1, ends.m2, *loop.curve);
  const double slope = curvature_slope(*loop.curve, 0, place.sigma);
  const Vector3 way = ends.m2.r - ends.m1.r, &Omega = ends.m1.Omega;
  const Vector3 w = ends.m2.v - ends.m1.v - Omega.cross(way);
  const auto inner = [&](Index k) {
    return Vector3(-place.bend * place.t.dot(inner_change(ends, way, k)) * place.t);
  };
  const Direction n(place.n, ends.m1, ends.d1);
  along(model, ends, loop.marker_1, loop.marker_2, n, inner, lambda, row, d);
  for (Index k = 0; k < d.none.cols(); ++k) {
    const Vector3 change = inner_change(ends, way, k), phi = ends.d1.phi.col(k);
    const double tau = place.t.dot(change), rise = place.n.dot(change);
    const Vector3 dt = phi.cross(place.t) + place.bend * tau * place.n;
    const Vector3 dw = ends.d2.v.col(k) - ends.d1.v.col(k) -
                       Vector3(ends.d1.Omega.col(k)).cross(way) -
                       Omega.cross(Vector3(ends.d2.r.col(k) - ends.d1.r.col(k)));
    const double d_kappa = slope * place.shrink * tau;
    const double d_bend =
        (d_kappa + place.kappa * place.kappa * rise) * place.shrink * place.shrink;
    d.rows(row, k) -=
        place.speed * (d_bend * place.speed + 2.0 * place.bend * (dt.dot(w) + place.t.dot(dw)));
  }
}

// λ Wᵀ: moment λ b × a on 2, the opposite on 1.
void perpendicular(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
                   ModelDerivatives& d) {
  const Ends ends(loop.marker_1, loop.marker_2, d);
  const Direction a(ends.m1.A.col(loop.first), ends.m1, ends.d1);
  const Direction b(ends.m2.A.col(loop.second), ends.m2, ends.d2);
  for (Index k = 0; k < d.none.cols(); ++k) {
    const Vector3 da = a.change(k), db = b.change(k);
    d.rows(row, k) = a.change_of_second(k).dot(b.a) + a.second.dot(db) +
                     2.0 * (a.change_of_rate(k).dot(b.rate) + a.rate.dot(b.change_of_rate(k))) +
                     da.dot(b.second) + a.a.dot(b.change_of_second(k));
    d.M.col(k) = lambda * (db.cross(a.a) + b.a.cross(da));
  }
  const Vector3 moment = lambda * b.a.cross(a.a);
  d.apply(model, loop.marker_2, Vector3::Zero(), moment, d.none, d.M);
  d.M = -d.M;
  d.apply(model, loop.marker_1, Vector3::Zero(), -moment, d.none, d.M);
}

// λ Wᵀ: force λ e on 2, the opposite on 1.
void distance(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
              ModelDerivatives& d) {
  const Ends ends(loop.marker_1, loop.marker_2, d);
  const Line line(ends.m1, ends.m2);
  line_derivatives(ends.m1, ends.m2, line, ends.d1, ends.d2, d);
  const Vector3 v = ends.m2.v - ends.m1.v, acceleration = ends.d2.a - ends.d1.a;
  const double turning = (v.squaredNorm() - line.rate * line.rate) / line.distance;
  d.d = ends.d2.a_y - ends.d1.a_y;
  auto gamma_dot = d.rows.row(row);
  gamma_dot.noalias() = acceleration.transpose() * d.e;
  gamma_dot.noalias() += line.e.transpose() * d.d;
  gamma_dot.noalias() += (2.0 / line.distance) * v.transpose() * d.v;
  gamma_dot -= (2.0 * line.rate / line.distance) * d.rate;
  gamma_dot -= (turning / line.distance) * d.gamma;
  d.F = lambda * d.e;
  d.apply(model, loop.marker_2, lambda * line.e, Vector3::Zero(), d.F, d.none);
  d.F = -d.F;
  d.apply(model, loop.marker_1, -lambda * line.e, Vector3::Zero(), d.F, d.none);
}

// γ = eᵀ(Ω_2 - Ω_1): moment λ e on 2, the opposite on 1.
void angle(const ModelDescription& model, Index first, Index second, double lambda, Index row,
           ModelDerivatives& d) {
  const Ends ends(first, second, d);
  const Direction e(ends.m1.A.col(2), ends.m1, ends.d1);
  const Vector3 turn = ends.m2.Omega - ends.m1.Omega, alpha = ends.d2.alpha - ends.d1.alpha;
  for (Index k = 0; k < d.none.cols(); ++k) {
    const Vector3 de = e.change(k);
    const Vector3 d_turn = ends.d2.Omega.col(k) - ends.d1.Omega.col(k);
    const Vector3 d_alpha = ends.d2.alpha_y.col(k) - ends.d1.alpha_y.col(k);
    d.rows(row, k) =
        e.change_of_rate(k).dot(turn) + e.rate.dot(d_turn) + de.dot(alpha) + e.a.dot(d_alpha);
    d.M.col(k) = lambda * de;
  }
  d.apply(model, second, Vector3::Zero(), lambda * e.a, d.none, d.M);
  d.M = -d.M;
  d.apply(model, first, Vector3::Zero(), -lambda * e.a, d.none, d.M);
}

}  // namespace

void loop_derivatives(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
                      ModelDerivatives& d) {
  switch (loop.kind) {
    case LoopRow::Kind::Along:
      return along(model, loop.marker_1, loop.marker_2, loop.first, lambda, row, d);
    case LoopRow::Kind::Perpendicular:
      return perpendicular(model, loop, lambda, row, d);
    case LoopRow::Kind::Distance:
      return distance(model, loop, lambda, row, d);
    case LoopRow::Kind::OnCurve:
      return on_curve(model, loop, lambda, row, d);
  }
}

void stop_derivatives(const ModelDescription& model, const JointStop& stop, double lambda,
                      Index row, ModelDerivatives& d) {
  if (stop.turns) {
    angle(model, stop.marker_1, stop.marker_2, stop.direction * lambda, row, d);
  } else {
    along(model, stop.marker_1, stop.marker_2, 2, stop.direction * lambda, row, d);
  }
  d.rows.row(row) *= stop.direction;
}

void rolling_derivatives(const ModelDescription& model, Index marker_1, Index marker_2,
                         double moment, Index row, ModelDerivatives& d) {
  angle(model, marker_1, marker_2, moment, row, d);
}

}  // namespace nsmb
