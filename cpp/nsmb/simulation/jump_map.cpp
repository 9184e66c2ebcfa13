#include "nsmb/simulation/jump_map.hpp"

namespace nsmb {

JumpMap::JumpMap(const System& system, const TransitionOptions& options)
    : options_(options),
      mechanics_(system),
      solver_(options.friction),
      impact_(system.rows()),
      gamma_N_(system.nc()),
      gamma_T_(system.nt()),
      w_N_(system.nu()) {}

void JumpMap::update_velocities(const ConstVectorRef& u) {
  gamma_N_ = mechanics_.contacts.w_tilde_N;
  gamma_N_.noalias() += mechanics_.contacts.W_N.transpose() * u;
  gamma_T_ = mechanics_.contacts.w_tilde_T;
  gamma_T_.noalias() += mechanics_.contacts.W_T.transpose() * u;
}

// γ = 0 of `rows`, by the smallest step in the kinetic metric.
void JumpMap::project(const std::vector<Index>& rows, VectorRef u) {
  if (rows.empty()) return;
  const Index n = static_cast<Index>(rows.size());
  const Index nc = mechanics_.nc();
  RowSolver& solver = row_solvers_.try_emplace(rows.size(), n).first->second;
  update_velocities(u);
  for (Index i = 0; i < n; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    solver.gamma(i) = row < nc ? gamma_N_(row) : gamma_T_(row - nc);
    for (Index j = 0; j < n; ++j) {
      solver.G(i, j) = mechanics_.delassus.G(row, rows[static_cast<std::size_t>(j)]);
    }
  }
  solver.ldlt.compute(solver.G);
  solver.ldlt.solveInPlace(solver.gamma);
  for (Index i = 0; i < n; ++i) {
    u -= mechanics_.delassus.Minv_W.col(rows[static_cast<std::size_t>(i)]) * solver.gamma(i);
  }
}

const Vector& JumpMap::normal_direction(double t, const ConstVectorRef& y,
                                        const InstantDecisions& decisions, Index contact) {
  mechanics_.contacts.features = decisions.features;
  mechanics_.update_contacts(t, y);
  w_N_ = mechanics_.contacts.W_N.col(contact);
  return w_N_;
}

bool JumpMap::apply(double t, const ConstVectorRef& y, const InstantDecisions& decisions,
                    VectorRef y_plus) {
  const System& system = mechanics_.system();
  const Index nq = system.nq();
  y_plus = y;
  auto u = y_plus.segment(nq, system.nu());
  mechanics_.contacts.features = decisions.features;
  mechanics_.update_contacts(t, y);
  project(decisions.rows_minus, u);
  for (const bool without_collision : decisions.impacts) {
    update_velocities(u);
    const ImpactLaw law = without_collision && options_.impact_law == ImpactLaw::Newton
                              ? ImpactLaw::Poisson
                              : options_.impact_law;
    const ImpactProblem problem{
        system.rows(),      mechanics_.delassus.G, gamma_N_,         gamma_T_, mechanics_.laws,
        decisions.touching, &options_.expansion,   without_collision};
    solve_impact(law, problem, solver_, impact_);
    if (impact_.status != LcpStatus::Solved) return false;
    u.noalias() += mechanics_.delassus.Minv_W.leftCols(system.nc()) * impact_.Lambda_N;
    u.noalias() += mechanics_.delassus.Minv_W.rightCols(system.nt()) * impact_.Lambda_T;
  }
  project(decisions.rows_plus, u);
  if (system.nx() > system.nx_own()) {
    mechanics_.update_elements(t, y_plus);
    for (Index e = 0; e < system.ne(); ++e) {
      if (!decisions.walls[static_cast<std::size_t>(e)] || system.wall(e) < 0) continue;
      y_plus(nq + system.nu() + system.wall(e)) = mechanics_.elements.gamma(e);
    }
  }
  return true;
}

}  // namespace nsmb
