// The articulated-body algorithm. For the part of the tree beyond a joint, moment and force are
//   F = I_A a + p,
// and the velocities of the joint are eliminated one by one, where s is the column of a velocity:
//   U = I_A s,   D = sᵀU,   I_A -= U Uᵀ/D,   p += U (τ - sᵀp)/D.
// Elastic coordinates follow those of the joint and are eliminated first. Their columns U and their
// matrix M come from the body and from everything attached to its nodes. The step is the same, with
// D = M_kk,
//   M_lm -= M_kl M_km/D,   U_l -= M_kl U_k/D,
// and all steps of a body together give (11.25), (11.29)-(11.31).
#include <algorithm>
#include <cmath>
#include <limits>

#include "nsmb/multibody/dynamics.hpp"
#include "nsmb/multibody/elastic_motion.hpp"

namespace nsmb {

namespace {

// Compute the inertia of the bodies beyond the joint and of the body itself, about O of the body.
void collect(const Link& link, const LinkState& state, const ChainInertia& behind,
             ChainInertia& I) {
  if (link.has_children) {
    I = behind;
    for (std::size_t k = 0; k < 6; ++k) I.J[k] += state.inertia[k];
    const Vector3& c = state.moment;
    I.H(0, 1) -= c[2];
    I.H(0, 2) += c[1];
    I.H(1, 0) += c[2];
    I.H(1, 2) -= c[0];
    I.H(2, 0) -= c[1];
    I.H(2, 1) += c[0];
    I.M[0] += link.mass;
    I.M[3] += link.mass;
    I.M[5] += link.mass;
  } else {
    I.J = state.inertia;
    I.H = skew(state.moment);
    I.M = {link.mass, 0.0, 0.0, link.mass, 0.0, link.mass};
  }
}

// Eliminate one velocity from I. Return false if its column moves no mass.
template <JointKind kKind>
bool eliminate(const Pair& s, ChainInertia& I, Pair& U, double& D_inverse) {
  double D, size;
  if constexpr (kKind == JointKind::Revolute) {
    U = {I.J * s.R, I.H.transpose() * s.R};
    D = s.R.dot(U.R);
    size = I.J[0] + I.J[3] + I.J[5];
  } else if constexpr (kKind == JointKind::Prismatic) {
    U = {I.H * s.T, I.M * s.T};
    D = s.T.dot(U.T);
    size = I.M[0] + I.M[3] + I.M[5];
  } else {
    U = I * s;
    D = dot(s, U);
    size = s.R.squaredNorm() * (I.J[0] + I.J[3] + I.J[5]) +
           s.T.squaredNorm() * (I.M[0] + I.M[3] + I.M[5]);
  }
  // An exact zero leaves a value of the order of rounding.
  if (!(D > 4.0 * std::numeric_limits<double>::epsilon() * size)) return false;
  D_inverse = 1.0 / D;
  const Vector3 a = -D_inverse * U.R;
  const Vector3 b = -D_inverse * U.T;
  add_product(I.J, a, U.R);
  I.H.noalias() += a * U.T.transpose();
  add_product(I.M, b, U.T);
  return true;
}

bool eliminate(JointKind kind, const Pair& s, ChainInertia& I, Pair& U, double& D_inverse) {
  switch (kind) {
    case JointKind::Revolute:
      return eliminate<JointKind::Revolute>(s, I, U, D_inverse);
    case JointKind::Prismatic:
      return eliminate<JointKind::Prismatic>(s, I, U, D_inverse);
    default:
      return eliminate<JointKind::General>(s, I, U, D_inverse);
  }
}

// Eliminate elastic coordinates from I and p.
template <bool kForces>
InertiaResult elastic_inwards(const Link& link, const LinkState& state, TreeWorkspace& work,
                              const double* tau, ChainInertia& I, Pair& p) {
  ElasticState& elastic = work.elastic[static_cast<std::size_t>(link.elastic)];
  ElasticSums& sums = elastic.articulated;
  const auto first = static_cast<std::size_t>(link.first_el());
  if constexpr (kForces) {
    p.R += elastic.bias.R;
    p.T += elastic.bias.T;
    for (Index k = 0; k < link.n_el; ++k) {
      sums.force(k) += dot(sums.U[static_cast<std::size_t>(k)], state.zeta);
    }
  }
  Index failed = 0;
  if (!eliminate_elastic(sums, I, work.D_inverse.data() + first, failed)) {
    return {link.first_el_user() + failed};
  }
  if constexpr (kForces) {
    for (Index k = link.n_el - 1; k >= 0; --k) {
      const auto own = first + static_cast<std::size_t>(k);
      const Pair& U = sums.U[static_cast<std::size_t>(k)];
      const double drive = tau ? tau[link.first_el_user() + k] : 0.0;
      work.rest[own] = (drive - sums.force(k)) * work.D_inverse[own];
      p.R += work.rest[own] * U.R;
      p.T += work.rest[own] * U.T;
      for (Index l = 0; l < k; ++l) sums.force(l) += work.rest[own] * sums.M(k, l);
    }
  }
  return {};
}

// Eliminate elastic coordinates from their right-hand side b, and from p.
void solve_elastic(const Link& link, const TreeWorkspace& work, double* b, Pair& p) {
  const ElasticSums& sums = work.elastic[static_cast<std::size_t>(link.elastic)].articulated;
  for (Index k = link.n_el - 1; k >= 0; --k) {
    const Pair& U = sums.U[static_cast<std::size_t>(k)];
    b[k] *= work.D_inverse[static_cast<std::size_t>(link.first_el() + k)];
    p.R += b[k] * U.R;
    p.T += b[k] * U.T;
    for (Index l = 0; l < k; ++l) b[l] -= b[k] * sums.M(k, l);
  }
}

// Compute the rates of the elastic velocities of a body with acceleration a. On entry, x is the
// result of the elimination.
void elastic_outwards(const Link& link, const TreeWorkspace& work, const Pair& a, double* x) {
  const ElasticSums& sums = work.elastic[static_cast<std::size_t>(link.elastic)].articulated;
  for (Index k = 0; k < link.n_el; ++k) {
    double force = dot(sums.U[static_cast<std::size_t>(k)], a);
    for (Index l = 0; l < k; ++l) force += sums.M(k, l) * x[l];
    x[k] -= force * work.D_inverse[static_cast<std::size_t>(link.first_el() + k)];  // (11.27)
  }
}

// Add the acceleration of a section relative to its body, (11.21).
void add_section(const Tree& tree, const Link& node, const TreeWorkspace& work, const double* rates,
                 Pair& a) {
  const Link& body = tree.links()[static_cast<std::size_t>(node.parent)];
  for (Index k = 0; k < body.n_el; ++k) {
    const Pair& s = work.node_columns[static_cast<std::size_t>(node.first_column + k)];
    a.R += rates[body.first_el_user() + k] * s.R;
    a.T += rates[body.first_el_user() + k] * s.T;
  }
}

// Inward sweep. Without forces, compute only the inertias.
template <bool kForces>
InertiaResult inwards(const Tree& tree, TreeWorkspace& work, const double* tau) {
  const std::vector<Link>& links = tree.links();
  begin_recursion(tree, work, &ElasticState::articulated);
  for (std::size_t j = links.size(); j-- > 0;) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    ChainInertia I;
    Pair p;
    collect(link, state, work.chain[j], I);
    if constexpr (kForces) {
      p = gyroscopic(state);
      if (work.any_applied) {
        p.R -= work.applied[j].R;
        p.T -= work.applied[j].T;
      }
      if (link.has_children) {
        p.R += work.force[j].R;
        p.T += work.force[j].T;
      }
      const Pair offset = I * state.zeta;
      p.R += offset.R;
      p.T += offset.T;
    }
    if (link.elastic >= 0) {
      const InertiaResult result = elastic_inwards<kForces>(link, state, work, tau, I, p);
      if (!result.ok()) return result;
    }
    for (Index c = link.nu - 1; c >= 0; --c) {
      const auto k = static_cast<std::size_t>(link.first_u + c);
      const Pair& s = work.columns[k];
      Pair& U = work.U[k];
      if (!eliminate(link.kind, s, I, U, work.D_inverse[k])) return {link.first_u_user + c};
      if constexpr (kForces) {
        const double drive = tau ? tau[link.first_u_user + c] : 0.0;
        work.rest[k] = (drive - dot(s, p)) * work.D_inverse[k];
        p.R += work.rest[k] * U.R;
        p.T += work.rest[k] * U.T;
      }
    }
    if (link.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    if (link.kind == JointKind::Node) {
      add_behind_node(I, state.rho, work.node_columns.data() + link.first_column,
                      kForces ? &p : nullptr, elastic_parent(tree, link, work).articulated);
    }
    if (link.last_sibling) {
      shift(I, state.rho, work.chain[parent]);
    } else {
      ChainInertia shifted;
      shift(I, state.rho, shifted);
      add(shifted, work.chain[parent]);
    }
    if constexpr (kForces) {
      p.R += state.rho.cross(p.T);
      if (link.last_sibling) {
        work.force[parent] = p;
      } else {
        work.force[parent].R += p.R;
        work.force[parent].T += p.T;
      }
    }
  }
  return {};
}

}  // namespace

InertiaResult forward_dynamics(const Tree& tree, TreeWorkspace& work, const ConstVectorRef& tau,
                               VectorRef udot) {
  const InertiaResult result = inwards<true>(tree, work, tau.size() > 0 ? tau.data() : nullptr);
  if (!result.ok()) return result;
  const std::vector<Link>& links = tree.links();
  // Gravity is equivalent to an opposite acceleration of the environment.
  const Pair environment{Vector3::Zero(), -tree.gravity()};
  for (std::size_t j = 0; j < links.size(); ++j) {
    const Link& link = links[j];
    const LinkState& state = work.links[j];
    const Pair& parent =
        link.parent < 0 ? environment : work.acceleration[static_cast<std::size_t>(link.parent)];
    Pair a{parent.R, parent.T + parent.R.cross(state.rho)};
    if (link.kind == JointKind::Node) add_section(tree, link, work, udot.data(), a);
    for (Index c = 0; c < link.nu; ++c) {
      const auto k = static_cast<std::size_t>(link.first_u + c);
      const double rate = work.rest[k] - dot(work.U[k], a) * work.D_inverse[k];
      udot[link.first_u_user + c] = rate;
      a.R += rate * work.columns[k].R;
      a.T += rate * work.columns[k].T;
    }
    if (link.elastic >= 0) {
      double* x = udot.data() + link.first_el_user();
      std::copy_n(work.rest.data() + link.first_el(), link.n_el, x);
      elastic_outwards(link, work, a, x);
    }
    work.acceleration[j] = {a.R + state.zeta.R, a.T + state.zeta.T};
  }
  return result;
}

InertiaResult factorise_inertia(const Tree& tree, TreeWorkspace& work) {
  return inwards<false>(tree, work, nullptr);
}

// Solve for the links `first` to `end`, a part of the tree attached to nothing that moves.
static void solve_column(const Tree& tree, TreeWorkspace& work, Index first, Index end, double* b) {
  const std::vector<Link>& links = tree.links();
  for (auto j = static_cast<std::size_t>(end); j-- > static_cast<std::size_t>(first);) {
    const Link& link = links[j];
    Pair p = link.has_children ? work.force[j] : Pair{};
    if (link.elastic >= 0) solve_elastic(link, work, b + link.first_el_user(), p);
    for (Index c = link.nu - 1; c >= 0; --c) {
      const auto k = static_cast<std::size_t>(link.first_u + c);
      const double rest = (b[link.first_u_user + c] - dot(work.columns[k], p)) * work.D_inverse[k];
      b[link.first_u_user + c] = rest;
      p.R += rest * work.U[k].R;
      p.T += rest * work.U[k].T;
    }
    if (link.parent < first) continue;
    if (link.kind == JointKind::Node) {
      const Link& body = links[static_cast<std::size_t>(link.parent)];
      for (Index k = 0; k < body.n_el; ++k) {
        b[body.first_el_user() + k] -=
            dot(work.node_columns[static_cast<std::size_t>(link.first_column + k)], p);
      }
    }
    p.R += work.links[j].rho.cross(p.T);
    Pair& sum = work.force[static_cast<std::size_t>(link.parent)];
    if (link.last_sibling) {
      sum = p;
    } else {
      sum.R += p.R;
      sum.T += p.T;
    }
  }
  for (auto j = static_cast<std::size_t>(first); j < static_cast<std::size_t>(end); ++j) {
    const Link& link = links[j];
    Pair a;
    if (link.parent >= first) {
      a = work.acceleration[static_cast<std::size_t>(link.parent)];
      a.T += a.R.cross(work.links[j].rho);
    }
    if (link.kind == JointKind::Node) add_section(tree, link, work, b, a);
    for (Index c = 0; c < link.nu; ++c) {
      const auto k = static_cast<std::size_t>(link.first_u + c);
      double& x = b[link.first_u_user + c];
      x -= dot(work.U[k], a) * work.D_inverse[k];
      a.R += x * work.columns[k].R;
      a.T += x * work.columns[k].T;
    }
    if (link.elastic >= 0) elastic_outwards(link, work, a, b + link.first_el_user());
    work.acceleration[j] = a;
  }
}

void solve_inertia(const Tree& tree, TreeWorkspace& work, MatrixRef B) {
  const auto end = static_cast<Index>(tree.links().size());
  for (Index column = 0; column < B.cols(); ++column) {
    solve_column(tree, work, 0, end, B.data() + column * B.outerStride());
  }
}

void solve_inertia(const Tree& tree, TreeWorkspace& work, Index first, Index end, VectorRef b) {
  solve_column(tree, work, first, end, b.data());
}

}  // namespace nsmb
