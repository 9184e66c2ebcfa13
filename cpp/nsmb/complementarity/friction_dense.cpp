// A sparse friction problem as the dense one of friction_problem.hpp.
#include "nsmb/complementarity/friction_dense.hpp"

namespace nsmb::internal {
namespace {

/// Compute column j of A by products with a unit vector: the problems are small.
void form_matrix(const ContactSystem& system, DenseScratch& s) {
  const Index m = system.rows();
  s.A.resize(m, m);
  s.unit.setZero(m);
  for (Index j = 0; j < m; ++j) {
    s.unit[j] = 1.0;
    system.multiply(s.unit, s.v, s.y);
    s.A.col(j) = s.y - system.b;
    s.unit[j] = 0.0;
  }
}

void list_rows(const ContactSystem& system, FrictionRows& rows) {
  rows.normals.clear();
  rows.discs.clear();
  for (const FrictionPart& part : system.parts) {
    if (part.kind == FrictionPart::Kind::Normal) rows.normals.push_back(part.first);
    if (part.kind != FrictionPart::Kind::Disc) continue;
    rows.discs.push_back({part.first, part.dim, part.normal, part.mu, part.bound, 1.0});
  }
}

}  // namespace

bool run_dense(const ContactSystem& system, int max_iterations, FrictionJudge& judge,
               DenseScratch& s, Vector& x) {
  const MethodClock clock(judge.result(), SparseFrictionMethod::Dense);
  if (judge.must_stop()) return false;
  form_matrix(system, s);
  list_rows(system, s.rows);
  const FrictionOptions options{.max_iterations = max_iterations,
                                .accept_residual = 1e-3 * judge.tol()};
  solve_friction(s.A, system.b, s.rows, options, s.workspace, s.result, &x);
  judge.result().iterations += s.result.iterations;
  x = s.result.x;
  return judge.offer(x, SparseFrictionMethod::Dense);
}

}  // namespace nsmb::internal
