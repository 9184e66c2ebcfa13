#include "nsmb/multibody/elastic_motion.hpp"

#include <algorithm>

namespace nsmb {

namespace {

// For a body with stiffening, replace Φ_k by ∂r/∂p_k = Φ_k + Σ_l Γ_kl p_l, to first order in p.
void displaced_shapes(const ElasticLink& body, ElasticState& elastic) {
  elastic.displacement = body.displacement;
  if (!body.stiffens()) return;
  for (Index k = 0; k < body.size(); ++k) {
    elastic.displacement.col(k).noalias() += body.drawn.middleRows<3>(3 * k) * elastic.p;
  }
}

// Add force and moment of s̈ at p̈ = 0, which is Σ Γ_kl ṗ_k ṗ_l.
void bias_of_drawing(const ElasticLink& body, const Vector& v, Vector3& moment, Vector3& force) {
  for (Index k = 0; k < body.size(); ++k) {
    for (Index l = 0; l < body.size(); ++l) {
      moment += v(k) * v(l) * axial(body.drawn_first.block<3, 3>(3 * k, 3 * l));
      force += v(k) * v(l) * body.drawn.block<3, 1>(3 * k, l);
    }
  }
}

}  // namespace

// Add the parts of ∫ r rᵀ dm and ∫ r × Φ dm with r = x + Φ p one by one.
void deform(const ElasticLink& body, LinkState& state, ElasticState& elastic) {
  const Index n = body.size();
  const Matrix3& A = state.A;
  Matrix& N = elastic.N;
  displaced_shapes(body, elastic);
  if (body.displaces) {
    N = body.first;
    for (Index l = 0; l < n; ++l) N.noalias() += elastic.p(l) * body.coupling.middleCols<3>(3 * l);
    Matrix3 P = Matrix3::Zero();
    for (Index k = 0; k < n; ++k) {
      P += elastic.p(k) * (body.first.middleRows<3>(3 * k).transpose() + N.middleRows<3>(3 * k));
    }
    if (body.stiffens()) P = 0.5 * (P + P.transpose()).eval();
    const Matrix3 J = A * (P.trace() * Matrix3::Identity() - P) * A.transpose();
    state.inertia[0] += J(0, 0);
    state.inertia[1] += J(0, 1);
    state.inertia[2] += J(0, 2);
    state.inertia[3] += J(1, 1);
    state.inertia[4] += J(1, 2);
    state.inertia[5] += J(2, 2);
    if (body.stiffens()) {
      state.moment.noalias() += 0.5 * (A * (body.displacement * elastic.p));
      state.moment.noalias() += 0.5 * (A * (elastic.displacement * elastic.p));
    } else {
      state.moment.noalias() += A * (body.displacement * elastic.p);
    }
  }
  for (Index k = 0; k < n; ++k) {
    Vector3 R = body.turn.col(k);
    if (body.displaces) R += axial(N.middleRows<3>(3 * k));
    elastic.H[at(k)].R.noalias() = A * R;
    elastic.H[at(k)].T.noalias() = A * elastic.displacement.col(k);
  }
}

// Compute the terms of the acceleration Ω×(Ω×r) + 2 Ω×ṡ of each point beyond a rigid body: (14.45).
void elastic_bias(const ElasticLink& body, const LinkState& state, ElasticState& elastic) {
  const Index n = body.size();
  const Vector3 omega = state.A.transpose() * state.v.R;
  Vector3 moment = omega.cross(body.turn * elastic.v), force = Vector3::Zero();
  elastic.bias_el.noalias() = body.stiffness * elastic.p;  // (11.15), (14.47)
  elastic.bias_el.noalias() += body.damping * elastic.v;
  if (body.displaces) {
    force = 2.0 * omega.cross(elastic.displacement * elastic.v);
    for (Index k = 0; k < n; ++k) {
      const Matrix3 N = elastic.N.middleRows<3>(3 * k);
      Matrix3 rate = Matrix3::Zero();
      for (Index l = 0; l < n; ++l) rate += elastic.v(l) * body.second.block<3, 3>(3 * k, 3 * l);
      moment += 2.0 * elastic.v(k) * (N.trace() * omega - N * omega);
      elastic.bias_el(k) +=
          omega.dot(N * omega) - N.trace() * omega.squaredNorm() + 2.0 * omega.dot(axial(rate));
    }
    if (body.stiffens()) bias_of_drawing(body, elastic.v, moment, force);
  }
  elastic.bias.R.noalias() = state.A * moment;
  elastic.bias.T.noalias() = state.A * force;
}

Pair elastic_momentum(const ElasticState& elastic) {
  Pair sum;
  for (Index k = 0; k < elastic.v.size(); ++k) {
    sum.R += elastic.v(k) * elastic.H[at(k)].R;
    sum.T += elastic.v(k) * elastic.H[at(k)].T;
  }
  return sum;
}

void begin_recursion(const Tree& tree, TreeWorkspace& work, ElasticSums ElasticState::* sums) {
  if (work.elastic.empty()) return;
  for (const Link& link : tree.links()) {
    if (link.elastic < 0) continue;
    ElasticState& elastic = work.elastic[at(link.elastic)];
    ElasticSums& own = elastic.*sums;
    std::copy(elastic.H.begin(), elastic.H.end(), own.U.begin());
    own.M = link.flexible->mass;
    own.force = elastic.bias_el;
  }
}

void add_behind_node(const ChainInertia& I, const Vector3& rho, const Pair* columns, const Pair* p,
                     ElasticSums& sums) {
  for (Index k = 0; k < sums.force.size(); ++k) {
    const Pair& s = columns[k];
    const Pair W = I * s;
    sums.U[at(k)].R += W.R + rho.cross(W.T);
    sums.U[at(k)].T += W.T;
    for (Index l = 0; l <= k; ++l) sums.M(k, l) += dot(columns[l], W);
    if (p) sums.force(k) += dot(s, *p);
  }
}

bool eliminate_elastic(ElasticSums& sums, ChainInertia& I, double* D_inverse, Index& failed) {
  Matrix& M = sums.M;
  for (Index k = M.rows() - 1; k >= 0; --k) {
    failed = k;
    if (!(M(k, k) > 0.0)) return false;
    D_inverse[k] = 1.0 / M(k, k);
    const Pair& U = sums.U[at(k)];
    const Vector3 a = -D_inverse[k] * U.R;
    const Vector3 b = -D_inverse[k] * U.T;
    add_product(I.J, a, U.R);
    I.H.noalias() += a * U.T.transpose();
    add_product(I.M, b, U.T);
    for (Index l = 0; l < k; ++l) {
      const double share = M(k, l) * D_inverse[k];
      sums.U[at(l)].R -= share * U.R;
      sums.U[at(l)].T -= share * U.T;
      for (Index m = 0; m <= l; ++m) M(l, m) -= share * M(k, m);
    }
  }
  return true;
}

}  // namespace nsmb
