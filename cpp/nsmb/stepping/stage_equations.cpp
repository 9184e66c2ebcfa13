#include "nsmb/stepping/stage_equations.hpp"

namespace nsmb {

StageEquations::StageEquations(Mechanics& mechanics)
    : mechanics_(mechanics),
      forces_(mechanics),
      lambda_N_(Vector::Zero(mechanics.nc())),
      lambda_T_(Vector::Zero(mechanics.nt())),
      rates_(mechanics.nu() + mechanics.system().nx()) {}

void StageEquations::hold(const Vector& lambda_N, const Vector& lambda_T) {
  lambda_N_ = lambda_N;
  lambda_T_ = lambda_T;
}

void StageEquations::coordinate_rates(double t, const ConstVectorRef& y, VectorRef ydot) {
  const Index nq = mechanics_.nq();
  mechanics_.update_contacts(t, y);
  mechanics_.coordinate_rates(t, y.head(nq), y.segment(nq, mechanics_.nu()), ydot.head(nq));
}

void StageEquations::rates(double t, const ConstVectorRef& y, VectorRef ydot) {
  const Index nu = mechanics_.nu();
  coordinate_rates(t, y, ydot);
  forces_.evaluate(t, y, rates_);
  auto udot = rates_.head(nu);
  mechanics_.h = udot;
  udot.noalias() += mechanics_.contacts.W_N * lambda_N_;  // (3.2), (3.3)
  udot.noalias() += mechanics_.contacts.W_T * lambda_T_;
  mechanics_.accelerate(mechanics_.bilateral.kinematics.w_bar, udot);
  ydot.tail(rates_.size()) = rates_;
}

void StageEquations::constraint_forces(const ConstVectorRef& ydot, VectorRef lambda_B) {
  mechanics_.constraint_forces(ydot.segment(mechanics_.nq(), mechanics_.nu()), lambda_N_, lambda_T_,
                               lambda_B);
}

void StageEquations::columns(double t, const ConstVectorRef& y, const std::vector<Index>& rows,
                             Matrix& columns) {
  mechanics_.update_contacts(t, y);
  const ContactKinematics& contacts = mechanics_.contacts;
  const Index nc = mechanics_.nc();
  columns.resize(mechanics_.nu(), static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index row = rows[k];
    columns.col(static_cast<Index>(k)) =
        row < nc ? contacts.W_N.col(row) : contacts.W_T.col(row - nc);
  }
  mechanics_.mass.solve(columns);
  if (mechanics_.nb() > 0) mechanics_.bilateral.project(columns);
}

}  // namespace nsmb
