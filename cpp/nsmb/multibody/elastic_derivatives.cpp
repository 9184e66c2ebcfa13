#include "nsmb/multibody/elastic_derivatives.hpp"

#include "nsmb/multibody/elastic_motion.hpp"

namespace nsmb {

namespace {

// Return the component of elastic velocity k in velocity i of a section.
double share(const SectionDerivatives& section, const ElasticNode& node, std::size_t i, Index k) {
  const auto row = static_cast<Index>(i % 3);
  return i < 3 ? section.shift(row, k) : node.turn(row, k);
}

void fill_shifts(const ElasticNode& node, const ElasticState& elastic, const Vector& p_ddot,
                 SectionDerivatives& section) {
  section.shift = node.displacement;
  if (!node.stiffens()) return;
  for (Index k = 0; k < elastic.p.size(); ++k) {
    section.shift.col(k).noalias() += node.drawn_by(k, elastic.p);
    section.rate.col(k).noalias() = node.drawn_by(k, elastic.v);
    section.acceleration.col(k).noalias() = node.drawn_by(k, p_ddot);
  }
}

// Add the contribution of changing shifts to the block of a section, by elastic positions and
// velocities.
void add_changing_shifts(const ElasticNode& node, const Matrix& C,
                         const SectionDerivatives& section, const LinkDerivatives& own,
                         const Matrix6& velocities, MatrixRef by_p, MatrixRef by_v) {
  Eigen::Matrix<double, 6, 3> masses;
  Vector3 force;
  for (Index i = 0; i < 3; ++i) {
    const Vector6 Is = own.I * section.single[at(i)].s;
    for (Index k = 0; k < 6; ++k) masses(k, i) = section.single[at(k)].s.dot(Is);
    force(i) = section.single[at(i)].s.dot(own.F);
  }
  by_p += C.transpose() * (velocities.leftCols<3>() * section.rate + masses * section.acceleration);
  by_v += 2.0 * C.transpose() * (masses * section.rate);
  for (Index k = 0; k < C.cols(); ++k) {
    by_p.row(k) += force.transpose() * node.drawn.middleRows<3>(3 * k);
  }
}

// Compute the derivatives by positions and velocities of the six velocities of a section among
// themselves.
void own_block(const Singles& single, const LinkDerivatives& own, const Vector6& weight,
               Matrix6& positions, Matrix6& velocities) {
  for (Index i = 0; i < 6; ++i) {
    const Vector6& s = single[at(i)].s;
    const Vector6 Is = own.I * s, Bs = own.B.transpose() * s;
    for (Index k = 0; k < 6; ++k) {
      const ColumnDerivatives& c = single[at(k)];
      positions(i, k) = Is.dot(c.psi_dot + motion_cross(weight, c.s)) + Bs.dot(c.psi);
      if (i < k) positions(i, k) += s.dot(force_cross(c.s, own.F));
      velocities(i, k) = Is.dot(c.chi) + Bs.dot(c.s);
    }
  }
}

}  // namespace

ElasticDerivatives::ElasticDerivatives(Index n)
    : rate(Vector::Zero(n)),
      h(Matrix::Zero(6, n)),
      b(h),
      F_p(h),
      F_v(h),
      R_p(Matrix::Zero(n, n)),
      R_v(R_p) {}

SectionDerivatives::SectionDerivatives(Index n)
    : shift(Rows3::Zero(3, n)), rate(shift), acceleration(shift) {}

void prepare_section(const Link& node, const Link& body, const TreeWorkspace& work,
                     const LinkState& parent, const Vector3& from_root, const ConstVectorRef& udot,
                     Vector6 v, Vector6 a, TreeDerivatives& d) {
  const ElasticNode& functions = *node.section;
  const ElasticState& elastic = work.elastic[at(body.elastic)];
  SectionDerivatives& section = d.sections[at(node.node)];
  Singles& single = section.single;
  fill_shifts(functions, elastic, d.elastic[at(body.elastic)].rate, section);
  Matrix3 turned = parent.A * functions.axes;
  for (std::size_t i = 0; i < 6; ++i) {
    Pair s;
    const auto axis = static_cast<Index>(i % 3);
    (i < 3 ? s.T : s.R) = (i < 3 ? parent.A : turned).col(axis);
    ColumnDerivatives& c = single[i];
    c.s = at_origin(s, from_root);
    c.psi = motion_cross(v, c.s);
    c.psi_dot = motion_cross(a, c.s) + motion_cross(v, c.psi);
    c.chi = 2.0 * c.psi;
    double rate = 0.0, acceleration = 0.0;
    for (Index k = 0; k < body.n_el; ++k) {
      rate += share(section, functions, i, k) * elastic.v(k);
      acceleration += share(section, functions, i, k) * udot[body.first_el_user() + k];
      if (i < 3) acceleration += section.rate(axis, k) * elastic.v(k);
    }
    if (i >= 3) {
      turned *= rotation_about(Vector3::Unit(axis), functions.turn.row(axis).dot(elastic.p));
    }
    a += c.s * acceleration + motion_cross(v, Vector6(c.s * rate));
    v += c.s * rate;
  }
  for (Index k = 0; k < body.n_el; ++k) {
    ColumnDerivatives& column = d.node_columns[at(node.first_column + k)];
    for (Vector6* part : {&column.s, &column.psi, &column.psi_dot, &column.chi}) part->setZero();
    for (std::size_t i = 0; i < 6; ++i) {
      const double C = share(section, functions, i, k);
      column.s += C * single[i].s;
      column.psi += C * single[i].psi;
      column.psi_dot += C * single[i].psi_dot;
      column.chi += C * single[i].chi;
    }
    for (std::size_t i = 0; functions.stiffens() && i < 3; ++i) {
      const double rate = section.rate(static_cast<Index>(i), k);
      column.psi += rate * single[i].s;
      column.psi_dot += rate * single[i].chi;
      column.psi_dot += section.acceleration(static_cast<Index>(i), k) * single[i].s;
      column.chi += 2.0 * rate * single[i].s;
    }
  }
}

void elastic_body_derivatives(const Link& link, const LinkState& state, const ElasticState& elastic,
                              const Vector3& gravity, LinkDerivatives& own, ElasticDerivatives& e) {
  const ElasticLink& body = *link.flexible;
  const Index n = body.size();
  const Matrix3& A = state.A;
  const Vector3& o = state.from_root;
  const Vector3 omega = A.transpose() * state.v.R, v_O = A.transpose() * state.v.T;
  const Vector3 alpha = A.transpose() * own.a.head<3>();
  const Vector3 classical = own.a.tail<3>() + own.a.head<3>().cross(o) + state.v.R.cross(state.v.T);
  const Vector3 a = A.transpose() * (classical - gravity);
  const auto block = [](const Matrix& all, Index l, Index k) -> Matrix3 {
    return all.block<3, 3>(3 * l, 3 * k);
  };
  // Terms beyond those of a rigid body: (11.17), and its change with the motion of the body.
  Pair wrench = elastic.bias;
  Matrix3 turning = Matrix3::Zero();  // x_R -> moment about O, components of the body
  for (Index k = 0; k < n; ++k) {
    wrench.R += e.rate(k) * elastic.H[at(k)].R;
    wrench.T += e.rate(k) * elastic.H[at(k)].T;
    const Matrix3 N = elastic.N.middleRows<3>(3 * k);
    turning += 2.0 * elastic.v(k) * (N.trace() * Matrix3::Identity() - N);
  }
  const Vector3 drift = A * (elastic.displacement * elastic.v);
  own.F += force_at_origin(wrench, o);
  own.B.topLeftCorner<3, 3>() +=
      A * turning * A.transpose() - skew(A * (body.turn * elastic.v)) - 2.0 * skew(o) * skew(drift);
  own.B.bottomLeftCorner<3, 3>() -= 2.0 * skew(drift);

  e.R_p = body.stiffness;
  e.R_v = body.damping;
  for (Index k = 0; k < n; ++k) {
    const Vector3 Phi = elastic.displacement.col(k), turn = body.turn.col(k);
    const Matrix3 N = elastic.N.middleRows<3>(3 * k);
    Matrix3 N_rate = Matrix3::Zero();
    Vector3 by_p = Phi.cross(a), force_by_p = Vector3::Zero(), force_by_v = Vector3::Zero();
    Vector3 by_rates = Vector3::Zero();
    for (Index l = 0; l < n; ++l) {
      const Matrix3 S = block(body.coupling, l, k);
      N_rate += elastic.v(l) * block(body.second, k, l);
      by_p += 2.0 * elastic.v(l) * (S.trace() * omega - S * omega) + e.rate(l) * axial(S);
      e.R_p(l, k) += axial(S).dot(alpha) + omega.dot(S * omega) - S.trace() * omega.squaredNorm();
      e.R_v(l, k) += 2.0 * omega.dot(axial(block(body.second, l, k)));
      if (!body.stiffens()) continue;
      const Vector3 drawn = body.drawn.block<3, 1>(3 * l, k);
      e.R_p(l, k) += drawn.dot(a);
      force_by_p += e.rate(l) * drawn + 2.0 * elastic.v(l) * omega.cross(drawn);
      force_by_v += 2.0 * elastic.v(l) * drawn;
      by_rates += 2.0 * elastic.v(l) * axial(block(body.drawn_first, l, k));
    }
    const Matrix3 P = N + N.transpose();
    const Matrix3 J = P.trace() * Matrix3::Identity() - P;
    by_p += J * alpha + omega.cross(J * omega);
    const Vector3 by_v = 2.0 * (N.trace() * omega - N * omega) + omega.cross(turn) + by_rates;
    const Vector3 b =
        2.0 * (v_O.cross(Phi) + N.transpose() * omega - N.trace() * omega + axial(N_rate)) +
        omega.cross(turn);
    e.h.col(k) = force_at_origin(elastic.H[at(k)], o);
    e.b.col(k) << A * b, Vector3::Zero();
    force_by_p += alpha.cross(Phi) + omega.cross(omega.cross(Phi));
    force_by_v += 2.0 * omega.cross(Phi);
    e.F_p.col(k) = force_at_origin({A * by_p, A * force_by_p}, o);
    e.F_v.col(k) = force_at_origin({A * by_v, A * force_by_v}, o);
  }
}

void section_derivatives(const Tree& tree, const Link& node, const LinkDerivatives& own,
                         const Vector6& weight, const TreeDerivatives& d, MatrixRef D) {
  const Link& body = tree.links()[at(node.parent)];
  const Index nu = tree.nu(), first = body.first_el_user();
  for (Index i = 0; i < body.n_el; ++i) {
    const ColumnDerivatives& section = d.node_columns[at(node.first_column + i)];
    const Vector6 Is = own.I * section.s, Bs = own.B.transpose() * section.s;
    const Vector6 by_position = own.I * (section.psi_dot + motion_cross(weight, section.s)) +
                                own.B * section.psi + force_cross(section.s, own.F);
    const Vector6 by_velocity = own.I * section.chi + own.B * section.s;
    visit_way(tree, d, node.parent, [&](Index k, const ColumnDerivatives& c) {
      D(first + i, k) += Is.dot(c.psi_dot + motion_cross(weight, c.s)) + Bs.dot(c.psi);
      D(first + i, nu + k) += Is.dot(c.chi) + Bs.dot(c.s);
      D(k, first + i) += c.s.dot(by_position);
      D(k, nu + first + i) += c.s.dot(by_velocity);
    });
  }
  Matrix6 positions, velocities;
  const SectionDerivatives& section = d.sections[at(node.node)];
  own_block(section.single, own, weight, positions, velocities);
  Matrix C(6, body.n_el);
  C << section.shift, node.section->turn;
  auto by_p = D.block(first, first, body.n_el, body.n_el);
  auto by_v = D.block(first, nu + first, body.n_el, body.n_el);
  by_p += C.transpose() * positions * C;
  by_v += C.transpose() * velocities * C;
  if (node.section->stiffens()) {
    add_changing_shifts(*node.section, C, section, own, velocities, by_p, by_v);
  }
}

void elastic_rows(const Tree& tree, Index place, const Vector6& weight, const TreeDerivatives& d,
                  MatrixRef D) {
  const Link& link = tree.links()[at(place)];
  const ElasticDerivatives& e = d.elastic[at(link.elastic)];
  const Index nu = tree.nu(), first = link.first_el_user(), n = link.n_el;
  visit_way(tree, d, place, [&](Index k, const ColumnDerivatives& c) {
    const Vector6 psi_dot = c.psi_dot + motion_cross(weight, c.s);
    D.col(k).segment(first, n) += e.h.transpose() * psi_dot + e.b.transpose() * c.psi;
    D.col(nu + k).segment(first, n) += e.h.transpose() * c.chi + e.b.transpose() * c.s;
    D.row(k).segment(first, n) += c.s.transpose() * e.F_p;
    D.row(k).segment(nu + first, n) += c.s.transpose() * e.F_v;
  });
  D.block(first, first, n, n) += e.R_p;
  D.block(first, nu + first, n, n) += e.R_v;
}

}  // namespace nsmb
