#include "nsmb/simulation/smooth_phase.hpp"

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
// A step may shrink to a millionth for the sake of the contacts.
constexpr int kMaxHalvings = 20;

}  // namespace

SmoothPhase::SmoothPhase(const System& system, std::string_view method,
                         const IntegratorOptions& options)
    : mechanics_(system),
      lambda_N_(Vector::Zero(system.nc())),
      lambda_T_(Vector::Zero(system.nc())),
      udot_(Vector::Zero(system.nu())),
      method_(method),
      options_(options),
      scaled_tolerance_(options.atol.size() == 0),
      nodes_(kNodes),
      from_nodes_(kNodes, kNodes),
      sampled_y_(system.nq() + system.nu(), kNodes + 1),
      series_(system.nq() + system.nu(), kNodes + 1),
      node_slopes_(system.nq() + system.nu(), kNodes),
      check_observables_(system.nc(), kObservables),
      fit_(kNodes),
      fitted_(kNodes),
      indicator_series_(kMaxDegree + 1),
      correction_(system.nu()),
      q_step_(system.nq()),
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
  // Between the middle nodes, off the middle of the step, where symmetry could hide an error.
  checks_ << 0.5 * (nodes_(2) + nodes_(3)), 0.5 * (nodes_(4) + nodes_(5));
  for (Index c = 0; c < kChecks; ++c) {
    for (Index j = 0; j <= kNodes; ++j) {
      const double place = j == 0 ? 0.0 : nodes_(j - 1);
      double weight = 1.0;
      for (Index k = 0; k <= kNodes; ++k) {
        const double other = k == 0 ? 0.0 : nodes_(k - 1);
        if (k != j) weight *= (checks_(c) - other) / (place - other);
      }
      check_weights_(c, j) = weight;
    }
  }
  sampled_observables_.assign(kNodes + 1, Matrix::Zero(system.nc(), kObservables));

  scale_ = Vector::Zero(dimension());
  atol_ = Vector::Constant(dimension(), options.rtol);
  reset();
}

void SmoothPhase::reset() {
  scale_.setZero();
  largest_energy_ = 0.0;
  if (scaled_tolerance_) options_.atol = Vector::Constant(dimension(), options_.rtol);
  atol_ = options_.atol;
  integrator_ = make_integrator(method_, *this, options_);
}

// By its factors: PartialPivLU::solve would allocate.
void SmoothPhase::LinearSolver::solve() {
  lu.compute(A);
  lambda.noalias() = lu.permutationP() * right;
  lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(lambda);
  lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(lambda);
}

SmoothPhase::LinearSolver& SmoothPhase::solver_of(std::size_t n) {
  return solvers_.try_emplace(static_cast<Index>(n), static_cast<Index>(n)).first->second;
}

void SmoothPhase::solve_forces() {
  udot_ = mechanics_.Minv_h;
  lambda_N_.setZero();
  lambda_T_.setZero();
  if (rows_.empty()) return;
  const Index nc = mechanics_.nc();
  const Index n = static_cast<Index>(rows_.size());
  LinearSolver& solver = solver_of(rows_.size());
  assemble_frozen(mechanics_.delassus.G, roles_, mechanics_.mu, rows_, unknowns_, solver.A);
  for (Index k = 0; k < n; ++k) {
    const Index row = rows_[static_cast<std::size_t>(k)];
    solver.right(k) = row < nc ? -mechanics_.free_N(row) : -mechanics_.free_T(row - nc);
  }
  solver.solve();
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

// Solves G_SS x = g for a set S of rows of G; the workspace of that size is kept.
void SmoothPhase::solve_rows(const std::vector<Index>& rows, LinearSolver& solver) {
  const Index n = static_cast<Index>(rows.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      solver.A(i, j) = mechanics_.delassus.G(rows[static_cast<std::size_t>(i)],
                                             rows[static_cast<std::size_t>(j)]);
    }
  }
  solver.solve();
}

// Gaps of closed contacts to zero by Newton steps along M⁻¹W_N.
bool SmoothPhase::project_positions(double t, VectorRef y) {
  if (normal_rows_.empty()) return false;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  bool moved = false;
  for (int pass = 0; pass < 4; ++pass) {
    mechanics_.update_contacts(t, y.head(nq), y.tail(nu));
    LinearSolver& solver = solver_of(normal_rows_.size());
    for (std::size_t k = 0; k < normal_rows_.size(); ++k) {
      solver.right(static_cast<Index>(k)) = mechanics_.contacts.g_N(normal_rows_[k]);
    }
    if (solver.right.cwiseAbs().maxCoeff() <= kPositionDrift) break;
    solve_rows(normal_rows_, solver);
    correction_.setZero();
    for (std::size_t k = 0; k < normal_rows_.size(); ++k) {
      correction_ -=
          mechanics_.delassus.Minv_W.col(normal_rows_[k]) * solver.lambda(static_cast<Index>(k));
    }
    // δq = B δs, the same map as for velocities.
    mechanics_.system().coordinate_rates(t, y.head(nq), correction_, q_step_);
    y.head(nq) += q_step_;
    moved = true;
  }
  return moved;
}

bool SmoothPhase::project(double t, VectorRef y) {
  if (rows_.empty()) return false;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  const Index nc = mechanics_.nc();
  const bool moved = project_positions(t, y);
  mechanics_.update_contacts(t, y.head(nq), y.tail(nu));
  LinearSolver& solver = solver_of(rows_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Index row = rows_[k];
    solver.right(static_cast<Index>(k)) =
        row < nc ? mechanics_.gamma_N(row) : mechanics_.gamma_T(row - nc);
  }
  if (solver.right.cwiseAbs().maxCoeff() <= kVelocityDrift) return moved;
  solve_rows(rows_, solver);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    y.tail(nu) -= mechanics_.delassus.Minv_W.col(rows_[k]) * solver.lambda(static_cast<Index>(k));
  }
  return true;
}

// At most the time in which the forces change all velocities.
double SmoothPhase::short_time() const {
  const double power = mechanics_.h.dot(mechanics_.Minv_h);
  if (!(power > 0.0) || largest_energy_ == 0.0) return kShortTime;
  return std::min(kShortTime, std::sqrt(2.0 * largest_energy_ / power));
}

// Absolute tolerances: rtol times the size of each component. The size of a velocity is the largest
// one it has had, or the one all the kinetic energy so far would give it, so that a component at
// rest is not judged by its rounding; that of a coordinate, at least what its velocity covers in a
// short time.
void SmoothPhase::measure_scale(double t, const ConstVectorRef& y) {
  if (!scaled_tolerance_) return;
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  mechanics_.update(t, y.head(nq), y.tail(nu));
  largest_energy_ = std::max(largest_energy_, mechanics_.kinetic_energy(y.tail(nu)));
  scale_ = scale_.cwiseMax(y.cwiseAbs());
  const double time = short_time();
  double fastest = 0.0;
  for (Index i = 0; i < nu; ++i) {
    const double by_energy = std::sqrt(2.0 * largest_energy_ / mechanics_.M(i, i));
    const double by_force = time * std::abs(mechanics_.Minv_h(i));
    double& size = scale_(nq + i);
    size = std::max({size, by_energy, by_force});
    fastest = std::max(fastest, size);
  }
  for (Index i = 0; i < nu; ++i) {
    if (scale_(nq + i) == 0.0) scale_(nq + i) = fastest > 0.0 ? fastest : 1.0;
  }
  for (Index i = 0; i < nq; ++i) {
    const double speed = nq == nu ? scale_(nq + i) : fastest;
    scale_(i) = std::max(scale_(i), time * (speed > 0.0 ? speed : 1.0));
  }
  atol_ = options_.rtol * scale_;
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

// A step of the integrator, halved until the contacts are seen clearly on it.
StepStatus SmoothPhase::step(double t_stop) {
  tiny_ = false;
  StepStatus status = integrator_->step(t_stop);
  for (int halvings = 0; status == StepStatus::Ok; ++halvings) {
    t_ = integrator_->t();
    y_ = integrator_->y();
    sampled_ = false;
    if (roles_.empty()) break;
    sample();
    if (halvings == kMaxHalvings || is_resolved()) break;
    const double t_old = integrator_->t_old();
    const double middle = t_old + 0.5 * (t_ - t_old);
    if (!(middle > t_old && middle < t_)) break;
    status = integrator_->redo(middle);
  }
  return status;
}

}  // namespace nsmb
