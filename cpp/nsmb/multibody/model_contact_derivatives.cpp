// Derivatives of contacts of planar contours. A change of positions moves the contact points along
// both contours as a motion does, by (4.30) with displacements in place of velocities. In body 1
//   δn = φ × n - κδs t,   δt = φ × t + κδs n,   δρ = φ × ρ + t δs,   and ṅ, ṫ, ρ̇ with d/dt for δ.
// Let v = v_C1 - v_C2 be the velocity of the points of the bodies. With v̇_C = a + Ω̇ × ρ + Ω × ρ̇,
//   γ̇_N = nᵀv̇ + ṅᵀv,   γ̇_T = tᵀv̇ + ṫᵀv.
// On an edge between nodes A and B, with ξ along it and Δ for B minus A, v_C = (1 - ξ) v_A + ξ v_B
// and
//   v̇_C = (1 - ξ) a_A + ξ a_B + Δv ξ̇,   ξ̇ = ṡ/L,   δξ = δs/L,
//   Lφ = nᵀ(Δδr - φ_frame × Δr) about b.
#include "nsmb/geometry/curve_foot.hpp"
#include "nsmb/multibody/contact_side.hpp"
#include "nsmb/multibody/model_derivatives.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Return dκ/ds of a feature.
double slope_of(const Contour& contour, Index feature, double sigma) {
  return is_vertex(feature) ? 0.0 : curvature_slope(contour, (feature - 1) / 2, sigma);
}

/// The point of one body and its derivatives, fixed in the body or on an edge between nodes.
class Side {
 public:
  Side(const Footing& foot, const Vector3& b, const ModelDerivatives& all)
      : foot_(foot),
        m_(*foot.marker),
        d_(derivatives(all, foot.number)),
        a_(derivatives(all, foot.on_edge ? foot.edge.marker_a : foot.number)),
        b_(derivatives(all, foot.on_edge ? foot.edge.marker_b : foot.number)),
        b_axis_(b),
        rho(foot.arm) {
    if (!foot_.on_edge) {
      Omega = m_.Omega;
      v = m_.v + Omega.cross(rho);
      return;
    }
    Omega = turn_of(foot_.edge, b, m_.Omega);
    v = mix(foot_.edge.a->v, foot_.edge.b->v);
    apart_ = foot_.edge.b->v - foot_.edge.a->v;
  }

  /// Move along the contour with the rate `along`, a vector.
  void move(const Vector3& along) {
    if (foot_.on_edge) {
      share_dot_ = foot_.edge.t.dot(along) / foot_.edge.length;
      v_dot = mix(a_.a, b_.a) + share_dot_ * apart_;
      return;
    }
    rho_dot_ = Omega.cross(rho) + along;
    v_dot = d_.a + d_.alpha.cross(rho) + Omega.cross(rho_dot_);
  }

  /// Select the column: displacement of the material point, rotation of the contour.
  void shift(Index k) {
    k_ = k;
    turn = d_.phi.col(k);
    if (!foot_.on_edge) {
      fixed_shift = Vector3(d_.r.col(k)) + turn.cross(rho);
      return;
    }
    const EdgeOfNodes& e = foot_.edge;
    fixed_shift = mix(a_.r.col(k), b_.r.col(k));
    const Vector3 shifts = Vector3(b_.r.col(k)) - Vector3(a_.r.col(k));
    d_length_ = e.t.dot(shifts);
    d_edge_ = shifts;
    turn += e.n.dot(shifts - e.length * turn.cross(e.t)) / e.length * b_axis_;
  }

  /// Compute changes of the moving point. Call after shift().
  void change(const Vector3& along) {
    if (foot_.on_edge) {
      d_share = foot_.edge.t.dot(along) / foot_.edge.length;
      d_apart_ = Vector3(b_.v.col(k_)) - Vector3(a_.v.col(k_));
      d_v = mix(a_.v.col(k_), b_.v.col(k_)) + d_share * apart_;
      d_Omega = change_of_turn();
      return;
    }
    d_Omega = d_.Omega.col(k_);
    d_rho = turn.cross(rho) + along;
    d_v = Vector3(d_.v.col(k_)) + d_Omega.cross(rho) + Omega.cross(d_rho);
  }

  /// Return the change of v̇, given the change of the vector passed to move(). Call after change().
  Vector3 change_of_rate(const Vector3& along) const {
    if (foot_.on_edge) {
      const double d_rate = (foot_.edge.t.dot(along) - share_dot_ * d_length_) / foot_.edge.length;
      return mix(a_.a_y.col(k_), b_.a_y.col(k_)) + d_share * (b_.a - a_.a) + share_dot_ * d_apart_ +
             d_rate * apart_;
    }
    return Vector3(d_.a_y.col(k_)) + Vector3(d_.alpha_y.col(k_)).cross(rho) +
           d_.alpha.cross(d_rho) + d_Omega.cross(rho_dot_) +
           Omega.cross(d_Omega.cross(rho) + Omega.cross(d_rho) + along);
  }

  const Footing& foot() const { return foot_; }

 private:
  static const MarkerDerivatives& derivatives(const ModelDerivatives& all, Index marker) {
    return all.markers[static_cast<std::size_t>(marker)];
  }
  Vector3 mix(const Vector3& of_a, const Vector3& of_b) const {
    return (1.0 - foot_.edge.share) * of_a + foot_.edge.share * of_b;
  }
  // Return the change of turn_of().
  Vector3 change_of_turn() const {
    const EdgeOfNodes& e = foot_.edge;
    const Vector3 edge = e.length * e.t, d_frame = d_.Omega.col(k_), phi = d_.phi.col(k_);
    const Vector3 w = apart_ - m_.Omega.cross(edge);
    const Vector3 dw = d_apart_ - d_frame.cross(edge) - m_.Omega.cross(d_edge_);
    const double x = e.n.dot(w) / e.length;
    const double dx = (turn.cross(e.n).dot(w) + e.n.dot(dw) - x * d_length_) / e.length;
    return d_frame + dx * b_axis_ + x * phi.cross(b_axis_);
  }

  Footing foot_;
  const MarkerKinematics& m_;
  const MarkerDerivatives &d_, &a_, &b_;  // of the marker, and of both nodes of an edge
  Vector3 b_axis_;
  Vector3 apart_, d_apart_, d_edge_;  // v_B - v_A, its change and that of the edge
  Vector3 rho_dot_;
  double share_dot_ = 0.0, d_length_ = 0.0;
  Index k_ = 0;

 public:
  Vector3 rho, v, Omega, v_dot;
  Vector3 fixed_shift, turn;
  Vector3 d_rho = Vector3::Zero(), d_v, d_Omega;
  double d_share = 0.0;
};

// Apply `force` on the body with its derivatives: dF, dM of its arm and, on an edge, d_share.
void push(const ModelDescription& model, const Side& side, const Vector3& force, const Rows3& dF,
          const Rows3& dM, const Row& d_share, ModelDerivatives& all) {
  const Footing& foot = side.foot();
  if (!foot.on_edge) {
    all.apply(model, foot.number, force, side.rho.cross(force), dF, dM);
    return;
  }
  const EdgeOfNodes& e = foot.edge;
  for (const bool at_a : {true, false}) {
    const double share = at_a ? 1.0 - e.share : e.share, sign = at_a ? -1.0 : 1.0;
    all.d = share * dF;
    all.d.noalias() += (sign * force) * d_share;
    all.apply(model, at_a ? e.marker_a : e.marker_b, share * force, Vector3::Zero(), all.d,
              all.none);
  }
}

/// The inputs of (4.30), or their changes.
struct RateInput {
  double slip, Omega_1, Omega_2, kappa_1, kappa_2, gap;
};

// Return the change of (4.30), in its three forms of contact_rates().
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
  const Vector3 n = in_space(p.n_1), t = in_space(p.t_1), b = frame.A.col(2);
  Side C1(footing(model, *all.work, contact.marker_1, contact.boundary_1, slot.first, p.sigma_1,
                  p.r_1, frame),
          b, all);
  Side C2(footing(model, *all.work, contact.marker_2, contact.boundary_2, slot.second, p.sigma_2,
                  p.r_2 - slot.pose.r, frame),
          b, all);
  const RateInput x{t.dot(C2.v - C1.v), b.dot(C1.Omega), b.dot(C2.Omega),
                    p.kappa_1,          p.kappa_2,       p.g_N};
  const ContactRates s = contact_rates(p, in_plane(C1.v), in_plane(C2.v), x.Omega_1, x.Omega_2);
  if (s.is_singular) return;
  const Vector3 along_1 = s.sdot_1 * t, along_2 = -s.sdot_2 * t;  // t_2 = -t_1 (4.22)
  C1.move(along_1);
  C2.move(along_2);
  const Vector3& Omega = C1.Omega;
  const Vector3 n_dot = Omega.cross(n) - s.kappa_sdot_1 * t;
  const Vector3 t_dot = Omega.cross(t) + s.kappa_sdot_1 * n;
  const Vector3 v = C1.v - C2.v, v_dot = C1.v_dot - C2.v_dot;
  const Vector3 force = lambda_N * n + lambda_T * t;
  const ContourPair contours = all.work->contours(contact);
  const double slope_1 = slope_of(contours.first, slot.first, p.sigma_1);
  const double slope_2 = slope_of(contours.second, slot.second, p.sigma_2);

  Rows3& dM_2 = all.v;
  for (Index k = 0; k < all.none.cols(); ++k) {
    C1.shift(k);
    C2.shift(k);
    const Vector3 &phi_1 = C1.turn, &phi_2 = C2.turn, &r_1 = C1.fixed_shift, &r_2 = C2.fixed_shift;
    const ContactRates ds =
        contact_rates(p, in_plane(r_1), in_plane(r_2), b.dot(phi_1), b.dot(phi_2));
    const Vector3 dn = phi_1.cross(n) - ds.kappa_sdot_1 * t;
    const Vector3 dt = phi_1.cross(t) + ds.kappa_sdot_1 * n;
    const Vector3 db = phi_1.cross(b);
    C1.change(ds.sdot_1 * t);
    C2.change(-ds.sdot_2 * t);
    all.gamma(k) = C1.d_share;
    all.rate(k) = C2.d_share;
    const Vector3 dv = C1.d_v - C2.d_v, &dOmega = C1.d_Omega;
    const RateInput dx{
        -dt.dot(v) - t.dot(dv), db.dot(Omega) + b.dot(dOmega), db.dot(C2.Omega) + b.dot(C2.d_Omega),
        slope_1 * ds.sdot_1,    slope_2 * ds.sdot_2,           n.dot(r_1 - r_2)};
    const ContactRates dr = change_of_rates(p, x, dx, s);
    const Vector3 dv_dot = C1.change_of_rate(dr.sdot_1 * t + s.sdot_1 * dt) -
                           C2.change_of_rate(-dr.sdot_2 * t - s.sdot_2 * dt);
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
  push(model, C1, force, all.F, all.M, all.gamma, all);
  all.F = -all.F;
  push(model, C2, -force, all.F, dM_2, all.rate, all);
}

}  // namespace nsmb
