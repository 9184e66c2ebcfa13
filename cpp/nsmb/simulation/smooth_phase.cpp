#include "nsmb/simulation/smooth_phase.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace nsmb {

namespace {

// Drift of a closed contact that is taken back at once, m and m/s.
constexpr double kPositionDrift = 1e-13;
constexpr double kVelocityDrift = 1e-13;
// s: far below the time in which a mechanical system does something.
constexpr double kShortTime = 1e-3;

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
      indicator_series_(kMaxDegree + 1),
      y_scratch_(system.nq() + system.nu()),
      y_(Vector::Zero(system.nq() + system.nu())),
      small_step_slopes_(system.nq() + system.nu(), 4) {
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
  assemble_frozen(mechanics_.delassus.G, roles_, mechanics_.mu, rows_, unknowns_, solver.A);
  for (Index k = 0; k < n; ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    solver.right(k) = row < nc ? -mechanics_.free_N(row) : -mechanics_.free_T(row - nc);
  }
  solver.lu.compute(solver.A);
  solver.lambda.noalias() = solver.lu.permutationP() * solver.right;
  solver.lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solver.lambda);
  solver.lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solver.lambda);
  scatter_forces(roles_, mechanics_.mu, unknowns_, solver.lambda, lambda_N_, lambda_T_);
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
    y.tail(nu) -= mechanics_.delassus.Minv_W.col(rows_[static_cast<std::size_t>(i)]) * impulse(i);
  }
  return true;
}

// Absolute tolerances: rtol times the size of each component. The size of a velocity is the largest
// one it has had, or the one all the kinetic energy so far would give it, so that a component at
// rest is not judged by its rounding; that of a coordinate, at least what its velocity covers in
// kShortTime.
void SmoothPhase::measure_scale(double t, const ConstVectorRef& y) {
  if (!scaled_tolerance_) return;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  mechanics_.update(t, y.head(nq), y.tail(nu));
  largest_energy_ = std::max(largest_energy_, mechanics_.kinetic_energy(y.tail(nu)));
  scale_ = scale_.cwiseMax(y.cwiseAbs());
  double fastest = 0.0;
  for (Index i = 0; i < nu; ++i) {
    const double by_energy = std::sqrt(2.0 * largest_energy_ / mechanics_.M(i, i));
    const double by_force = kShortTime * std::abs(mechanics_.Minv_h(i));
    double& size = scale_(nq + i);
    size = std::max({size, by_energy, by_force});
    fastest = std::max(fastest, size);
  }
  for (Index i = 0; i < nu; ++i) {
    if (scale_(nq + i) == 0.0) scale_(nq + i) = fastest > 0.0 ? fastest : 1.0;
  }
  for (Index i = 0; i < nq; ++i) {
    const double speed = nq == nu ? scale_(nq + i) : fastest;
    scale_(i) = std::max(scale_(i), kShortTime * (speed > 0.0 ? speed : 1.0));
  }
  atol_ = rtol_ * scale_;
  integrator_->set_atol(atol_);
}

void SmoothPhase::enter(const FrozenRoles& roles, double t, VectorRef y) {
  roles_ = roles;
  frozen_rows(roles_, rows_);
  frozen_forces(roles_, unknowns_);
  normal_rows_.clear();
  for (const Index row : rows_) {
    if (row < mechanics_.nc()) normal_rows_.push_back(row);
  }
  project(t, y);
  measure_scale(t, y);
  integrator_->restart(t, y);
  t_ = t;
  y_ = y;
  sampled_ = false;
}

StepStatus SmoothPhase::step(double t_stop) {
  sampled_ = false;
  tiny_ = false;
  const StepStatus status = integrator_->step(t_stop);
  t_ = integrator_->t();
  y_ = integrator_->y();
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

// Below this a value of g_N or γ_N is error of the integrator or rounding: the tolerances of the
// components, seen through w_N.
double SmoothPhase::resolution(Index contact, bool velocity) const {
  constexpr double rounding = 32.0 * std::numeric_limits<double>::epsilon();
  const Index nq = mechanics_.nq();
  const auto w = mechanics_.contacts.W_N.col(contact).cwiseAbs();
  const auto part = velocity ? atol_.tail(mechanics_.nu()) : atol_.head(nq);
  const auto y = velocity ? sampled_y_.col(0).tail(mechanics_.nu()) : sampled_y_.col(0).head(nq);
  if (part.size() != w.size()) return part.maxCoeff() + rounding * y.cwiseAbs().maxCoeff();
  return w.dot(part + rounding * y.cwiseAbs());
}

// Coefficients behind `known` of the polynomial through the start and the nodes.
void SmoothPhase::fit(const Indicator& indicator, VectorRef c) {
  const double mu = mechanics_.mu(indicator.contact);
  c(0) = value(indicator, mu, sampled_observables_[0]);
  for (Index j = 0; j < kNodes; ++j) {
    const Matrix& sample = sampled_observables_[static_cast<std::size_t>(j + 1)];
    fit_(j) = (value(indicator, mu, sample) - c(0)) / nodes_(j);
  }
  fitted_.noalias() = from_nodes_ * fit_;
  c.segment(1, kNodes) = fitted_;
}

// A gap or a slip velocity behind its zero at the start of the step, from its derivative:
// differences of samples would drown a short flight or a slow departure in rounding.
void SmoothPhase::fit_behind_zero(const Indicator& indicator, Index zeros, VectorRef c) {
  const Index i = indicator.contact;
  const double h = integrator_->t() - integrator_->t_old();
  const bool gap = indicator.kind == IndicatorKind::Gap;
  const Index order = gap ? 2 : 1;  // of the derivative that is sampled
  const Observable derivative = gap ? kGammaDotN : kGammaDotT;
  const double sign = gap ? 1.0 : indicator.sign;
  const double start = sign * sampled_observables_[0](i, derivative);
  for (Index j = 0; j < kNodes; ++j) {
    const Matrix& sample = sampled_observables_[static_cast<std::size_t>(j + 1)];
    fit_(j) = (sign * sample(i, derivative) - start) / nodes_(j);
  }
  fitted_.noalias() = from_nodes_ * fit_;
  c(order) = start;
  c.segment(order + 1, kNodes) = fitted_;
  for (Index k = order; k <= order + kNodes; ++k) {
    const double p = static_cast<double>(k);
    c(k) *= gap ? h * h / (p * (p - 1.0)) : h / p;
  }
  if (gap) {
    const double gamma_N = sampled_observables_[0](i, kGammaN);
    c(1) = std::abs(gamma_N) > resolution(i, true) || zeros == 1 ? gamma_N * h : 0.0;
  }
  c.head(zeros).setZero();
}

void SmoothPhase::expand(const std::vector<Indicator>& indicators, bool starts,
                         Matrix& coefficients) {
  sample();
  const Matrix& first = sampled_observables_[0];
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    const Indicator& indicator = indicators[k];
    const Index zeros = starts ? indicator.zeros : 0;
    Vector& c = indicator_series_;
    c.setZero();
    const bool gap = indicator.kind == IndicatorKind::Gap;
    const bool slip = indicator.kind == IndicatorKind::SlipVelocity;
    const bool gap_at_zero =
        gap && std::abs(first(indicator.contact, kGap)) <= resolution(indicator.contact, false);
    if (gap_at_zero || ((gap || slip) && zeros > 0)) {
      fit_behind_zero(indicator, zeros, c);
    } else {
      fit(indicator, c);
      c.head(zeros).setZero();
    }
    auto row = coefficients.row(static_cast<Index>(k));
    row.setZero();
    row.head(c.size()) = c.transpose();
  }
}

const Matrix& SmoothPhase::series() {
  const double t_old = integrator_->t_old();
  const double h = integrator_->t() - t_old;
  integrator_->interpolate(t_old, series_.col(0));
  if (tiny_) {
    series_.rightCols(kNodes).setZero();
    series_.col(1) = y_ - series_.col(0);
    return series_;
  }
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

// One step of the classical Runge-Kutta method from (t_, y_): for corrections so small that any
// method would be exact.
void SmoothPhase::small_step(double h) {
  constexpr double node[4] = {0.0, 0.5, 0.5, 1.0};
  for (Index k = 0; k < 4; ++k) {
    y_scratch_ = y_;
    if (k > 0) y_scratch_ += node[k] * h * small_step_slopes_.col(k - 1);
    rhs(t_ + node[k] * h, y_scratch_, small_step_slopes_.col(k));
  }
  y_ += h / 6.0 *
        (small_step_slopes_.col(0) + 2.0 * small_step_slopes_.col(1) +
         2.0 * small_step_slopes_.col(2) + small_step_slopes_.col(3));
  t_ += h;
}

// Time derivative at (t_, y_) of an indicator with value f there, dt behind the start of the step.
double SmoothPhase::slope_at_end(const Indicator& indicator, double f, double dt) {
  const Matrix& observables = sampled_observables_[0];
  const Index i = indicator.contact;
  switch (indicator.kind) {
    case IndicatorKind::Gap:
      return observables(i, kGammaN);
    case IndicatorKind::SlipVelocity:
      return indicator.sign * observables(i, kGammaDotT);
    case IndicatorKind::RestVelocity:
      return -indicator.sign * observables(i, kGammaDotT);
    default:
      break;
  }
  // Forces: a difference over a short way back.
  const double back = 1e-4 * dt;
  const double t = t_;
  y_end_ = y_;
  small_step(-back);
  observe(t_, y_, sampled_observables_[0]);
  const double slope = (f - value(indicator, mechanics_.mu(i), observables)) / back;
  t_ = t;
  y_ = y_end_;
  return slope;
}

// The integrator goes to the root of the polynomial; what t cannot resolve is left to small steps.
StepStatus SmoothPhase::go_to(double dt) {
  constexpr double resolution = 1e3 * std::numeric_limits<double>::epsilon();
  const double t_old = integrator_->t_old();
  if (dt <= resolution * std::abs(t_old)) {
    t_ = t_old;
    integrator_->interpolate(t_old, y_);
    small_step(dt);
    tiny_ = true;
    return StepStatus::Ok;
  }
  tiny_ = false;
  const StepStatus status = integrator_->redo(t_old + dt);
  t_ = integrator_->t();
  y_ = integrator_->y();
  small_step(dt - (t_ - t_old));
  return status;
}

// Newton's method on the integrated state moves on by what the polynomial left. A root that lies
// further away is integrated to again.
StepStatus SmoothPhase::locate(const Indicator& indicator, double s_guess) {
  const double h = integrator_->t() - integrator_->t_old();
  const double mu = mechanics_.mu(indicator.contact);
  sampled_ = false;
  double dt = s_guess * h;
  StepStatus status = go_to(dt);
  for (int pass = 0; pass < 8 && status == StepStatus::Ok; ++pass) {
    observe(t_, y_, sampled_observables_[0]);
    const double f = value(indicator, mu, sampled_observables_[0]);
    const double slope = slope_at_end(indicator, f, dt);
    if (!(slope < 0.0)) break;  // grazing: the guess is as good as it gets
    const double correction = -f / slope;
    if (std::abs(correction) <= 1e-14 * h || !(dt + correction > 0.0)) break;
    if (std::abs(correction) > 1e-6 * h) {
      if (pass >= 4) break;
      dt = std::min(dt + correction, h);
      status = go_to(dt);
    } else {
      dt += correction;
      small_step(correction);
    }
  }
  return status;
}

bool SmoothPhase::expand_friction_power(Matrix& power) {
  if (tiny_) return false;
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
