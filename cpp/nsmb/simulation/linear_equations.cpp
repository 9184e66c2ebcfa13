#include "nsmb/simulation/linear_equations.hpp"

#include <utility>

#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/core/dense_lu.hpp"
#include "nsmb/simulation/observation.hpp"

namespace nsmb {

namespace {

// Add a force as columns over w. Its harmonics start at number `first` of the basis.
void add_force(const LinearForce& force, std::size_t first, MatrixRef w) {
  w.col(0) += force.constant;
  w.col(1) += force.ramp;
  for (std::size_t k = 0; k < force.harmonics.size(); ++k) {
    const Index c = 2 + 2 * static_cast<Index>(first + k);
    w.col(c) = force.harmonics[k].cosine;
    w.col(c + 1) = force.harmonics[k].sine;
  }
  if (force.inputs.cols() > 0) w.rightCols(force.inputs.cols()) = force.inputs;
}

// Return h = -K q - D u + C x + f(t) as rows over z = (q, u, x, w).
Matrix force_rows(const LinearForm& form, Index n_w) {
  const Index n = form.M.rows(), nx = form.states.A.rows();
  Matrix H = Matrix::Zero(n, 2 * n + nx + n_w);
  H.leftCols(n) = -form.K;
  H.middleCols(n, n) = -form.D;
  H.middleCols(2 * n, nx) = form.states.C;
  add_force(form.force, 0, H.rightCols(n_w));
  return H;
}

// Return ẋ = Q q + U u + A x + b(t) as rows over z.
Matrix rate_rows(const LinearForm& form, Index n_w) {
  const LinearStates& states = form.states;
  const Index n = form.M.rows(), nx = states.A.rows();
  Matrix rows = Matrix::Zero(nx, 2 * n + nx + n_w);
  if (nx == 0) return rows;
  rows << states.Q, states.U, states.A, Matrix::Zero(nx, n_w);
  add_force(states.drive, form.force.harmonics.size(), rows.rightCols(n_w));
  return rows;
}

Matrix select_rows(const Matrix& rows, const std::vector<Index>& selection) {
  Matrix result(static_cast<Index>(selection.size()), rows.cols());
  for (std::size_t k = 0; k < selection.size(); ++k) {
    result.row(static_cast<Index>(k)) = rows.row(selection[k]);
  }
  return result;
}

Matrix select_block(const Matrix& G, const std::vector<Index>& selection) {
  return select_rows(select_rows(G, selection).transpose(), selection).transpose();
}

}  // namespace

LinearEquations::LinearEquations(const System& system, const LinearForm& form, Index n_w)
    : form_(form),
      rows_(system.rows()),
      n_(system.nq()),
      nc_(system.nc()),
      ny_(system.ny()),
      mu_(system.nc()),
      W_(system.nq(), 2 * system.nc()) {
  for (Index i = 0; i < nc_; ++i) {
    mu_(i) = system.contacts()[static_cast<std::size_t>(i)].law.mu;
  }
  const Index n_z = ny_ + n_w;
  DenseCholesky M;
  M.compute(form.M);
  W_ << form.W_N, form.W_T;
  Minv_W_ = W_;
  if (nc_ > 0) M.solve_columns(Minv_W_);
  G_ = W_.transpose() * Minv_W_;
  Minv_H_ = force_rows(form, n_w);
  M.solve_columns(Minv_H_);
  state_rows_ = rate_rows(form, n_w);
  set_force();
  gap_rows_ = Matrix::Zero(nc_, n_z);
  gap_rows_.leftCols(n_) = form.W_N.transpose();
  gap_rows_.col(ny_) = form.gap;
  gap_rows_.col(ny_ + 1) = form.w_tilde_N;
  gamma_rows_ = Matrix::Zero(2 * nc_, n_z);
  gamma_rows_.middleCols(n_, n_) = W_.transpose();
  gamma_rows_.col(ny_).head(nc_) = form.w_tilde_N;
  gamma_rows_.col(ny_).tail(nc_) = form.w_tilde_T;
}

// Set the constant and the ramp of the current piece of the force, times M⁻¹, and of the drive.
void LinearEquations::set_force() {
  const auto columns = [&](const LinearForce& force) {
    Matrix c(force.constant.size(), 2);
    c << force.constant + force.pieces.constant.col(piece_),
        force.ramp + force.pieces.ramp.col(piece_);
    return c;
  };
  if (form_.force.pieces.ends.size() == 0) return;
  DenseCholesky M;
  M.compute(form_.M);
  Minv_H_.middleCols(ny_, 2) = columns(form_.force);
  M.solve_columns(Minv_H_.middleCols(ny_, 2));
  if (state_rows_.rows() > 0) state_rows_.middleCols(ny_, 2) = columns(form_.states.drive);
}

void LinearEquations::set_span(const Discontinuity& from) {
  const Index piece = form_.force.pieces.at(from.t);
  if (piece == piece_) return;
  piece_ = piece;
  set_force();
}

// Return u̇ = M⁻¹(h + W λ) with λ from (5.15), all as rows over z. `forces` (2nc, n_z) receives λ.
Matrix LinearEquations::acceleration(const FrozenRoles& roles, Matrix& forces) const {
  const Index n_z = Minv_H_.cols();
  std::vector<Index> rows, unknowns;
  frozen_rows(rows_, roles, rows);
  frozen_forces(rows_, roles, unknowns);
  forces = Matrix::Zero(2 * nc_, n_z);
  const Index r = static_cast<Index>(rows.size());
  const Index one = ny_;  // column of the constants in z
  Matrix lambda_R(r, n_z);
  if (r > 0) {
    Matrix A_R = Matrix::Zero(r, r);
    assemble_frozen(rows_, G_, roles, mu_, rows, unknowns, A_R);
    Matrix free = select_rows(W_.transpose() * Minv_H_, rows);
    std::vector<Index> at_bound;
    for (std::size_t c = 0; c < roles.size(); ++c) {
      if (roles[c].at_bound) at_bound.push_back(static_cast<Index>(c));
    }
    for (Index k = 0; k < r; ++k) {
      const Index row = rows[static_cast<std::size_t>(k)];
      free(k, one) += given_friction(rows_, G_, roles, at_bound, form_.bound, row);
    }
    DenseLu lu(r);
    lu.compute(A_R);
    lu.solve_columns_to(free, lambda_R);
    lambda_R = -lambda_R;
  }
  for (Index k = 0; k < n_z; ++k) {
    scatter_forces(rows_, roles, mu_, k == one ? &form_.bound : nullptr, unknowns, lambda_R.col(k),
                   forces.col(k).head(nc_), forces.col(k).tail(nc_));
  }
  return Minv_H_ + Minv_W_ * forces;
}

// Return the observables of all contacts, the columns of Observable one below the other.
Matrix LinearEquations::observables(const Matrix& udot, const Matrix& forces) const {
  Matrix rows = Matrix::Zero(kObservables * nc_, udot.cols());
  rows.middleRows(kGap * nc_, nc_) = gap_rows_;
  rows.middleRows(kGammaN * nc_, nc_) = gamma_rows_.topRows(nc_);
  rows.middleRows(kGammaT * nc_, nc_) = gamma_rows_.bottomRows(nc_);
  rows.middleRows(kLambdaN * nc_, nc_) = forces.topRows(nc_);
  rows.middleRows(kLambdaT * nc_, nc_) = forces.bottomRows(nc_);
  rows.middleRows(kGammaDotN * nc_, nc_) = form_.W_N.transpose() * udot;
  rows.middleRows(kGammaDotT * nc_, nc_) = form_.W_T.transpose() * udot;
  for (Index i = 0; i < nc_; ++i) {
    auto radius = rows.row(kRadius * nc_ + i);
    if (rows_.normal_of(i) >= 0) radius = mu_(i) * forces.row(rows_.normal_of(i));
    radius(ny_) += form_.bound(i);
  }
  return rows;
}

LinearMode LinearEquations::build(const FrozenRoles& roles) const {
  LinearMode mode;
  Matrix forces;
  const Matrix udot = acceleration(roles, forces);
  Matrix rates(n_ + state_rows_.rows(), udot.cols());
  rates << udot, state_rows_;
  mode.ode = LinearOde(std::move(rates), n_);

  std::vector<Index> rows, normal_rows;
  frozen_rows(rows_, roles, rows);
  Matrix observed = observables(udot, forces);
  for (const Index row : rows) {
    if (row < nc_) normal_rows.push_back(row);
    const Index zero = row < nc_ ? kGammaDotN * nc_ + row : kGammaDotT * nc_ + row - nc_;
    observed.row(zero).setZero();  // exactly, not to rounding
  }
  mode.observables = observed.transpose();

  // Projection along M⁻¹W: the smallest correction in the kinetic metric.
  mode.position_drift = select_rows(gap_rows_, normal_rows);
  mode.velocity_drift = select_rows(gamma_rows_, rows);
  const auto projector = [&](const std::vector<Index>& set) {
    if (set.empty()) return Matrix(n_, 0);
    Matrix rows_of_set = select_rows(Minv_W_.transpose(), set);
    DenseLdlt G;
    G.compute(select_block(G_, set));
    G.solve_columns(rows_of_set);
    return Matrix(rows_of_set.transpose());
  };
  mode.project_position = projector(normal_rows);
  mode.project_velocity = projector(rows);
  mode.drift.resize(static_cast<Index>(rows.size()));
  for (std::size_t c = 0; c < roles.size(); ++c) {
    if (is_slip(roles[c].state) && roles[c].at_bound) {
      mode.slipping.push_back(static_cast<Index>(c));
    }
  }
  return mode;
}

}  // namespace nsmb
