#include "nsmb/multibody/derivatives.hpp"

#include "nsmb/multibody/elastic_derivatives.hpp"
#include "nsmb/multibody/inertia.hpp"

namespace nsmb {

Vector6 motion_cross(const Vector6& x, const Vector6& y) {
  Vector6 z;
  z.head<3>() = x.head<3>().cross(y.head<3>());
  z.tail<3>() = x.head<3>().cross(y.tail<3>()) + x.tail<3>().cross(y.head<3>());
  return z;
}

Vector6 force_cross(const Vector6& x, const Vector6& F) {
  Vector6 z;
  z.head<3>() = x.head<3>().cross(F.head<3>()) + x.tail<3>().cross(F.tail<3>());
  z.tail<3>() = x.head<3>().cross(F.tail<3>());
  return z;
}

Vector6 at_origin(const Pair& motion, const Vector3& d) {
  Vector6 z;
  z.head<3>() = motion.R;
  z.tail<3>() = motion.T + d.cross(motion.R);
  return z;
}

Vector6 force_at_origin(const Pair& force, const Vector3& d) {
  Vector6 z;
  z.head<3>() = force.R + d.cross(force.T);
  z.tail<3>() = force.T;
  return z;
}

namespace {

Matrix3 full(const Symmetric3& s) {
  Matrix3 m;
  m << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5];
  return m;
}

// Return the inertia of the body itself at P, given I_O and m r_OS.
Matrix6 inertia_at_origin(const LinkState& state, double mass, const Vector3& d) {
  const Matrix3 D = skew(d);
  const Matrix3 H = skew(state.moment) + mass * D;  // for the vector from P to S
  Matrix6 I;
  I.topLeftCorner<3, 3>() =
      full(state.inertia) - skew(state.moment) * D - D * skew(state.moment) - mass * D * D;
  I.topRightCorner<3, 3>() = H;
  I.bottomLeftCorner<3, 3>() = H.transpose();
  I.bottomRightCorner<3, 3>() = mass * Matrix3::Identity();
  return I;
}

// Return the matrix of x -> I (x × v) + x ×* I v + v ×* I x.
Matrix6 gyroscopic_matrix(const Matrix6& I, const Vector6& v) {
  Matrix6 cross = Matrix6::Zero();  // x -> v × x; -crossᵀ is v ×*
  cross.topLeftCorner<3, 3>() = cross.bottomRightCorner<3, 3>() = skew(v.head<3>());
  cross.bottomLeftCorner<3, 3>() = skew(v.tail<3>());
  const Vector6 p = I * v;
  Matrix6 B = -I * cross - cross.transpose() * I;
  B.topLeftCorner<3, 3>() -= skew(p.head<3>());
  B.topRightCorner<3, 3>() -= skew(p.tail<3>());
  B.bottomLeftCorner<3, 3>() -= skew(p.tail<3>());
  return B;
}

// Return the first velocity of a link that belongs to a ball joint; those from it on act together.
Index first_of_ball(const Link& link) { return link.first_u + link.joint->serial_velocities(); }

}  // namespace

TreeDerivatives::TreeDerivatives(const Tree& tree)
    : links(static_cast<std::size_t>(tree.bodies())),
      columns(static_cast<std::size_t>(tree.nu())),
      node_columns(static_cast<std::size_t>(tree.node_columns())) {
  for (const Index size : tree.elastic_sizes()) elastic.emplace_back(size);
  for (const Link& link : tree.links()) {  // numbered in this order
    if (link.kind != JointKind::Node) continue;
    sections.emplace_back(tree.links()[static_cast<std::size_t>(link.parent)].n_el);
  }
}

bool has_derivatives(const Tree& tree) {
  for (const Link& link : tree.links()) {
    if (link.joint->serial_velocities() < 0) return false;
  }
  return true;
}

void prepare_derivatives(const Tree& tree, const TreeWorkspace& work, const ConstVectorRef& u,
                         const ConstVectorRef& udot, TreeDerivatives& d) {
  const std::vector<Link>& links = tree.links();
  for (std::size_t j = 0; j < links.size(); ++j) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    LinkDerivatives& own = d.links[j];
    own.P = state.r - state.from_root;
    const Vector3& o = state.from_root;
    Vector6 v = Vector6::Zero(), a = Vector6::Zero();
    if (link.parent >= 0) {
      const LinkDerivatives& parent = d.links[static_cast<std::size_t>(link.parent)];
      v = parent.v;
      a = parent.a;
    }
    // (2.33), (2.34) at O of this link, then at P, where a is ∂v/∂t at a fixed point.
    const Vector3 Omega = v.head<3>(), v_O = v.tail<3>() + Omega.cross(o);
    Pair absolute{a.head<3>() + state.zeta.R, a.tail<3>() + a.head<3>().cross(o) +
                                                  Omega.cross(v_O - Omega.cross(state.rho)) +
                                                  state.zeta.T};
    for (Index k = link.first_u; k < link.first_u + link.nu; ++k) {
      const double rate = udot[tree.user_u(k)];
      absolute.R += rate * work.columns[static_cast<std::size_t>(k)].R;
      absolute.T += rate * work.columns[static_cast<std::size_t>(k)].T;
    }
    if (link.kind == JointKind::Node) {
      const Link& body = links[static_cast<std::size_t>(link.parent)];
      prepare_section(link, body, work, work.links[static_cast<std::size_t>(link.parent)], o, udot,
                      v, a, d);
      for (Index k = 0; k < body.n_el; ++k) {
        const Pair& s = work.node_columns[static_cast<std::size_t>(link.first_column + k)];
        absolute.R += udot[body.first_el_user() + k] * s.R;
        absolute.T += udot[body.first_el_user() + k] * s.T;
      }
    }
    if (link.elastic >= 0) {
      d.elastic[static_cast<std::size_t>(link.elastic)].rate =
          udot.segment(link.first_el_user(), link.n_el);
    }
    absolute.T -= state.v.R.cross(state.v.T);
    own.v = at_origin(state.v, o);
    own.a = at_origin(absolute, o);
    // v and a include the velocities of the joint one after another. All velocities of a ball joint
    // have the same v and a before them.
    const Index ball = first_of_ball(link), end = link.first_u + link.nu;
    for (Index k = link.first_u; k < end; ++k) {
      ColumnDerivatives& c = d.columns[static_cast<std::size_t>(k)];
      c.s = at_origin(work.columns[static_cast<std::size_t>(k)], o);
      c.psi = motion_cross(v, c.s);
      c.psi_dot = motion_cross(a, c.s) + motion_cross(v, c.psi);
      c.chi = c.psi + motion_cross(k < ball ? v : own.v, c.s);
      if (k + 1 == end || k >= ball) continue;
      // Joints with several velocities are not driven, so their rates depend only on u.
      const Vector6 rate = c.s * u[tree.user_u(k)];
      a += c.s * udot[tree.user_u(k)] + motion_cross(v, rate);
      v += rate;
    }
  }
}

void inverse_dynamics_derivatives(const Tree& tree, const TreeWorkspace& work, TreeDerivatives& d,
                                  MatrixRef D) {
  const std::vector<Link>& links = tree.links();
  const Index nu = tree.nu();
  Vector6 weight = Vector6::Zero();  // the environment accelerates against gravity
  weight.tail<3>() = -tree.gravity();
  for (std::size_t j = 0; j < links.size(); ++j) {
    LinkDerivatives& own = d.links[j];
    const LinkState& state = work.links[j];
    own.I = inertia_at_origin(state, links[j].mass, state.from_root);
    own.B = gyroscopic_matrix(own.I, own.v);
    own.F = own.I * (own.a + weight) + force_cross(own.v, own.I * own.v);
    if (links[j].elastic >= 0) {
      const auto k = static_cast<std::size_t>(links[j].elastic);
      elastic_body_derivatives(links[j], state, work.elastic[k], tree.gravity(), own, d.elastic[k]);
    }
    if (work.any_applied) own.F -= force_at_origin(work.applied[j], state.from_root);
  }
  D.setZero();
  for (std::size_t j = links.size(); j-- > 0;) {
    const Link& link = links[j];
    const LinkDerivatives& own = d.links[j];
    const Index ball = first_of_ball(link), end = link.first_u + link.nu;
    // Rows of this joint, with columns of everything further in.
    for (Index i = link.first_u; i < end; ++i) {
      const Vector6& s = d.columns[static_cast<std::size_t>(i)].s;
      const Vector6 Is = own.I * s, Bs = own.B.transpose() * s;
      const Index row = tree.user_u(i);
      const auto fill = [&](Index column, const ColumnDerivatives& c) {
        D(row, column) = Is.dot(c.psi_dot + motion_cross(weight, c.s)) + Bs.dot(c.psi);
        D(row, nu + column) = Is.dot(c.chi) + Bs.dot(c.s);
      };
      for (Index k = link.first_u; k < (i < ball ? i + 1 : end); ++k) {
        fill(tree.user_u(k), d.columns[static_cast<std::size_t>(k)]);
      }
      visit_way(tree, d, link.parent, fill);
    }
    // Columns of this joint, with rows of everything further in.
    for (Index k = link.first_u; k < end; ++k) {
      const ColumnDerivatives& c = d.columns[static_cast<std::size_t>(k)];
      const Vector6 by_position =
          own.I * (c.psi_dot + motion_cross(weight, c.s)) + own.B * c.psi + force_cross(c.s, own.F);
      const Vector6 by_velocity = own.I * c.chi + own.B * c.s;
      const Index column = tree.user_u(k);
      const auto fill = [&](Index row, const ColumnDerivatives& in_front) {
        D(row, column) = in_front.s.dot(by_position);
        D(row, nu + column) = in_front.s.dot(by_velocity);
      };
      for (Index i = link.first_u; i < std::min(k, ball); ++i) {
        fill(tree.user_u(i), d.columns[static_cast<std::size_t>(i)]);
      }
      visit_way(tree, d, link.parent, fill);
    }
    if (link.elastic >= 0) elastic_rows(tree, static_cast<Index>(j), weight, d, D);
    if (link.kind == JointKind::Node) section_derivatives(tree, link, own, weight, d, D);
    if (link.parent < 0) continue;
    LinkDerivatives& parent = d.links[static_cast<std::size_t>(link.parent)];
    parent.I += own.I;
    parent.B += own.B;
    parent.F += own.F;
  }
}

MarkerDerivatives::MarkerDerivatives(Index nu)
    : a(Vector3::Zero()),
      alpha(Vector3::Zero()),
      phi(Rows3::Zero(3, 2 * nu)),
      r(phi),
      Omega(phi),
      v(phi),
      alpha_y(phi),
      a_y(phi) {}

void marker_derivatives(const Tree& tree, const TreeDerivatives& d, const Marker& marker,
                        const MarkerKinematics& kinematics, MarkerDerivatives& result) {
  if (marker.body < 0) return;  // zero, as constructed
  const Index nu = tree.nu(), place = tree.link(marker.body);
  const LinkDerivatives& own = d.links[static_cast<std::size_t>(place)];
  for (Rows3* part :
       {&result.phi, &result.r, &result.Omega, &result.v, &result.alpha_y, &result.a_y}) {
    part->setZero();
  }
  const Vector3 x = kinematics.r - own.P;
  const Vector3 &Omega = kinematics.Omega, &v = kinematics.v, alpha = own.a.head<3>();
  result.alpha = alpha;
  result.a = own.a.tail<3>() + alpha.cross(x) + Omega.cross(v);
  visit_way(tree, d, place, [&](Index position, const ColumnDerivatives& c) {
    const Index velocity = nu + position;
    const Vector3 phi = c.s.head<3>(), r = c.s.tail<3>() + phi.cross(x);
    result.phi.col(position) = phi;
    result.r.col(position) = r;
    const Vector6 dv = c.psi + motion_cross(c.s, own.v);
    const Vector6 da = c.psi_dot + motion_cross(c.psi, own.v) + motion_cross(c.s, own.a);
    const Vector3 dv_x = dv.tail<3>() + dv.head<3>().cross(x) + Omega.cross(r);
    result.Omega.col(position) = dv.head<3>();
    result.v.col(position) = dv_x;
    result.alpha_y.col(position) = da.head<3>();
    result.a_y.col(position) = da.tail<3>() + da.head<3>().cross(x) + alpha.cross(r) +
                               dv.head<3>().cross(v) + Omega.cross(dv_x);
    const Vector6 da_u = c.chi + motion_cross(c.s, own.v);
    result.Omega.col(velocity) = phi;
    result.v.col(velocity) = r;
    result.alpha_y.col(velocity) = da_u.head<3>();
    result.a_y.col(velocity) =
        da_u.tail<3>() + da_u.head<3>().cross(x) + phi.cross(v) + Omega.cross(r);
  });
}

void to_coordinates(const Tree& tree, const ConstVectorRef& q, const ConstMatrixRef& by_positions,
                    MatrixRef by_coordinates) {
  const Index nq = tree.nq(), nu = tree.nu();
  by_coordinates.middleCols(nq, nu) = by_positions.rightCols(nu);
  for (const Link& link : tree.links()) {
    const Index serial = link.joint->serial_velocities();
    by_coordinates.middleCols(link.first_q, serial) =
        by_positions.middleCols(link.first_u_user, serial);
    by_coordinates.middleCols(link.first_q_el, link.n_el) =
        by_positions.middleCols(link.first_el_user(), link.n_el);
    if (serial == link.nu) continue;
    // A(p) is that of p/|p|. Its rotation about the axes of the body is 2/|p|² Im(p* ∘ δp).
    const double* p = q.data() + link.first_q + serial;
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    Eigen::Matrix<double, 3, 4> G;
    G << -x, w, z, -y, -y, -z, w, x, -z, y, -x, w;
    G *= 2.0 / (w * w + x * x + y * y + z * z);
    by_coordinates.middleCols<4>(link.first_q + serial) =
        by_positions.middleCols<3>(link.first_u_user + serial) * G;
  }
}

void rate_derivatives(const Tree& tree, const ConstVectorRef& q, const ConstVectorRef& u,
                      MatrixRef result) {
  const Index nq = tree.nq();
  result.setZero();
  for (const Link& link : tree.links()) {
    const Index serial = link.joint->serial_velocities();
    for (Index k = 0; k < serial; ++k) {
      result(link.first_q + k, nq + link.first_u_user + k) = 1.0;
    }
    for (Index k = 0; k < link.n_el; ++k) {
      result(link.first_q_el + k, nq + link.first_el_user() + k) = 1.0;
    }
    if (serial == link.nu) continue;
    // ½ p ∘ (0, ω) is linear in p and ω.
    const Index at = link.first_q + serial, velocity = link.first_u_user + serial;
    const Vector3 omega = u.segment<3>(velocity);
    for (Index k = 0; k < 4; ++k) {
      const Vector4 e = Vector4::Unit(k);
      result.block<4, 1>(at, at + k) = quaternion_rate(e.data(), omega);
    }
    for (Index k = 0; k < 3; ++k) {
      result.block<4, 1>(at, nq + velocity + k) = quaternion_rate(q.data() + at, Vector3::Unit(k));
    }
  }
}

}  // namespace nsmb
