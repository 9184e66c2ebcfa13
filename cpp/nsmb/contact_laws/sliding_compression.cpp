#include "nsmb/contact_laws/sliding_compression.hpp"

#include "nsmb/contact_laws/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Return Λ_TC/Λ_NC of a sliding contact.
double ratio(const ContactProblem& p, const FrictionBound& f) {
  return p.b(f.first) > 0.0 ? -f.mu_minus : f.mu_plus;
}

bool slides(const ContactProblem& p, const FrictionBound& f) {
  return f.dim == 1 && f.normal >= 0 && p.b(f.first) != 0.0;
}

}  // namespace

bool solve_sliding_compression(ContactProblem& p, ContactSolver& solver) {
  if (p.friction.empty()) return false;
  for (const FrictionBound& f : p.friction) {
    if (!slides(p, f)) return false;
  }
  const Index n_N = p.n_N;
  ContactProblem& normal = solver.problem(n_N, n_N);
  normal.A = p.A.topLeftCorner(n_N, n_N);
  normal.b = p.b.head(n_N);
  normal.judged = p.judged;
  if (p.judged) normal.resolution = p.resolution.head(n_N);
  for (const FrictionBound& f : p.friction) {
    normal.A.col(f.normal) += ratio(p, f) * p.A.col(f.first).head(n_N);
  }
  solver.solve(normal);
  if (normal.status != LcpStatus::Solved) return false;
  p.x.resize(p.b.size());
  p.x.head(n_N) = normal.x;
  for (const FrictionBound& f : p.friction) p.x(f.first) = ratio(p, f) * normal.x(f.normal);
  p.residual = solver.residual(p);
  if (!(p.judged ? row_defects(p).worst <= 1.0 : p.residual <= impact::kSlidingResidual))
    return false;
  p.status = LcpStatus::Solved;
  return true;
}

}  // namespace nsmb
