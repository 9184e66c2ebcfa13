#include "nsmb/simulation/linear_phase.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace nsmb {

namespace {

// Gaps, m, and velocities, m/s, of contacts that touch, as the projection leaves them.
constexpr double kDrift = 1e-13;
// Up to this length a loop costs less than the call of a product.
constexpr Index kSmall = 16;

TimeBasis time_basis(const LinearForm& form, const System& system) {
  std::vector<double> omegas;
  for (const LinearForce* force : {&form.force, &form.states.drive}) {
    for (const HarmonicForce& harmonic : force->harmonics) omegas.push_back(harmonic.omega);
  }
  return TimeBasis(std::move(omegas), system.given_inputs());
}

void key_of(const FrozenRoles& roles, std::vector<int>& key) {
  key.clear();
  for (const FrozenRole& role : roles.contacts) {
    const Index t = static_cast<Index>(key.size());
    const int sign = role.at_bound ? (roles.friction(t) > 0.0 ? 1 : 2) : 0;
    key.push_back(static_cast<int>(role.state) + 4 * role.normal_row + 8 * role.tangential_row[0] +
                  16 * role.normal_force + 32 * role.tangential_force[0] + 64 * sign);
  }
}

// A force over w; its harmonics begin with number `first` in the basis.
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

// h = -K q - D u + C x + f(t) over z = (q, u, x, w).
Matrix force_rows(const LinearForm& form, Index n_w) {
  const Index n = form.M.rows(), nx = form.states.A.rows();
  Matrix H = Matrix::Zero(n, 2 * n + nx + n_w);
  H.leftCols(n) = -form.K;
  H.middleCols(n, n) = -form.D;
  H.middleCols(2 * n, nx) = form.states.C;
  add_force(form.force, 0, H.rightCols(n_w));
  return H;
}

// ẋ = Q q + U u + A x + b(t) over z.
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

LinearPhase::LinearPhase(const System& system, const LinearForm& form)
    : form_(form),
      rows_(system.rows()),
      moves_(form.w_tilde_N.any() || form.w_tilde_T.any()),
      n_(system.nq()),
      nc_(system.nc()),
      ny_(system.ny()),
      basis_(time_basis(form, system)),
      mu_(system.nc()),
      flow_(system.nq(), system.nx(), time_basis(form, system)),
      z_(system.ny() + basis_.size()),
      row_(system.ny() + basis_.size()) {
  for (Index i = 0; i < nc_; ++i) {
    laws_.push_back(system.contacts()[static_cast<std::size_t>(i)].law);
    mu_(i) = laws_.back().mu;
  }
  const Index n_z = z_.size();
  const Eigen::LLT<Matrix> M(form.M);
  Matrix W(n_, 2 * nc_);
  W << form.W_N, form.W_T;
  Minv_W_ = Matrix::Zero(n_, 2 * nc_);
  if (nc_ > 0) Minv_W_ = M.solve(W);
  G_ = W.transpose() * Minv_W_;
  Minv_H_ = M.solve(force_rows(form, basis_.size()));
  state_rows_ = rate_rows(form, basis_.size());
  set_force();
  gap_rows_ = Matrix::Zero(nc_, n_z);
  gap_rows_.leftCols(n_) = form.W_N.transpose();
  gap_rows_.col(ny_) = form.gap;
  gap_rows_.col(ny_ + 1) = form.w_tilde_N;
  gamma_rows_ = Matrix::Zero(2 * nc_, n_z);
  gamma_rows_.middleCols(n_, n_) = W.transpose();
  gamma_rows_.col(ny_).head(nc_) = form.w_tilde_N;
  gamma_rows_.col(ny_).tail(nc_) = form.w_tilde_T;
}

// The constant and the ramp of the present piece of the force, times M⁻¹, and of the drive.
void LinearPhase::set_force() {
  const auto columns = [&](const LinearForce& force) {
    Matrix c(force.constant.size(), 2);
    c << force.constant + force.pieces.constant.col(piece_),
        force.ramp + force.pieces.ramp.col(piece_);
    return c;
  };
  if (form_.force.pieces.ends.size() == 0) return;
  Minv_H_.middleCols(ny_, 2) = Eigen::LLT<Matrix>(form_.M).solve(columns(form_.force));
  if (state_rows_.rows() > 0) state_rows_.middleCols(ny_, 2) = columns(form_.states.drive);
}

void LinearPhase::set_span(const Discontinuity& from, const Discontinuity& /*to*/) {
  const Index piece = form_.force.pieces.at(from.t);
  if (piece == piece_) return;
  piece_ = piece;
  set_force();
}

// The matrices of the contact states hold for all inputs.
void LinearPhase::set_inputs(const ConstVectorRef& values) {
  basis_.set_inputs(values);
  flow_.set_inputs(values);
}

// u̇ = M⁻¹(h + W λ) with λ from (5.15), all as rows over z. `forces` (2nc, n_z) receives λ.
Matrix LinearPhase::acceleration(const FrozenRoles& roles, Matrix& forces) const {
  const Index n_z = z_.size();
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
    Matrix W(n_, 2 * nc_);
    W << form_.W_N, form_.W_T;
    Matrix free = select_rows(W.transpose() * Minv_H_, rows);
    for (Index k = 0; k < r; ++k) {
      free(k, one) +=
          given_friction(rows_, G_, roles, form_.bound, rows[static_cast<std::size_t>(k)]);
    }
    lambda_R = -A_R.partialPivLu().solve(free);
  }
  for (Index k = 0; k < n_z; ++k) {
    scatter_forces(rows_, roles, mu_, k == one ? &form_.bound : nullptr, unknowns, lambda_R.col(k),
                   forces.col(k).head(nc_), forces.col(k).tail(nc_));
  }
  return Minv_H_ + Minv_W_ * forces;
}

void LinearPhase::build(const FrozenRoles& roles, LinearMode& mode) const {
  const Index n_z = z_.size();
  Matrix forces;
  const Matrix udot = acceleration(roles, forces);
  Matrix rates(n_ + state_rows_.rows(), n_z);
  rates << udot, state_rows_;
  mode.ode = LinearOde(std::move(rates), n_);

  Matrix observables = Matrix::Zero(kObservables * nc_, n_z);
  observables.middleRows(kGap * nc_, nc_) = gap_rows_;
  observables.middleRows(kGammaN * nc_, 2 * nc_) = gamma_rows_;
  observables.middleRows(kLambdaN * nc_, 2 * nc_) = forces;
  observables.middleRows(kGammaDotN * nc_, nc_) = form_.W_N.transpose() * udot;
  observables.middleRows(kGammaDotT * nc_, nc_) = form_.W_T.transpose() * udot;
  for (Index i = 0; i < nc_; ++i) {
    auto radius = observables.row(kRadius * nc_ + i);
    if (rows_.normal_of(i) >= 0) radius = mu_(i) * forces.row(rows_.normal_of(i));
    radius(ny_) += form_.bound(i);
  }

  // Projection along M⁻¹W: the smallest correction in the kinetic metric.
  std::vector<Index> rows, normal_rows;
  frozen_rows(rows_, roles, rows);
  for (const Index row : rows) {
    if (row < nc_) normal_rows.push_back(row);
    const Index zero = row < nc_ ? kGammaDotN * nc_ + row : kGammaDotT * nc_ + row - nc_;
    observables.row(zero).setZero();  // exactly, not to rounding
  }
  mode.observables = observables.transpose();
  mode.position_drift = select_rows(gap_rows_, normal_rows);
  mode.velocity_drift = select_rows(gamma_rows_, rows);
  const auto projector = [&](const std::vector<Index>& set) {
    const Matrix columns = select_rows(Minv_W_.transpose(), set).transpose();
    if (set.empty()) return Matrix(n_, 0);
    return Matrix(select_block(G_, set).ldlt().solve(columns.transpose()).transpose());
  };
  mode.project_position = projector(normal_rows);
  mode.project_velocity = projector(rows);
  mode.drift.resize(static_cast<Index>(rows.size()));
  for (std::size_t c = 0; c < roles.size(); ++c) {
    if (is_slip(roles[c].state) && roles[c].at_bound) {
      mode.slipping.push_back(static_cast<Index>(c));
    }
  }
}

LinearMode* LinearPhase::mode(const FrozenRoles& roles) {
  key_of(roles, key_);
  key_.push_back(static_cast<int>(piece_));
  if (LinearMode* known = modes_.find(key_)) return known;
  LinearMode made;
  build(roles, made);
  return modes_.add(key_, std::move(made), mode_, flow_);
}

KeptStates LinearPhase::kept_states() const { return {modes_.count(), modes_.bytes()}; }

void LinearPhase::reset() {
  flow_.reset();
  mode_ = nullptr;
  modes_.shrink(flow_);
}

void LinearPhase::project(double t, VectorRef y) {
  if (mode_->velocity_drift.rows() == 0) return;
  z_.head(ny_) = y;
  basis_.value(t, z_.tail(basis_.size()));
  const Index r = mode_->position_drift.rows();
  if (r > 0) {
    mode_->drift.head(r).noalias() = mode_->position_drift * z_;
    y.head(n_).noalias() -= mode_->project_position * mode_->drift.head(r);
  }
  mode_->drift.noalias() = mode_->velocity_drift * z_;
  y.segment(n_, n_).noalias() -= mode_->project_velocity * mode_->drift;
}

void LinearPhase::freeze(const FrozenRoles& roles, const ElementModes& /*modes*/) {
  mode_ = mode(roles);
}

void LinearPhase::rate(double t, const ConstVectorRef& y, VectorRef ydot) {
  z_.head(ny_) = y;
  basis_.value(t, z_.tail(basis_.size()));
  ydot.head(n_) = y.segment(n_, n_);
  ydot.tail(ny_ - n_).noalias() = mode_->ode.A * z_;
}

bool LinearPhase::move(double t, double duration, VectorRef y) {
  flow_.set_equations(mode_->ode);
  flow_.restart(t, y);
  while (flow_.t() < t + duration) {
    if (flow_.step(t + duration) != StepStatus::Ok) return false;
  }
  y = flow_.y();
  return true;
}

bool LinearPhase::rate_jacobian(double /*t*/, const ConstVectorRef& /*y*/, MatrixRef J) {
  J.topRows(n_).setZero();
  J.block(0, n_, n_, n_).diagonal().setOnes();
  J.bottomRows(ny_ - n_) = mode_->ode.A.leftCols(ny_);
  return true;
}

void LinearPhase::enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                        VectorRef y) {
  freeze(roles, modes);
  project(t, y);
  flow_.set_equations(mode_->ode);
  flow_.restart(t, y);
}

StepStatus LinearPhase::step(double t_stop) {
  const StepStatus status = flow_.step(t_stop);
  if (status == StepStatus::Ok) project(flow_.t(), flow_.state());
  return status;
}

StepStatus LinearPhase::locate(const Indicator& /*indicator*/, double s_guess) {
  // The series is the motion itself, so its root is the event.
  flow_.cut(s_guess);
  return StepStatus::Ok;
}

StepStatus LinearPhase::cut(double s) {
  flow_.cut(s);
  project(flow_.t(), flow_.state());
  return StepStatus::Ok;
}

void LinearPhase::state_at(double s, VectorRef y) {
  evaluate_series(flow_.coefficients(), flow_.degree(), s, z_);
  y = z_.head(2 * n_);
}

// The series is the motion itself.
StepStatus LinearPhase::cut_at_zero(const TimedFunction& /*f*/, double s) { return cut(s); }

void LinearPhase::observe(double t, const ConstVectorRef& y, Observation& observation) {
  z_.head(ny_) = y;
  basis_.value(t, z_.tail(basis_.size()));
  const Index n_z = z_.size();
  Eigen::Map<Vector> values(observation.contacts.data(), kObservables * nc_);
  if (n_z > kSmall) {
    values.noalias() = mode_->observables.transpose() * z_;
  } else {
    const double* row = mode_->observables.data();
    for (double& value : values) {
      value = 0.0;
      for (Index j = 0; j < n_z; ++j) value += row[j] * z_(j);
      row += n_z;
    }
  }
  observation.gamma_T = observation.contacts.col(kGammaT);
  observation.lambda_T = observation.contacts.col(kLambdaT);
}

// Bodies that fly side by side touch without force: neither gap nor force ever leave zero, and what
// rounding makes of them is no event.
bool LinearPhase::is_noise(const Indicator& indicator, const Series& c) const {
  const double h = flow_.t() - flow_.t_old();
  double largest = 0.0;
  if (is_gap(indicator)) {
    const bool at_zero = std::abs(c(0)) <= kDrift && std::abs(c(1)) <= kDrift * h;
    if (!at_zero) return false;
    for (Index k = 2; k < c.size(); ++k) {
      largest += static_cast<double>(k * (k - 1)) * std::abs(c(k));
    }
    return largest <= indicator.noise * h * h;
  }
  return is_force(indicator) && c.cwiseAbs().sum() <= indicator.noise;
}

// By entries that are not zero: gaps and forces depend on few coordinates.
void LinearPhase::expand(const std::vector<Indicator>& indicators, bool starts,
                         Matrix& coefficients) {
  const Index columns = flow_.degree() + 1;
  const Index n_z = z_.size();
  const double* series = flow_.coefficients().data();
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    const Indicator& indicator = indicators[k];
    auto c = coefficients.col(static_cast<Index>(k));
    c.setZero();
    if (indicator.quantity->is_of_matrices()) {
      c(0) = 1.0;  // constant matrices
      continue;
    }
    const Weights w = indicator.quantity->weights(indicator);
    row_.setZero();
    for (Index o = 0; o < kObservables; ++o) {
      if (w(o) != 0.0) row_ += w(o) * mode_->observables.col(o * nc_ + indicator.contact);
    }
    for (Index j = 0; j < n_z; ++j) {
      const double entry = row_(j);
      if (entry == 0.0) continue;
      const double* z_j = series + j;
      for (Index m = 0; m < columns; ++m) c(m) += entry * z_j[m * n_z];
    }
    c(0) += indicator.offset;
    if (is_noise(indicator, c)) c.setZero();
    if (starts) c.head(indicator.zeros).setZero();
  }
}

bool LinearPhase::expand_friction_power(Matrix& power) {
  if (mode_->slipping.empty()) return false;
  power.setZero();
  const Index columns = flow_.degree() + 1;
  const Index n_z = z_.size();
  for (const Index i : mode_->slipping) {
    power_series_.setZero();
    for (const Index part : {Index{0}, Index{1}}) {
      const auto row = mode_->observables.col((part == 0 ? kLambdaT : kGammaT) * nc_ + i);
      auto c = power_series_.col(part);
      for (Index j = 0; j < n_z; ++j) {
        if (row(j) == 0.0) continue;
        const double* z_j = flow_.coefficients().data() + j;
        for (Index m = 0; m < columns; ++m) c(m) += row(j) * z_j[m * n_z];
      }
    }
    product_.setZero();
    for (Index j = 0; j < columns; ++j) {
      const double force = -power_series_(j, 0);
      if (force != 0.0) product_.segment(j, columns) += force * power_series_.col(1).head(columns);
    }
    power.row(i) = product_.transpose();
  }
  return true;
}

bool LinearPhase::expand_drive_power(VectorRef power) {
  if (!moves_) return false;
  row_.setZero();
  for (Index i = 0; i < nc_; ++i) {
    row_ -= form_.w_tilde_N(i) * mode_->observables.col(kLambdaN * nc_ + i);
    row_ -= form_.w_tilde_T(i) * mode_->observables.col(kLambdaT * nc_ + i);
  }
  power.setZero();
  const Index columns = flow_.degree() + 1;
  power.head(columns).noalias() = flow_.coefficients().leftCols(columns).transpose() * row_;
  return true;
}

}  // namespace nsmb
