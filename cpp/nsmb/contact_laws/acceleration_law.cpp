#include "nsmb/contact_laws/acceleration_law.hpp"

namespace nsmb {

AccelerationResult::AccelerationResult(Index nc)
    : lambda_N(Vector::Zero(nc)),
      lambda_T(Vector::Zero(nc)),
      gammadot_N(Vector::Zero(nc)),
      gammadot_T(Vector::Zero(nc)) {}

namespace {

// Positions of the contacts of I_N and I_H in the unknowns x = (λ_N, λ_H⁺, λ_H⁻, z⁻, z⁺).
struct Layout {
  Index n_N = 0, n_H = 0;
  Index plus(Index h) const { return n_N + h; }
  Index minus(Index h) const { return n_N + n_H + h; }
  Index z_minus(Index h) const { return n_N + 2 * n_H + h; }
  Index z_plus(Index h) const { return n_N + 3 * n_H + h; }
  Index size() const { return n_N + 4 * n_H; }
};

Layout count(const std::vector<ContactRole>& roles) {
  Layout layout;
  for (const ContactRole role : roles) {
    if (role != ContactRole::Absent) ++layout.n_N;
    if (role == ContactRole::Candidate) ++layout.n_H;
  }
  return layout;
}

// Row `row` of A over all columns: `sign` times the row `g` of G, with P = W_N + W_G μ̄_G.
void fill_row(const AccelerationProblem& p, const Layout& at, Index row, Index g, double sign,
              double scale_G, Matrix& A) {
  const Index nc = p.free_N.size();
  Index j_N = 0, j_H = 0;
  for (Index j = 0; j < nc; ++j) {
    const ContactRole role = p.roles[static_cast<std::size_t>(j)];
    if (role == ContactRole::Absent) continue;
    const double s = sign / scale_G;
    const double friction = sliding_sign(role) * p.mu(j);  // (5.7): λ_T = -μ λ_N sign(γ_T)
    A(row, j_N++) = s * (p.G(g, j) - friction * p.G(g, nc + j));
    if (role != ContactRole::Candidate) continue;
    A(row, at.plus(j_H)) = s * p.G(g, nc + j);
    A(row, at.minus(j_H)) = -s * p.G(g, nc + j);
    ++j_H;
  }
}

// (6.35), fully expanded.
void assemble(const AccelerationProblem& p, const Layout& at, double scale_G, double scale_b,
              ContactLcp::Slot& slot) {
  const Index nc = p.free_N.size();
  Index i_N = 0, i_H = 0;
  for (Index i = 0; i < nc; ++i) {
    const ContactRole role = p.roles[static_cast<std::size_t>(i)];
    if (role == ContactRole::Absent) continue;
    fill_row(p, at, i_N, i, 1.0, scale_G, slot.A);
    slot.b(i_N) = p.free_N(i) / scale_b;
    if (role == ContactRole::Candidate) {
      fill_row(p, at, at.plus(i_H), nc + i, 1.0, scale_G, slot.A);
      fill_row(p, at, at.minus(i_H), nc + i, -1.0, scale_G, slot.A);
      slot.b(at.plus(i_H)) = p.free_T(i) / scale_b;
      slot.b(at.minus(i_H)) = -p.free_T(i) / scale_b;
      slot.A(at.plus(i_H), at.z_minus(i_H)) = 1.0;
      slot.A(at.minus(i_H), at.z_plus(i_H)) = 1.0;
      // Friction saturations λ_H0 = μ̄_H λ_N - λ_H (6.26).
      slot.A(at.z_minus(i_H), i_N) = p.mu(i);
      slot.A(at.z_minus(i_H), at.plus(i_H)) = -1.0;
      slot.A(at.z_plus(i_H), i_N) = p.mu(i);
      slot.A(at.z_plus(i_H), at.minus(i_H)) = -1.0;
      ++i_H;
    }
    ++i_N;
  }
}

}  // namespace

void solve_acceleration_law(const AccelerationProblem& p, ContactLcp& lcp,
                            AccelerationResult& result) {
  const Index nc = p.free_N.size();
  const Layout at = count(p.roles);
  result.status = LcpStatus::Solved;
  result.residual = 0.0;
  result.lambda_N.setZero();
  result.lambda_T.setZero();
  double scale_G = 0.0, scale_b = 0.0;
  for (Index i = 0; i < nc; ++i) {
    const ContactRole role = p.roles[static_cast<std::size_t>(i)];
    if (role == ContactRole::Absent) continue;
    scale_G = std::max(scale_G, p.G(i, i));
    scale_b = std::max(scale_b, std::abs(p.free_N(i)));
    if (role == ContactRole::Candidate) scale_b = std::max(scale_b, std::abs(p.free_T(i)));
  }
  result.scale = scale_b;
  if (scale_b > 0.0) {
    ContactLcp::Slot& slot = lcp.slot(at.size());
    assemble(p, at, scale_G, scale_b, slot);
    lcp.solve(slot);
    result.status = slot.result.status;
    result.residual = slot.result.residual;
    if (slot.result.x.size() == at.size()) {
      const double unit = scale_b / scale_G;
      Index i_N = 0, i_H = 0;
      for (Index i = 0; i < nc; ++i) {
        const ContactRole role = p.roles[static_cast<std::size_t>(i)];
        if (role == ContactRole::Absent) continue;
        result.lambda_N(i) = unit * slot.result.x(i_N++);
        result.lambda_T(i) = -sliding_sign(role) * p.mu(i) * result.lambda_N(i);
        if (role == ContactRole::Candidate) {
          result.lambda_T(i) = unit * (slot.result.x(at.plus(i_H)) - slot.result.x(at.minus(i_H)));
          ++i_H;
        }
      }
    }
  }
  // γ̇ = G λ + Wᵀ M⁻¹h + w̄ (5.14), for absent contacts too.
  result.gammadot_N = p.free_N;
  result.gammadot_T = p.free_T;
  result.gammadot_N.noalias() += p.G.topLeftCorner(nc, nc) * result.lambda_N;
  result.gammadot_N.noalias() += p.G.topRightCorner(nc, nc) * result.lambda_T;
  result.gammadot_T.noalias() += p.G.bottomLeftCorner(nc, nc) * result.lambda_N;
  result.gammadot_T.noalias() += p.G.bottomRightCorner(nc, nc) * result.lambda_T;
}

}  // namespace nsmb
