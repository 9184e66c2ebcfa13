#include "nsmb/simulation/smooth_phase.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace nsmb {

namespace {

// Drift of a closed contact that is taken back at once, m and m/s.
constexpr double kPositionDrift = 1e-13;
constexpr double kVelocityDrift = 1e-13;

}  // namespace

SmoothPhase::SmoothPhase(const System& system, std::string_view method,
                         const IntegratorOptions& options)
    : mechanics_(system),
      lambda_N_(Vector::Zero(system.nc())),
      lambda_T_(Vector::Zero(system.nc())),
      udot_(Vector::Zero(system.nu())),
      rtol_(options.rtol),
      scaled_tolerance_(options.atol.size() == 0),
      nodes_(kNodes),
      from_nodes_(kNodes, kNodes),
      sampled_y_(system.nq() + system.nu(), kNodes + 1),
      series_(system.nq() + system.nu(), kNodes + 1),
      fit_(kNodes),
      fitted_(kNodes),
      y_scratch_(system.nq() + system.nu()) {
  // Chebyshev points on [0, 1] without 0, where value and slopes are known.
  for (Index j = 0; j < kNodes; ++j) {
    const double angle = 3.14159265358979323846 * static_cast<double>(j + 1) / kNodes;
    nodes_(j) = 0.5 * (1.0 - std::cos(angle));
  }
  Matrix vandermonde(kNodes, kNodes);
  for (Index j = 0; j < kNodes; ++j) {
    double power = 1.0;
    for (Index k = 0; k < kNodes; ++k, power *= nodes_(j)) vandermonde(j, k) = power;
  }
  from_nodes_ = vandermonde.fullPivLu().inverse();
  sampled_observables_.assign(kNodes + 1, Matrix::Zero(system.nc(), kObservables));

  IntegratorOptions complete = options;
  scale_ = Vector::Zero(dimension());
  if (scaled_tolerance_) complete.atol = Vector::Constant(dimension(), rtol_);
  atol_ = complete.atol;
  integrator_ = make_integrator(method, *this, complete);
}

void SmoothPhase::solve_forces() {
  udot_ = mechanics_.Minv_h;
  lambda_N_.setZero();
  lambda_T_.setZero();
  if (rows_.empty()) return;
  const Index nc = mechanics_.nc();
  const Index n = static_cast<Index>(rows_.size());
  LinearSolver& solver = solvers_.try_emplace(n, n).first->second;
  assemble_frozen(mechanics_.delassus.G, roles_, mechanics_.mu, rows_, solver.A);
  for (Index k = 0; k < n; ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    solver.lambda(k) = row < nc ? -mechanics_.free_N(row) : -mechanics_.free_T(row - nc);
  }
  solver.lu.compute(solver.A);
  solver.lu.permutationP().applyThisOnTheLeft(solver.lambda);
  solver.lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solver.lambda);
  solver.lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solver.lambda);
  scatter_forces(roles_, mechanics_.mu, rows_, solver.lambda, lambda_N_, lambda_T_);
  udot_.noalias() += mechanics_.delassus.Minv_W.leftCols(nc) * lambda_N_;
  udot_.noalias() += mechanics_.delassus.Minv_W.rightCols(nc) * lambda_T_;
}

void SmoothPhase::rhs(double t, const ConstVectorRef& y, VectorRef ydot) {
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  mechanics_.update(t, y.head(nq), y.tail(nu));
  solve_forces();
  mechanics_.system().coordinate_rates(t, y.head(nq), y.tail(nu), ydot.head(nq));
  ydot.tail(nu) = udot_;
}

void SmoothPhase::observe(double t, const ConstVectorRef& y, MatrixRef observables) {
  mechanics_.update(t, y.head(mechanics_.nq()), y.tail(mechanics_.nu()));
  solve_forces();
  const Index nc = mechanics_.nc();
  const Matrix& W = mechanics_.delassus.W;
  observables.col(kGap) = mechanics_.contacts.g_N;
  observables.col(kGammaN) = mechanics_.gamma_N;
  observables.col(kGammaT) = mechanics_.gamma_T;
  observables.col(kLambdaN) = lambda_N_;
  observables.col(kLambdaT) = lambda_T_;
  observables.col(kGammaDotN) = mechanics_.contacts.w_bar_N;
  observables.col(kGammaDotN).noalias() += W.leftCols(nc).transpose() * udot_;
  observables.col(kGammaDotT) = mechanics_.contacts.w_bar_T;
  observables.col(kGammaDotT).noalias() += W.rightCols(nc).transpose() * udot_;
}

// Gaps of closed contacts to zero by Newton steps along M⁻¹W_N.
bool SmoothPhase::project_positions(double t, VectorRef y) {
  if (normal_rows_.empty()) return false;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  const Index n = static_cast<Index>(normal_rows_.size());
  bool moved = false;
  for (int pass = 0; pass < 4; ++pass) {
    mechanics_.update_contacts(t, y.head(nq), y.tail(nu));
    double drift = 0.0;
    for (const Index row : normal_rows_) {
      drift = std::max(drift, std::abs(mechanics_.contacts.g_N(row)));
    }
    if (drift <= kPositionDrift) break;
    Matrix G(n, n);
    Vector g(n);
    for (Index i = 0; i < n; ++i) {
      const Index row = normal_rows_[static_cast<std::size_t>(i)];
      g(i) = mechanics_.contacts.g_N(row);
      for (Index j = 0; j < n; ++j) {
        G(i, j) = mechanics_.delassus.G(row, normal_rows_[static_cast<std::size_t>(j)]);
      }
    }
    const Vector impulse = G.ldlt().solve(g);
    Vector change = Vector::Zero(nu);
    for (Index i = 0; i < n; ++i) {
      const Index row = normal_rows_[static_cast<std::size_t>(i)];
      change -= mechanics_.delassus.Minv_W.col(row) * impulse(i);
    }
    Vector step(nq);  // δq = B δs, the same map as for velocities
    mechanics_.system().coordinate_rates(t, y.head(nq), change, step);
    y.head(nq) += step;
    moved = true;
  }
  return moved;
}

bool SmoothPhase::project(double t, VectorRef y) {
  if (rows_.empty()) return false;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  const Index nc = mechanics_.nc();
  bool moved = project_positions(t, y);
  mechanics_.update_contacts(t, y.head(nq), y.tail(nu));
  double drift = 0.0;
  for (const Index row : rows_) {
    const double gamma = row < nc ? mechanics_.gamma_N(row) : mechanics_.gamma_T(row - nc);
    drift = std::max(drift, std::abs(gamma));
  }
  if (drift <= kVelocityDrift) return moved;
  const Index n = static_cast<Index>(rows_.size());
  Matrix G(n, n);
  Vector gamma(n);
  for (Index i = 0; i < n; ++i) {
    const Index row = rows_[static_cast<std::size_t>(i)];
    gamma(i) = row < nc ? mechanics_.gamma_N(row) : mechanics_.gamma_T(row - nc);
    for (Index j = 0; j < n; ++j) {
      G(i, j) = mechanics_.delassus.G(row, rows_[static_cast<std::size_t>(j)]);
    }
  }
  const Vector impulse = G.ldlt().solve(gamma);
  for (Index i = 0; i < n; ++i) {
    y.tail(nu) -=
        mechanics_.delassus.Minv_W.col(rows_[static_cast<std::size_t>(i)]) * impulse(i);
  }
  return true;
}

// Absolute tolerance of each coordinate: rtol times the largest value it has had so far; a
// velocity and a coordinate that start at zero are judged by what one step makes of them.
void SmoothPhase::measure_scale(const ConstVectorRef& y) {
  scale_ = scale_.cwiseMax(y.cwiseAbs());
  if (!scaled_tolerance_) return;
  const double largest = scale_.maxCoeff();
  for (Index i = 0; i < scale_.size(); ++i) {
    const double reference = scale_(i) > 0.0 ? scale_(i) : 1e-3 * (largest > 0.0 ? largest : 1.0);
    atol_(i) = rtol_ * reference;
  }
  integrator_->set_atol(atol_);
}

void SmoothPhase::enter(const FrozenRoles& roles, double t, VectorRef y) {
  roles_ = roles;
  constraint_rows(roles_, rows_);
  normal_rows_.clear();
  for (const Index row : rows_) {
    if (row < mechanics_.nc()) normal_rows_.push_back(row);
  }
  project(t, y);
  measure_scale(y);
  integrator_->restart(t, y);
  sampled_ = false;
}

StepStatus SmoothPhase::step(double t_stop) {
  sampled_ = false;
  const StepStatus status = integrator_->step(t_stop);
  if (status == StepStatus::Ok) scale_ = scale_.cwiseMax(integrator_->y().cwiseAbs());
  return status;
}

void SmoothPhase::sample() {
  if (sampled_) return;
  const double t_old = integrator_->t_old();
  const double h = integrator_->t() - t_old;
  for (Index j = 0; j <= kNodes; ++j) {
    const double t = j == 0 ? t_old : t_old + nodes_(j - 1) * h;
    if (j < kNodes) {
      integrator_->interpolate(t, sampled_y_.col(j));
    } else {
      sampled_y_.col(j) = integrator_->y();
    }
    observe(j < kNodes ? t : integrator_->t(), sampled_y_.col(j),
            sampled_observables_[static_cast<std::size_t>(j)]);
  }
  sampled_ = true;
}

void SmoothPhase::expand(const std::vector<Indicator>& indicators, bool starts,
                         Matrix& coefficients) {
  sample();
  const double h = integrator_->t() - integrator_->t_old();
  const Vector& mu = mechanics_.mu;
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    const Indicator& indicator = indicators[k];
    const Index zeros = starts ? indicator.zeros : 0;
    auto c = coefficients.row(static_cast<Index>(k));
    c.setZero();
    const Matrix& first = sampled_observables_[0];
    const double mu_i = mu(indicator.contact);
    c(0) = zeros > 0 ? 0.0 : value(indicator, mu_i, first);
    // Behind a zero at the start the slopes come from the mechanics: differences of samples would
    // drown a short flight or a slow departure in rounding.
    Index known = std::max<Index>(zeros, 1);
    if (zeros > 0 && indicator.kind == IndicatorKind::Gap) {
      if (zeros == 1) c(1) = first(indicator.contact, kGammaN) * h;
      if (zeros <= 2) c(2) = 0.5 * first(indicator.contact, kGammaDotN) * h * h;
      known = 3;
    } else if (zeros == 1 && indicator.kind == IndicatorKind::SlipVelocity) {
      c(1) = indicator.sign * first(indicator.contact, kGammaDotT) * h;
      known = 2;
    }
    for (Index j = 0; j < kNodes; ++j) {
      const double s = nodes_(j);
      double rest = value(indicator, mu_i, sampled_observables_[static_cast<std::size_t>(j + 1)]);
      rest -= c(0) + s * (c(1) + s * c(2));
      fit_(j) = rest / std::pow(s, static_cast<double>(known));
    }
    fitted_.noalias() = from_nodes_ * fit_;
    c.segment(known, kNodes) += fitted_.transpose();
  }
}

const Matrix& SmoothPhase::series() {
  const double t_old = integrator_->t_old();
  const double h = integrator_->t() - t_old;
  integrator_->interpolate(t_old, series_.col(0));
  for (Index j = 0; j < kNodes; ++j) {
    if (j < kNodes - 1) {
      integrator_->interpolate(t_old + nodes_(j) * h, sampled_y_.col(j + 1));
    } else {
      sampled_y_.col(j + 1) = integrator_->y();
    }
    sampled_y_.col(j + 1) = (sampled_y_.col(j + 1) - series_.col(0)) / nodes_(j);
  }
  series_.rightCols(kNodes).noalias() = sampled_y_.rightCols(kNodes) * from_nodes_.transpose();
  sampled_ = false;
  return series_;
}

StepStatus SmoothPhase::locate(const Indicator& indicator, double t_guess) {
  const double t_old = integrator_->t_old();
  const double t_limit = integrator_->t();
  const double h = t_limit - t_old;
  const double mu = mechanics_.mu(indicator.contact);
  Matrix& observables = sampled_observables_[0];
  double t = t_guess, t_last = t_old, f_last = 0.0;
  sampled_ = false;
  for (int pass = 0; pass < 8; ++pass) {
    const StepStatus status = integrator_->redo(t);
    if (status != StepStatus::Ok) return status;
    observe(t, integrator_->y(), observables);
    const double f = value(indicator, mu, observables);
    double slope = 0.0;
    if (indicator.kind == IndicatorKind::Gap) {
      slope = observables(indicator.contact, kGammaN);
    } else if (indicator.kind == IndicatorKind::SlipVelocity) {
      slope = indicator.sign * observables(indicator.contact, kGammaDotT);
    } else if (pass > 0) {
      slope = (f - f_last) / (t - t_last);
    } else {
      // Forces: slope from the state shortly before, by the dense output.
      const double back = t - 1e-4 * (t - t_old);
      integrator_->interpolate(back, y_scratch_);
      observe(back, y_scratch_, observables);
      slope = (f - value(indicator, mu, observables)) / (t - back);
    }
    if (!(slope < 0.0)) break;  // grazing: the guess is as good as it gets
    t_last = t;
    f_last = f;
    const double correction = -f / slope;
    const double next = std::min(t + correction, t_limit);
    if (!(next > t_old) || std::abs(next - t) <= 1e-13 * h) break;
    if (std::abs(next - t) <= 1e-15 * std::abs(t)) break;
    t = next;
  }
  return StepStatus::Ok;
}

bool SmoothPhase::expand_friction_power(Matrix& power) {
  bool slips = false;
  for (const FrozenRole& role : roles_) slips = slips || is_slip(role.state);
  if (!slips) return false;
  sample();
  power.setZero();
  for (std::size_t c = 0; c < roles_.size(); ++c) {
    if (!is_slip(roles_[c].state)) continue;
    const Index i = static_cast<Index>(c);
    const auto power_at = [&](Index j) {
      const Matrix& o = sampled_observables_[static_cast<std::size_t>(j)];
      return -o(i, kLambdaT) * o(i, kGammaT);
    };
    power(i, 0) = power_at(0);
    for (Index j = 0; j < kNodes; ++j) fit_(j) = (power_at(j + 1) - power(i, 0)) / nodes_(j);
    fitted_.noalias() = from_nodes_ * fit_;
    power.row(i).segment(1, kNodes) = fitted_.transpose();
  }
  return true;
}

}  // namespace nsmb
