#include "nsmb/simulation/frozen_equations.hpp"

namespace nsmb {

FrozenSolution::FrozenSolution(const System& system)
    : lambda_N(Vector::Zero(system.nc())),
      lambda_T(Vector::Zero(system.nt())),
      udot(Vector::Zero(system.nu())) {}

FrozenEquations::FrozenEquations(const ContactRows& rows, const Cliques* cliques, bool factors_last)
    : contact_rows_(rows), equations_(rows, cliques), factors_last_(factors_last) {}

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
  join(roles);
}

void FrozenEquations::renew(const FrozenRoles& roles) {
  list_rows(roles);
  join(roles);
}

// A contact at its bound couples its normal force to the rows that its friction moves.
void FrozenEquations::join(const FrozenRoles& roles) {
  at_bound_.clear();
  for (std::size_t c = 0; c < roles.size(); ++c) {
    if (roles[c].at_bound) at_bound_.push_back(static_cast<Index>(c));
  }
  equations_.list(rows_, unknowns_, at_bound_);
}

void FrozenEquations::solve(const Mechanics& mechanics, const FrozenRoles& roles) {
  const Index nc = contact_rows_.nc;
  const Index n = static_cast<Index>(rows_.size());
  if (n == 0) return;
  const Matrix& G = mechanics.delassus.G;
  if (!knows_factors_) {
    equations_.factorise(
        [&](const std::vector<Index>& equations, const std::vector<Index>& unknowns, MatrixRef A) {
          assemble_frozen(contact_rows_, G, roles, mechanics.mu, equations, unknowns, A);
        });
    determinant_ = equations_.determinant();
    knows_factors_ = factors_last_;
  }
  Vector& right = equations_.right();
  for (Index k = 0; k < n; ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    right(k) = row < nc ? -mechanics.free_N(row) : -mechanics.free_T(row - nc);
    right(k) -= given_friction(contact_rows_, G, roles, at_bound_, mechanics.contacts.bound, row);
  }
  equations_.substitute();
  if (first_determinant_ == 0.0) first_determinant_ = determinant_;
}

double FrozenEquations::independence(const Matrix& G) const {
  double product = 1.0;
  for (const Index row : rows_) product *= G(row, row);
  return determinant_ / product;
}

void FrozenEquations::solve_for_rest(const Mechanics& mechanics, const Vector& udot) {
  const Index nc = contact_rows_.nc;
  const ContactKinematics& contacts = mechanics.contacts;
  Vector& right = equations_.right();
  for (Index k = 0; k < static_cast<Index>(rows_.size()); ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    const double w_bar = row < nc ? contacts.w_bar_N(row) : contacts.w_bar_T(row - nc);
    right(k) = -(w_bar + mechanics.delassus.rate(udot, row));
  }
  equations_.substitute();
}

void FrozenEquations::scatter(const FrozenRoles& roles, const Vector& mu, const Vector* bound,
                              Vector& lambda_N, Vector& lambda_T) {
  scatter_forces(contact_rows_, roles, mu, bound, unknowns_, equations_.lambda(), lambda_N,
                 lambda_T);
}

}  // namespace nsmb
