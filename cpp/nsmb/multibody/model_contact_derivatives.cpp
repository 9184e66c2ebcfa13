// How contacts of planar contours change. A change of positions moves the contact points along both
// contours as a motion would, by (4.30) with shifts for velocities; in body 1
//   δn = φ × n - κδs t,   δt = φ × t + κδs n,   δρ = φ × ρ + t δs,   and with δ for d/dt ṅ, ṫ, ρ̇.
// With v = v_C1 - v_C2 of the points of the bodies and their rates v̇_C = a + Ω̇ × ρ + Ω × ρ̇:
//   γ̇_N = nᵀv̇ + ṅᵀv,   γ̇_T = tᵀv̇ + ṫᵀv.
#include <cmath>

#include "nsmb/geometry/involute.hpp"
#include "nsmb/multibody/model_derivatives.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// dκ/ds where it is not zero by the shape: by differences of the contour alone.
double curvature_slope(const Contour& contour, Index feature, double sigma) {
  if (is_vertex(feature)) return 0.0;
  const Index piece = (feature - 1) / 2;
  const Piece shape = contour.piece(piece);
  if (shape.shape == PieceShape::Involute) return involute_curvature_slope(shape, sigma);
  if (shape.shape != PieceShape::General) return 0.0;
  const double range = shape.end - shape.begin;
  const double h =
      differences::kAlongContour * (std::isfinite(range) ? range : std::max(1.0, std::abs(sigma)));
  const auto rise = [&](double step) {
    return contour.at(piece, sigma + step).kappa - contour.at(piece, sigma - step).kappa;
  };
  return (8.0 * rise(h) - rise(2.0 * h)) / (12.0 * h * contour.at(piece, sigma).speed);
}

/// The point of one body, and how it changes by a position or velocity.
struct Side {
  Side(Index marker, const Vector3& arm, const ModelDerivatives& all)
      : m(all.work->markers[static_cast<std::size_t>(marker)]),
        d(all.markers[static_cast<std::size_t>(marker)]),
        rho(arm),
        v(m.v + m.Omega.cross(arm)) {}

  /// Along the contour with the rate `along`, a vector.
  void move(const Vector3& along) {
    rho_dot = m.Omega.cross(rho) + along;
    v_dot = d.a + d.alpha.cross(rho) + m.Omega.cross(rho_dot);
  }
  Vector3 fixed_shift(Index k) const {
    return Vector3(d.r.col(k)) + Vector3(d.phi.col(k)).cross(rho);
  }
  void change(Index k, const Vector3& along) {
    d_rho = Vector3(d.phi.col(k)).cross(rho) + along;
    d_v = Vector3(d.v.col(k)) + Vector3(d.Omega.col(k)).cross(rho) + m.Omega.cross(d_rho);
  }
  /// After change(); of v̇, with the change of the vector given to move().
  Vector3 change_of_rate(Index k, const Vector3& along) const {
    const Vector3 Omega = d.Omega.col(k);
    return Vector3(d.a_y.col(k)) + Vector3(d.alpha_y.col(k)).cross(rho) + d.alpha.cross(d_rho) +
           Omega.cross(rho_dot) + m.Omega.cross(Omega.cross(rho) + m.Omega.cross(d_rho) + along);
  }

  const MarkerKinematics& m;
  const MarkerDerivatives& d;
  Vector3 rho, v;
  Vector3 rho_dot = Vector3::Zero(), v_dot = Vector3::Zero();
  Vector3 d_rho = Vector3::Zero(), d_v = Vector3::Zero();
};

/// What (4.30) takes, or its change.
struct RateInput {
  double slip, Omega_1, Omega_2, kappa_1, kappa_2, gap;
};

// The change of (4.30), in its three forms of contact_rates().
ContactRates change_of_rates(const ContactPoint& p, const RateInput& x, const RateInput& d,
                             const ContactRates& s) {
  ContactRates out;
  const double d_turn = d.Omega_2 - d.Omega_1;
  const double k_1 = p.kappa_1, k_2 = p.kappa_2, g = p.g_N;
  if (std::isinf(k_1)) {
    out.sdot_2 =
        (d.slip - d.gap * x.Omega_2 - g * d.Omega_2 - (d.gap * k_2 + g * d.kappa_2) * s.sdot_2) /
        (1.0 + g * k_2);
    out.kappa_sdot_2 = d.kappa_2 * s.sdot_2 + k_2 * out.sdot_2;
    out.kappa_sdot_1 = out.kappa_sdot_2 + d_turn;
  } else if (std::isinf(k_2)) {
    out.sdot_1 =
        (d.slip - d.gap * x.Omega_1 - g * d.Omega_1 - (d.gap * k_1 + g * d.kappa_1) * s.sdot_1) /
        (1.0 + g * k_1);
    out.kappa_sdot_1 = d.kappa_1 * s.sdot_1 + k_1 * out.sdot_1;
    out.kappa_sdot_2 = out.kappa_sdot_1 - d_turn;
  } else {
    const double D = k_1 + k_2 + g * k_1 * k_2;
    const double dD =
        d.kappa_1 + d.kappa_2 + d.gap * k_1 * k_2 + g * (d.kappa_1 * k_2 + k_1 * d.kappa_2);
    out.sdot_1 = (d.kappa_2 * (x.slip - g * x.Omega_1) +
                  k_2 * (d.slip - d.gap * x.Omega_1 - g * d.Omega_1) + d_turn - dD * s.sdot_1) /
                 D;
    out.sdot_2 = (d.kappa_1 * (x.slip - g * x.Omega_2) +
                  k_1 * (d.slip - d.gap * x.Omega_2 - g * d.Omega_2) - d_turn - dD * s.sdot_2) /
                 D;
    out.kappa_sdot_1 = d.kappa_1 * s.sdot_1 + k_1 * out.sdot_1;
    out.kappa_sdot_2 = d.kappa_2 * s.sdot_2 + k_2 * out.sdot_2;
  }
  return out;
}

}  // namespace

void contact_derivatives(const ModelDescription& model, const ContourContact& contact, Index i,
                         double lambda_N, double lambda_T, Index row_T, ModelDerivatives& all) {
  const SlotPoint& slot = all.work->slots[static_cast<std::size_t>(i)];
  if (!slot.found) return;
  const ContactPoint& p = slot.point;
  const MarkerKinematics& frame = all.work->markers[static_cast<std::size_t>(contact.marker_1)];
  const auto in_space = [&](const Vector2& a) {
    return Vector3(a.x() * frame.A.col(0) + a.y() * frame.A.col(1));
  };
  const auto in_plane = [&](const Vector3& a) {
    return Vector2(frame.A.col(0).dot(a), frame.A.col(1).dot(a));
  };
  Side C1(contact.marker_1, in_space(p.r_1), all);
  Side C2(contact.marker_2, in_space(p.r_2 - slot.pose.r), all);
  const Vector3 n = in_space(p.n_1), t = in_space(p.t_1), b = frame.A.col(2);
  const RateInput x{t.dot(C2.v - C1.v), b.dot(C1.m.Omega), b.dot(C2.m.Omega),
                    p.kappa_1,          p.kappa_2,         p.g_N};
  const ContactRates s = contact_rates(p, in_plane(C1.v), in_plane(C2.v), x.Omega_1, x.Omega_2);
  if (s.is_singular) return;
  const Vector3 along_1 = s.sdot_1 * t, along_2 = -s.sdot_2 * t;  // t_2 = -t_1 (4.22)
  C1.move(along_1);
  C2.move(along_2);
  const Vector3& Omega = C1.m.Omega;
  const Vector3 n_dot = Omega.cross(n) - s.kappa_sdot_1 * t;
  const Vector3 t_dot = Omega.cross(t) + s.kappa_sdot_1 * n;
  const Vector3 v = C1.v - C2.v, v_dot = C1.v_dot - C2.v_dot;
  const Vector3 force = lambda_N * n + lambda_T * t;
  const double slope_1 = curvature_slope(*contact.contour_1, slot.first, p.sigma_1);
  const double slope_2 = curvature_slope(*contact.contour_2, slot.second, p.sigma_2);

  Rows3& dM_2 = all.v;
  for (Index k = 0; k < all.none.cols(); ++k) {
    const Vector3 phi_1 = C1.d.phi.col(k), phi_2 = C2.d.phi.col(k), dOmega = C1.d.Omega.col(k);
    const Vector3 r_1 = C1.fixed_shift(k), r_2 = C2.fixed_shift(k);
    const ContactRates ds =
        contact_rates(p, in_plane(r_1), in_plane(r_2), b.dot(phi_1), b.dot(phi_2));
    const Vector3 dn = phi_1.cross(n) - ds.kappa_sdot_1 * t;
    const Vector3 dt = phi_1.cross(t) + ds.kappa_sdot_1 * n;
    const Vector3 db = phi_1.cross(b);
    C1.change(k, ds.sdot_1 * t);
    C2.change(k, -ds.sdot_2 * t);
    const Vector3 dv = C1.d_v - C2.d_v;
    const RateInput dx{-dt.dot(v) - t.dot(dv),
                       db.dot(Omega) + b.dot(dOmega),
                       db.dot(C2.m.Omega) + b.dot(Vector3(C2.d.Omega.col(k))),
                       slope_1 * ds.sdot_1,
                       slope_2 * ds.sdot_2,
                       n.dot(r_1 - r_2)};
    const ContactRates dr = change_of_rates(p, x, dx, s);
    const Vector3 dv_dot = C1.change_of_rate(k, dr.sdot_1 * t + s.sdot_1 * dt) -
                           C2.change_of_rate(k, -dr.sdot_2 * t - s.sdot_2 * dt);
    const Vector3 dn_dot =
        dOmega.cross(n) + Omega.cross(dn) - dr.kappa_sdot_1 * t - s.kappa_sdot_1 * dt;
    const Vector3 dt_dot =
        dOmega.cross(t) + Omega.cross(dt) + dr.kappa_sdot_1 * n + s.kappa_sdot_1 * dn;
    all.rows(i, k) = dn.dot(v_dot) + n.dot(dv_dot) + dn_dot.dot(v) + n_dot.dot(dv);
    all.rows(row_T, k) = dt.dot(v_dot) + t.dot(dv_dot) + dt_dot.dot(v) + t_dot.dot(dv);
    const Vector3 dF = lambda_N * dn + lambda_T * dt;
    all.F.col(k) = dF;
    all.M.col(k) = C1.d_rho.cross(force) + C1.rho.cross(dF);
    dM_2.col(k) = -C2.d_rho.cross(force) - C2.rho.cross(dF);
  }
  if (lambda_N == 0.0 && lambda_T == 0.0) return;
  all.apply(model, contact.marker_1, force, C1.rho.cross(force), all.F, all.M);
  all.F = -all.F;
  all.apply(model, contact.marker_2, -force, -C2.rho.cross(force), all.F, dM_2);
}

}  // namespace nsmb
