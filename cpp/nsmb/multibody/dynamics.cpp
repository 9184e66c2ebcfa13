#include "nsmb/multibody/dynamics.hpp"

#include "nsmb/multibody/elastic_motion.hpp"

namespace nsmb {

namespace {

// Mass, first and second moment of everything beyond a joint, passed on to the parent.
struct Composite {
  double mass;
  Vector3 moment;
  Symmetric3 inertia;
};

void shift(const Vector3& rho, Composite& I) {
  // Symmetric sum of Steiner terms: I += 2 (c·ρ) E - c ρᵀ - ρ cᵀ with c = moment + ½ m ρ.
  const Vector3 c = I.moment + 0.5 * I.mass * rho;
  const double trace = 2.0 * c.dot(rho);
  add_product(I.inertia, -c, rho);
  add_product(I.inertia, -rho, c);
  I.inertia[0] += trace;
  I.inertia[3] += trace;
  I.inertia[5] += trace;
  I.moment += I.mass * rho;
}

// Return mass and moments of a link and of all links beyond it.
Composite composite_of(const Link& link, const LinkState& state, const ChainInertia& behind) {
  Composite I{link.mass, state.moment, state.inertia};
  if (!link.has_children) return I;
  I.mass += behind.M[0];
  I.moment += behind.H.col(0);
  for (std::size_t k = 0; k < 6; ++k) I.inertia[k] += behind.J[k];
  return I;
}

void hand_on(const Link& link, const LinkState& state, Composite& I, ChainInertia& sum) {
  shift(state.rho, I);
  if (link.last_sibling) {
    sum.M[0] = I.mass;
    sum.H.col(0) = I.moment;
    sum.J = I.inertia;
  } else {
    sum.M[0] += I.mass;
    sum.H.col(0) += I.moment;
    for (std::size_t k = 0; k < 6; ++k) sum.J[k] += I.inertia[k];
  }
}

// Write columns of elastic velocities: M_el, and zero beyond the body except where sections move.
void elastic_columns(const Link& link, const TreeWorkspace& work, MatrixRef M) {
  const ElasticSums& sums = work.elastic[static_cast<std::size_t>(link.elastic)].composite;
  const Index first = link.first_el();
  M.middleCols(first, link.n_el).bottomRows(M.rows() - first).setZero();
  M.block(first, first, link.n_el, link.n_el).triangularView<Eigen::Lower>() = sums.M;
}

// Add everything beyond a node to the columns of the elastic velocities of its body.
void section_columns(const Tree& tree, const Link& node, const LinkState& state,
                     const TreeWorkspace& work, MatrixRef M) {
  const Link& body = tree.links()[static_cast<std::size_t>(node.parent)];
  const Index behind = node.end_u - node.first_u;
  for (Index k = 0; k < body.n_el; ++k) {
    const Pair& s = work.node_columns[static_cast<std::size_t>(node.first_column + k)];
    const Vector3 T = s.T + state.from_root.cross(s.R);
    M.col(body.first_el() + k).segment(node.first_u, behind).noalias() =
        work.F.middleCols(node.first_u, behind).topRows<3>().transpose() * s.R +
        work.F.middleCols(node.first_u, behind).bottomRows<3>().transpose() * T;
  }
}

}  // namespace

void mass_matrix(const Tree& tree, TreeWorkspace& work, MatrixRef M_user) {
  const std::vector<Link>& links = tree.links();
  const Index nu = tree.nu();
  if (!tree.same_order() && work.M.rows() != nu) work.M.setZero(nu, nu);
  MatrixRef M = tree.same_order() ? M_user : MatrixRef(work.M);
  begin_recursion(tree, work, &ElasticState::composite);
  for (std::size_t j = links.size(); j-- > 0;) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    Composite I = composite_of(link, state, work.chain[j]);
    // A common point for the whole subtree reduces (3.11) to products of rows.
    const Vector3& d = state.from_root;
    for (Index k = link.first_u; k < link.first_u + link.nu; ++k) {
      const Pair& s = work.columns[static_cast<std::size_t>(k)];
      const Vector3 force = I.mass * s.T + s.R.cross(I.moment);
      work.F.col(k).head<3>() = I.inertia * s.R + I.moment.cross(s.T) + d.cross(force);
      work.F.col(k).tail<3>() = force;
      work.S.col(k).head<3>() = s.R;
      work.S.col(k).tail<3>() = s.T + d.cross(s.R);
    }
    if (link.elastic >= 0) {
      const ElasticSums& sums = work.elastic[static_cast<std::size_t>(link.elastic)].composite;
      for (Index k = 0; k < link.n_el; ++k) {
        const Pair& U = sums.U[static_cast<std::size_t>(k)];
        work.F.col(link.first_el() + k).head<3>() = U.R + d.cross(U.T);
        work.F.col(link.first_el() + k).tail<3>() = U.T;
      }
    }
    if (link.parent < 0) continue;
    if (link.kind == JointKind::Node) {
      const ChainInertia chain{I.inertia, skew(I.moment), {I.mass, 0.0, 0.0, I.mass, 0.0, I.mass}};
      add_behind_node(chain, state.rho, work.node_columns.data() + link.first_column, nullptr,
                      elastic_parent(tree, link, work).composite);
    }
    hand_on(link, state, I, work.chain[static_cast<std::size_t>(link.parent)]);
  }
  for (std::size_t j = 0; j < links.size(); ++j) {
    const Link& link = links[j];
    for (Index i = link.first_u; i < link.first_u + link.nu; ++i) {
      const Index n = link.end_u - i;
      const auto s = work.S.col(i);
      M.col(i).segment(i, n).noalias() =
          (s[0] * work.F.row(0).segment(i, n) + s[1] * work.F.row(1).segment(i, n) +
           s[2] * work.F.row(2).segment(i, n) + s[3] * work.F.row(3).segment(i, n) +
           s[4] * work.F.row(4).segment(i, n) + s[5] * work.F.row(5).segment(i, n))
              .transpose();
      M.col(i).tail(nu - link.end_u).setZero();
    }
    if (link.elastic >= 0) elastic_columns(link, work, M);
    if (link.kind == JointKind::Node) section_columns(tree, link, work.links[j], work, M);
  }
  M.triangularView<Eigen::StrictlyUpper>() = M.transpose();
  if (tree.same_order()) return;
  for (Index k = 0; k < nu; ++k) {
    for (Index i = 0; i < nu; ++i) M_user(tree.user_u(i), tree.user_u(k)) = M(i, k);
  }
}

void mass_diagonal(const Tree& tree, TreeWorkspace& work, VectorRef diagonal) {
  const std::vector<Link>& links = tree.links();
  for (std::size_t j = links.size(); j-- > 0;) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    Composite I = composite_of(link, state, work.chain[j]);
    for (Index c = 0; c < link.nu; ++c) {
      const Pair& s = work.columns[at(link.first_u + c)];
      diagonal(link.first_u_user + c) =
          s.T.dot(I.mass * s.T + 2.0 * s.R.cross(I.moment)) + s.R.dot(I.inertia * s.R);
    }
    if (link.parent >= 0) hand_on(link, state, I, work.chain[at(link.parent)]);
  }
}

void forces(const Tree& tree, TreeWorkspace& work, VectorRef h, TreeForces parts) {
  const std::vector<Link>& links = tree.links();
  const bool turns = parts != TreeForces::Loads;
  const Vector3 gravity = parts == TreeForces::Gyroscopic ? Vector3::Zero() : tree.gravity();
  const bool is_loaded = work.any_applied && parts != TreeForces::Gyroscopic;
  begin_recursion(tree, work, &ElasticState::composite);
  for (std::size_t j = links.size(); j-- > 0;) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    Pair F = turns ? gyroscopic(state) : Pair{};
    const Pair a =
        turns ? Pair{state.j_bar.R, state.j_bar.T - gravity} : Pair{Vector3::Zero(), -gravity};
    const Pair inertial = times_inertia(state, link.mass, a);
    F.R += inertial.R;
    F.T += inertial.T;
    if (link.elastic >= 0) {
      const ElasticState& elastic = work.elastic[static_cast<std::size_t>(link.elastic)];
      F.R += elastic.bias.R;
      F.T += elastic.bias.T;
      for (Index k = 0; k < link.n_el; ++k) {
        h[link.first_el_user() + k] =
            -elastic.composite.force(k) - dot(elastic.H[static_cast<std::size_t>(k)], a);
      }
    }
    if (is_loaded) {
      F.R -= work.applied[j].R;
      F.T -= work.applied[j].T;
    }
    if (link.has_children) {
      F.R += work.force[j].R;
      F.T += work.force[j].T;
    }
    for (Index c = 0; c < link.nu; ++c) {
      h[link.first_u_user + c] = -dot(work.columns[static_cast<std::size_t>(link.first_u + c)], F);
    }
    if (link.parent < 0) continue;
    if (link.kind == JointKind::Node) {
      ElasticSums& sums = elastic_parent(tree, link, work).composite;
      for (Index k = 0; k < sums.force.size(); ++k) {
        sums.force(k) += dot(work.node_columns[static_cast<std::size_t>(link.first_column + k)], F);
      }
    }
    F.R += state.rho.cross(F.T);
    Pair& sum = work.force[static_cast<std::size_t>(link.parent)];
    if (link.last_sibling) {
      sum = F;
    } else {
      sum.R += F.R;
      sum.T += F.T;
    }
  }
}

double kinetic_energy(const Tree& tree, const TreeWorkspace& work) {
  return kinetic_energy(tree, work, 0, static_cast<Index>(work.links.size()));
}

double kinetic_energy(const Tree& tree, const TreeWorkspace& work, Index first, Index end) {
  double T = 0.0;
  for (std::size_t j = at(first); j < at(end); ++j) {
    const LinkState& state = work.links[j];
    const Link& link = tree.links()[j];
    T += 0.5 * dot(state.v, times_inertia(state, link.mass, state.v));
    if (link.elastic < 0) continue;
    const ElasticState& elastic = work.elastic[static_cast<std::size_t>(link.elastic)];
    T += dot(state.v, elastic_momentum(elastic)) +
         0.5 * elastic.v.dot(link.flexible->mass * elastic.v);
  }
  return T;
}

double potential_energy(const Tree& tree, const TreeWorkspace& work) {
  double V = 0.0;
  for (std::size_t j = 0; j < work.links.size(); ++j) {
    const LinkState& state = work.links[j];
    const Link& link = tree.links()[j];
    V -= tree.gravity().dot(link.mass * state.r + state.moment);
    if (link.elastic < 0) continue;
    const Vector& p = work.elastic[static_cast<std::size_t>(link.elastic)].p;
    V += 0.5 * p.dot(link.flexible->stiffness * p);
  }
  return V;
}

Momentum momentum(const Tree& tree, const TreeWorkspace& work) {
  Momentum sum;
  for (std::size_t j = 0; j < work.links.size(); ++j) {
    const LinkState& state = work.links[j];
    const double m = tree.links()[j].mass;
    Pair own = times_inertia(state, m, state.v);  // about O
    if (const Index k = tree.links()[j].elastic; k >= 0) {
      const Pair elastic = elastic_momentum(work.elastic[static_cast<std::size_t>(k)]);
      own.R += elastic.R;
      own.T += elastic.T;
    }
    sum.mass += m;
    sum.center += m * state.r + state.moment;
    sum.p += own.T;
    sum.L += own.R + state.r.cross(own.T);
  }
  if (sum.mass > 0.0) sum.center /= sum.mass;
  return sum;
}

}  // namespace nsmb
