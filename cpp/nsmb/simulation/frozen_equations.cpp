#include "nsmb/simulation/frozen_equations.hpp"

namespace nsmb {

FrozenSolution::FrozenSolution(const System& system)
    : lambda_N(Vector::Zero(system.nc())),
      lambda_T(Vector::Zero(system.nt())),
      udot(Vector::Zero(system.nu())) {}

FrozenEquations::FrozenEquations(const ContactRows& rows, bool factors_last)
    : contact_rows_(rows), factors_last_(factors_last) {}

void FrozenEquations::list_rows(const FrozenRoles& roles) {
  frozen_rows(contact_rows_, roles, rows_);
  normal_rows_.clear();
  for (const Index row : rows_) {
    if (row < contact_rows_.nc) normal_rows_.push_back(row);
  }
  first_determinant_ = 0.0;
  knows_factors_ = false;
}

void FrozenEquations::freeze(const FrozenRoles& roles) {
  list_rows(roles);
  frozen_forces(contact_rows_, roles, unknowns_);
}

void FrozenEquations::renew(const FrozenRoles& roles) { list_rows(roles); }

void FrozenEquations::solve(const Mechanics& mechanics, const FrozenRoles& roles) {
  const Index nc = contact_rows_.nc;
  const Index n = static_cast<Index>(rows_.size());
  if (n == 0) return;
  RowEquations& equations = factorised();
  const Matrix& G = mechanics.delassus.G;
  if (!knows_factors_) {
    assemble_frozen(contact_rows_, G, roles, mechanics.mu, rows_, unknowns_, equations.A);
  }
  for (Index k = 0; k < n; ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    equations.right(k) = row < nc ? -mechanics.free_N(row) : -mechanics.free_T(row - nc);
    equations.right(k) -= given_friction(contact_rows_, G, roles, mechanics.contacts.bound, row);
  }
  if (knows_factors_) {
    equations.substitute();
  } else {
    equations.solve();
    determinant_ = equations.lu.determinant();
    knows_factors_ = factors_last_;
  }
  if (first_determinant_ == 0.0) first_determinant_ = determinant_;
}

void FrozenEquations::scatter(const FrozenRoles& roles, const Vector& mu, const Vector* bound,
                              Vector& lambda_N, Vector& lambda_T) {
  scatter_forces(contact_rows_, roles, mu, bound, unknowns_, factorised().lambda, lambda_N,
                 lambda_T);
}

}  // namespace nsmb
