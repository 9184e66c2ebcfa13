#include "nsmb/multibody/kinematics.hpp"

#include <cmath>

#include "nsmb/multibody/elastic_motion.hpp"

namespace nsmb {

namespace {

// Rotate by q about e_z: A_F A_γ(q) with A_γ of (2.5).
void turn(const Matrix3& A_F, double q, Matrix3& A) {
  const double s = std::sin(q);
  const double c = std::cos(q);
  A.col(0).noalias() = c * A_F.col(0) + s * A_F.col(1);
  A.col(1).noalias() = c * A_F.col(1) - s * A_F.col(0);
  A.col(2) = A_F.col(2);
}

// Rotate m r_OS and I_O to inertial components.
void turn_inertia(const Link& link, LinkState& state) {
  const Matrix3& A = state.A;
  state.moment.noalias() = A * link.moment;
  const Matrix3 T = A.lazyProduct(link.inertia);
  const auto entry = [&](Index i, Index k) {
    return T(i, 0) * A(k, 0) + T(i, 1) * A(k, 1) + T(i, 2) * A(k, 2);
  };
  state.inertia = {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

// Evaluate any joint by its six expressions (2.28).
template <bool kVelocities>
void general(const Link& link, double t, const double* q, const double* u, const LinkState& parent,
             const Matrix3& A_F, Pair* columns, LinkState& state) {
  constexpr std::array<double, 6> at_rest{};
  const double* rate = kVelocities ? u + link.first_u_user : at_rest.data();
  JointKinematics k;
  link.joint->evaluate(t, q + link.first_q, rate, k);
  state.A.noalias() = A_F * k.A;
  state.rho.noalias() = parent.A * link.parent_frame.r + A_F * k.r;
  for (Index c = 0; c < link.nu; ++c) {
    columns[c].R.noalias() = A_F * k.J_R.col(c);
    columns[c].T.noalias() = A_F * k.J_T.col(c);
  }
  if constexpr (kVelocities) {
    const Vector3 j_R = A_F * k.j_R;
    const Vector3 j_T = A_F * k.j_T;
    Vector3 omega = j_R;
    Vector3 rate_of_r = j_T;
    for (Index c = 0; c < link.nu; ++c) {
      omega += columns[c].R * rate[c];
      rate_of_r += columns[c].T * rate[c];
    }
    const Vector3& Omega = parent.v.R;
    state.v.R = Omega + omega;                                                           // (2.30)
    state.v.T = parent.v.T + Omega.cross(state.rho) + rate_of_r;                         // (2.31)
    state.zeta.R = A_F * k.b_R + Omega.cross(omega);                                     // (2.33)
    state.zeta.T = A_F * k.b_T + Omega.cross(Omega.cross(state.rho) + 2.0 * rate_of_r);  // (2.34)
    state.j_tilde.R = parent.j_tilde.R + j_R;
    state.j_tilde.T = parent.j_tilde.T + parent.j_tilde.R.cross(state.rho) + j_T;
  }
}

// Add the second order of displacements to position and columns of a section.
void draw_section(const ElasticNode& node, const Vector& p, const Matrix3& A, Pair* columns,
                  Vector3& rho) {
  for (Index c = 0; c < p.size(); ++c) {
    const Vector3 drawn = A * node.drawn_by(c, p);
    columns[c].T += drawn;
    rho += 0.5 * p(c) * drawn;
  }
}

// Add the second order to the velocity of a section relative to the body, and to its acceleration
// without p̈.
void draw_velocities(const ElasticNode& node, const ElasticState& elastic, const Matrix3& A,
                     Vector3& rate, Vector3& bias) {
  for (Index c = 0; c < elastic.p.size(); ++c) {
    rate += elastic.v(c) * (A * node.drawn_by(c, elastic.p));
    bias += elastic.v(c) * (A * node.drawn_by(c, elastic.v));
  }
}

// Evaluate a section by the elastic coordinates of its parent: (14.34) with (14.37).
template <bool kVelocities>
void section(const Link& link, const ElasticState& elastic, const LinkState& parent, Pair* columns,
             LinkState& state) {
  const ElasticNode& node = *link.section;
  state.rho.noalias() = parent.A * (link.parent_frame.r + node.displacement * elastic.p);
  Matrix3 turned = parent.A * node.axes;
  const Vector3& Omega = parent.v.R;
  state.v.R = Omega;
  state.zeta.R.setZero();
  for (Index c = 0; c < elastic.p.size(); ++c) {
    columns[c].R.setZero();
    columns[c].T.noalias() = parent.A * node.displacement.col(c);
  }
  if (node.stiffens()) draw_section(node, elastic.p, parent.A, columns, state.rho);
  for (Index i = 0; i < 3; ++i) {
    const Vector3 axis = turned.col(i);
    for (Index c = 0; c < elastic.p.size(); ++c) columns[c].R += node.turn(i, c) * axis;
    const double angle = node.turn.row(i).dot(elastic.p);
    if (angle != 0.0) turned *= rotation_about(Vector3::Unit(i), angle);
    if constexpr (kVelocities) {
      const Vector3 omega = node.turn.row(i).dot(elastic.v) * axis;
      state.zeta.R += state.v.R.cross(omega);
      state.v.R += omega;
    }
  }
  state.A.noalias() = turned * (node.axes.transpose() * link.parent_frame.A);
  if constexpr (kVelocities) {
    Vector3 rate_of_r = parent.A * (node.displacement * elastic.v), bias = Vector3::Zero();
    if (node.stiffens()) draw_velocities(node, elastic, parent.A, rate_of_r, bias);
    state.v.T = parent.v.T + Omega.cross(state.rho) + rate_of_r;
    state.zeta.T = Omega.cross(Omega.cross(state.rho) + 2.0 * rate_of_r);
    if (node.stiffens()) state.zeta.T += bias;
    state.j_tilde.R = parent.j_tilde.R;
    state.j_tilde.T = parent.j_tilde.T + parent.j_tilde.R.cross(state.rho);
  }
}

template <bool kVelocities>
void sweep(const Tree& tree, double t, const double* q, const double* u, TreeWorkspace& work) {
  const LinkState environment;
  const bool rheonomic = tree.rheonomic();
  const std::vector<Link>& links = tree.links();
  for (std::size_t j = 0; j < links.size(); ++j) {
    const Link& link = links[j];
    const LinkState& parent =
        link.parent < 0 ? environment : work.links[static_cast<std::size_t>(link.parent)];
    LinkState& state = work.links[j];
    Pair* columns = work.columns.data() + link.first_u;
    const Matrix3 A_F = parent.A.lazyProduct(link.parent_frame.A);
    const Vector3& Omega = parent.v.R;
    switch (link.kind) {
      case JointKind::Revolute:
        turn(A_F, q[link.first_q], state.A);  // (2.29)
        state.rho.noalias() = parent.A * link.parent_frame.r;
        columns->R = A_F.col(2);
        columns->T.setZero();
        if constexpr (kVelocities) {
          const Vector3 omega = u[link.first_u_user] * A_F.col(2);
          const Vector3 v = Omega.cross(state.rho);
          state.v.R = Omega + omega;          // (2.30)
          state.v.T = parent.v.T + v;         // (2.31)
          state.zeta.R = Omega.cross(omega);  // (2.33)
          state.zeta.T = Omega.cross(v);      // (2.34)
        }
        break;
      case JointKind::Prismatic:
        state.A = A_F;
        state.rho.noalias() = parent.A * link.parent_frame.r + q[link.first_q] * A_F.col(2);
        columns->R.setZero();
        columns->T = A_F.col(2);
        if constexpr (kVelocities) {
          const Vector3 rate = u[link.first_u_user] * A_F.col(2);
          const Vector3 v = Omega.cross(state.rho);
          state.v.R = Omega;
          state.v.T = parent.v.T + v + rate;
          state.zeta.R.setZero();
          state.zeta.T = Omega.cross(v + 2.0 * rate);
        }
        break;
      case JointKind::General:
        general<kVelocities>(link, t, q, u, parent, A_F, columns, state);
        break;
      case JointKind::Node:
        section<kVelocities>(link, elastic_parent(tree, link, work), parent,
                             work.node_columns.data() + link.first_column, state);
        break;
    }
    state.r = parent.r + state.rho;
    if (link.parent >= 0) state.from_root = parent.from_root + state.rho;
    turn_inertia(link, state);
    if (link.elastic >= 0) {
      ElasticState& elastic = work.elastic[static_cast<std::size_t>(link.elastic)];
      elastic.p = Eigen::Map<const Vector>(q + link.first_q_el, link.n_el);
      deform(*link.flexible, state, elastic);
      if constexpr (kVelocities) {
        elastic.v = Eigen::Map<const Vector>(u + link.first_el_user(), link.n_el);
        elastic_bias(*link.flexible, state, elastic);
      }
    }
    if constexpr (kVelocities) {
      state.j_bar.R = parent.j_bar.R + state.zeta.R;
      state.j_bar.T = parent.j_bar.T + parent.j_bar.R.cross(state.rho) + state.zeta.T;
      if (rheonomic && link.kind != JointKind::General) {
        state.j_tilde.R = parent.j_tilde.R;
        state.j_tilde.T = parent.j_tilde.T + parent.j_tilde.R.cross(state.rho);
      }
    }
  }
}

}  // namespace

void evaluate_positions(const Tree& tree, double t, const ConstVectorRef& q, TreeWorkspace& work) {
  sweep<false>(tree, t, q.data(), nullptr, work);
}

void evaluate_state(const Tree& tree, double t, const ConstVectorRef& q, const ConstVectorRef& u,
                    TreeWorkspace& work) {
  sweep<true>(tree, t, q.data(), u.data(), work);
}

MarkerKinematics::MarkerKinematics(const Tree& tree, const Marker& marker) {
  const std::vector<Link>& links = tree.links();
  const Index last = marker.body < 0 ? -1 : tree.link(marker.body);
  const auto parent = [&](Index j) { return links[static_cast<std::size_t>(j)].parent; };
  Index columns = 0;
  for (Index j = last; j >= 0; j = parent(j)) {
    const Link& link = links[static_cast<std::size_t>(j)];
    if (link.velocities() > 0) reach.push_back({link.first_u_user, link.velocities()});
    columns += link.velocities();
  }
  join_neighbours(reach);
  for (Index j = last; j >= 0; j = parent(j)) {
    const Link& link = links[static_cast<std::size_t>(j)];
    first.push_back(link.velocities() > 0 ? column(link.first_u_user) : 0);
  }
  J_S = J_R = Columns::Zero(3, columns);
}

Index MarkerKinematics::column(Index k) const {
  Index before = 0;
  for (const VelocityRange& range : reach) {
    if (k < range.first) break;
    if (k < range.first + range.size) return before + k - range.first;
    before += range.size;
  }
  return -1;
}

void relative_direction(const MarkerKinematics& m1, const MarkerKinematics& m2,
                        MarkerKinematics::Columns MarkerKinematics::* J, const Vector3& e,
                        VectorRef w) {
  w.setZero();
  m1.each_range([&](const VelocityRange& range, Index column) {
    for (Index k = 0; k < range.size; ++k) w(range.first + k) = -(m1.*J).col(column + k).dot(e);
  });
  m2.each_range([&](const VelocityRange& range, Index column) {
    for (Index k = 0; k < range.size; ++k) {
      const Index both = m1.column(range.first + k);
      const auto own = (m2.*J).col(column + k);
      w(range.first + k) = both < 0 ? own.dot(e) : (own - (m1.*J).col(both)).dot(e);
    }
  });
}

void marker_kinematics(const Tree& tree, const TreeWorkspace& work, const Marker& marker,
                       MarkerKinematics& result) {
  result.moves = marker.body >= 0;
  if (!result.moves) {
    result.r = marker.frame.r;
    result.A = marker.frame.A;
    result.v.setZero();
    result.Omega.setZero();
    result.j_tilde_S.setZero();
    result.j_tilde_R.setZero();
    result.j_bar_S.setZero();
    result.j_bar_R.setZero();
    return;
  }
  const std::vector<Link>& links = tree.links();
  const Index place = tree.link(marker.body);
  const Link& link = links[static_cast<std::size_t>(place)];
  const LinkState& state = work.links[static_cast<std::size_t>(place)];
  const Matrix3 A_IB = state.A.lazyProduct(link.frame.A.transpose());  // of the body frame
  const Vector3 d = A_IB * (marker.frame.r - link.frame.r);            // from O to the marker
  const Vector3& Omega = state.v.R;
  result.A = A_IB.lazyProduct(marker.frame.A);
  result.r = state.r + d;
  result.Omega = Omega;
  result.v = state.v.T + Omega.cross(d);  // (2.21)
  result.j_tilde_R = state.j_tilde.R;
  result.j_tilde_S = state.j_tilde.T + state.j_tilde.R.cross(d);
  result.j_bar_R = state.j_bar.R;
  result.j_bar_S = state.j_bar.T + state.j_bar.R.cross(d) + Omega.cross(Omega.cross(d));  // (2.25)
  // The recursion for J, unrolled: each column belongs to one joint on the path to the environment.
  Vector3 arm = d;
  const Index* first = result.first.data();
  for (Index j = place; j >= 0; j = links[static_cast<std::size_t>(j)].parent, ++first) {
    const Link& joint = links[static_cast<std::size_t>(j)];
    if (joint.kind == JointKind::Node) {
      const Link& body = links[static_cast<std::size_t>(joint.parent)];
      const Index elastic = first[1] + body.nu;  // after the joint of the body
      for (Index c = 0; c < body.n_el; ++c) {
        const Pair& column = work.node_columns[static_cast<std::size_t>(joint.first_column + c)];
        result.J_R.col(elastic + c) = column.R;
        result.J_S.col(elastic + c) = column.T + column.R.cross(arm);
      }
    }
    for (Index c = 0; c < joint.nu; ++c) {
      const Pair& column = work.columns[static_cast<std::size_t>(joint.first_u + c)];
      result.J_R.col(*first + c) = column.R;
      result.J_S.col(*first + c) = column.T + column.R.cross(arm);  // (3.6)
    }
    arm += work.links[static_cast<std::size_t>(j)].rho;
  }
}

void apply_force(const Tree& tree, Index body, const Vector3& point, const Vector3& force,
                 const Vector3& moment, TreeWorkspace& work) {
  if (body < 0) return;
  const auto place = static_cast<std::size_t>(tree.link(body));
  work.applied[place].T += force;
  work.applied[place].R += moment + (point - work.links[place].r).cross(force);
  work.any_applied = true;
}

}  // namespace nsmb
