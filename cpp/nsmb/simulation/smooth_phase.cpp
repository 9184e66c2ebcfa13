#include "nsmb/simulation/smooth_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/small_products.hpp"

namespace nsmb {

namespace {

// Drift of a closed contact that is taken back at once, m and m/s.
constexpr double kPositionDrift = 1e-13;
constexpr double kVelocityDrift = 1e-13;
// Constraints of which less than this part is left amplify what stages of a step miss them by.
constexpr double kNearlyDependent = 0.25;
// A step may shrink to a millionth for the sake of the contacts.
constexpr int kMaxHalvings = 20;
// So many of them, and rounding is looked for.
constexpr int kPatience = 3;

double largest(const Vector& values) {
  return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

SmoothPhase::SmoothPhase(const System& system, std::string_view method,
                         const IntegratorOptions& options, const FrictionOptions& friction,
                         double rest_velocity)
    : mechanics_(system),
      contact_rows_(system.rows()),
      factors_last_(mechanics_.has_constant_delassus() && !system.has_curves() &&
                    !system.rows().spatial),
      lambda_N_(Vector::Zero(system.nc())),
      lambda_T_(Vector::Zero(system.nt())),
      udot_(Vector::Zero(system.nu())),
      method_(method),
      options_(options),
      scaled_tolerance_(options.atol.size() == 0),
      stall_(system.ny(), options.rtol),
      nodes_(kNodes),
      from_nodes_(kNodes, kNodes),
      sampled_y_(system.ny(), kNodes + 1),
      series_(system.ny(), kNodes + 1),
      node_slopes_(system.ny(), kNodes),
      check_sample_(system),
      rounding_(Matrix::Zero(system.nc(), kObservables)),
      change_(rounding_),
      end_change_(rounding_),
      fit_(kNodes),
      fitted_(kNodes),
      indicator_series_(kMaxDegree + 1),
      correction_(system.nu()),
      q_step_(system.nq()),
      y_scratch_(system.ny()),
      y_on_(system.ny()),
      y_(Vector::Zero(system.ny())),
      small_step_slopes_(system.ny(), 4),
      rest_velocity_(rest_velocity),
      in_layer_(static_cast<std::size_t>(system.nc()), false),
      armed_(in_layer_),
      sides_(Matrix::Ones(system.nc(), kNodes + 1)),
      rest_friction_(Vector::Zero(system.nt())),
      law_solver_(friction),
      selection_(system.rows()),
      law_(system.rows()),
      law_roles_(static_cast<std::size_t>(system.nc()), ContactRole::Absent) {
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
  for (Index c = 0; c < kChecks; ++c) {
    checks_(c) = 0.5 * (nodes_(node_before(c) - 1) + nodes_(node_before(c)));
  }
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
  samples_.assign(kNodes + 1, Observation(system));

  size_ = scale_ = Vector::Zero(dimension());
  state_rate_ = Vector::Zero(system.nx());
  atol_ = Vector::Constant(dimension(), options.rtol);
  reset();
}

void SmoothPhase::reset() {
  size_.setZero();
  scale_.setOnes();  // what given tolerances are rtol times of
  state_rate_.setZero();
  largest_energy_ = rest_energy_ = 0.0;
  near_singular_ = false;
  mechanics_.bilateral.forget();
  mechanics_.rounding.forget();
  entered_ = std::numeric_limits<double>::quiet_NaN();
  stall_.reset();
  no_value_.clear();
  if (scaled_tolerance_) options_.atol = Vector::Constant(dimension(), options_.rtol);
  atol_ = options_.atol;
  if (!scaled_tolerance_) scale_ = atol_ / options_.rtol;
  integrator_ = make_integrator(method_, *this, options_);
}

void SmoothPhase::solve_forces() {
  udot_ = mechanics_.Minv_h;
  if (contact_rows_.spatial) update_slip_directions();
  const Index nc = mechanics_.nc();
  const Index n = static_cast<Index>(rows_.size());
  LinearSolver& solver = frozen_solver();
  if (n > 0) {
    const Matrix& G = mechanics_.delassus.G;
    if (!knows_factors_)
      assemble_frozen(contact_rows_, G, roles_, mechanics_.mu, rows_, unknowns_, solver.A);
    for (Index k = 0; k < n; ++k) {
      const Index row = rows_[static_cast<std::size_t>(k)];
      solver.right(k) = row < nc ? -mechanics_.free_N(row) : -mechanics_.free_T(row - nc);
      solver.right(k) -= given_friction(contact_rows_, G, roles_, mechanics_.contacts.bound, row);
    }
    if (knows_factors_) {
      solver.substitute();
    } else {
      solver.solve();
      determinant_ = solver.lu.determinant();
      knows_factors_ = factors_last_;
    }
    if (first_determinant_ == 0.0) first_determinant_ = determinant_;
  }
  if (roles_.empty()) return;
  if (roles_.law_forces) {
    ask_law(law_is_warm_);
    lambda_N_ = law_.lambda_N;
    lambda_T_ = law_.lambda_T;
    // What solves nothing must not move the system: the step is rejected.
    if (law_.status != LcpStatus::Solved) {
      lambda_N_.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  } else {
    scatter_forces(contact_rows_, roles_, mechanics_.mu, &mechanics_.contacts.bound, unknowns_,
                   solver.lambda, lambda_N_, lambda_T_);
  }
  add_product(mechanics_.delassus.Minv_W.leftCols(nc), lambda_N_, udot_);
  add_product(mechanics_.delassus.Minv_W.rightCols(mechanics_.nt()), lambda_T_, udot_);
}

// Off the constraints their equations drive away from them, by the reciprocal of what is left of
// the weakest: near singular positions slopes are those of the nearest state on the constraints.
const Vector& SmoothPhase::on_constraints(double t, const ConstVectorRef& y) {
  y_on_ = y;
  if (near_singular_) mechanics_.approach_constraints(t, y_on_);
  return y_on_;
}

void SmoothPhase::rhs(double t, const ConstVectorRef& y, VectorRef ydot) {
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  if (!y.allFinite()) {
    // A trial step into a singularity: rejected by its slopes, not the business of the system.
    ydot.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  // Where a trial step leads out of what the system is made for, a shorter one may not.
  try {
    on_constraints(t, y);
    if (flies_) {
      mechanics_.update_flight(t, y_on_);
    } else {
      mechanics_.update(t, y_on_);
    }
  } catch (const std::domain_error& error) {
    no_value_ = error.what();
    ydot.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (!flies_) solve_forces();
  mechanics_.coordinate_rates(t, y_on_.head(nq), y_on_.segment(nq, nu), ydot.head(nq));
  ydot.segment(nq, nu) = flies_ ? mechanics_.Minv_h : udot_;
  ydot.tail(mechanics_.system().nx()) = mechanics_.xdot;
}

void SmoothPhase::observe(double t, const ConstVectorRef& y, Observation& observation) {
  if (!y.allFinite()) {
    observation.contacts.setConstant(std::numeric_limits<double>::quiet_NaN());
    observation.element_switch.setConstant(std::numeric_limits<double>::quiet_NaN());
    observation.domain.setConstant(std::numeric_limits<double>::quiet_NaN());
    observation.margin.setConstant(std::numeric_limits<double>::quiet_NaN());
    observation.approach.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  mechanics_.update(t, on_constraints(t, y));
  solve_forces();
  observation.regularity = rows_.empty() ? 1.0 : determinant_ / first_determinant_;
  if (roles_.ask_law) {
    if (!roles_.law_forces) ask_law(law_is_warm_);
    observation.lasts = law_lasts(y.segment(mechanics_.nq(), mechanics_.nu()));
  }
  const Index nc = mechanics_.nc();
  const Matrix& W = mechanics_.delassus.W;
  Matrix& o = observation.contacts;
  o.col(kGap) = mechanics_.contacts.g_N;
  o.col(kGammaN) = mechanics_.gamma_N;
  o.col(kLambdaN) = lambda_N_;
  o.col(kGammaDotN) = mechanics_.contacts.w_bar_N;
  add_transposed_product(W.leftCols(nc), udot_, o.col(kGammaDotN));
  observation.gamma_T = mechanics_.gamma_T;
  observation.lambda_T = lambda_T_;
  for (Index i = 0; i < nc; ++i) {
    observe_slip(i, observation);
    // Beyond the end of its features a contact point is none, whatever its gap.
    if (!mechanics_.contacts.is_valid(i)) o(i, kGap) = std::numeric_limits<double>::infinity();
  }
  mechanics_.constraint_forces(udot_, lambda_N_, lambda_T_, observation.lambda_B);
  observation.drive_power = -mechanics_.contacts.w_tilde_N.dot(lambda_N_) -
                            mechanics_.contacts.w_tilde_T.dot(lambda_T_) -
                            mechanics_.bilateral.kinematics.w_tilde.dot(observation.lambda_B);
  observation.domain = mechanics_.contacts.domain;
  observation.margin = mechanics_.contacts.margin;
  observation.approach = mechanics_.contacts.g_N;
  observation.element_gamma = mechanics_.elements.kinematics.gamma;
  observation.element_force = mechanics_.elements.force;
  observation.element_switch = mechanics_.elements.switch_value;
}

// Bilateral constraints and gaps of closed contacts to zero by Newton steps along M⁻¹W.
bool SmoothPhase::project_positions(double t, VectorRef y) {
  const Index nq = mechanics_.nq();
  bool moved = mechanics_.system().normalise(y.head(nq));
  if (normal_rows_.empty() && mechanics_.nb() == 0) return moved;
  for (int pass = 0; pass < 4; ++pass) {
    mechanics_.update_contacts(t, y);
    const Vector& g_N = mechanics_.contacts.g_N;
    const double gap = largest_of(normal_rows_, g_N, g_N);
    if (std::max(gap, largest(mechanics_.bilateral.kinematics.g)) <= kPositionDrift) break;
    correction_.setZero();
    if (mechanics_.nb() > 0) {
      mechanics_.bilateral.correction(mechanics_.bilateral.kinematics.g, correction_);
    }
    correct_rows(normal_rows_, g_N, g_N);
    // δq = B δs, the same map as for velocities.
    mechanics_.coordinate_rates(t, y.head(nq), correction_, q_step_);
    y.head(nq) += q_step_;
    mechanics_.system().normalise(y.head(nq));
    moved = true;
  }
  return moved;
}

bool SmoothPhase::project_velocities(double t, const std::vector<Index>& rows, VectorRef y) {
  if (rows.empty() && mechanics_.nb() == 0) return false;
  mechanics_.update_contacts(t, y);
  const double drift = largest_of(rows, mechanics_.gamma_N, mechanics_.gamma_T);
  if (std::max(drift, largest(mechanics_.bilateral.gamma)) <= kVelocityDrift) return false;
  correction_.setZero();
  if (mechanics_.nb() > 0) {
    mechanics_.bilateral.velocity_correction(y.segment(mechanics_.nq(), mechanics_.nu()),
                                             correction_);
  }
  correct_rows(rows, mechanics_.gamma_N, mechanics_.gamma_T);
  y.segment(mechanics_.nq(), mechanics_.nu()) += correction_;
  return true;
}

// The wall of a closed element is where the mass is, (3.22).
bool SmoothPhase::project_walls(double t, VectorRef y) {
  const System& system = mechanics_.system();
  if (system.nx() == system.nx_own()) return false;
  bool moved = false;
  mechanics_.update_elements(t, y);
  for (Index e = 0; e < system.ne(); ++e) {
    const bool closed =
        mechanics_.elements.modes[static_cast<std::size_t>(e)] == ElementMode::Closed;
    if (system.wall(e) < 0 || !closed) continue;
    double& wall = y(system.nq() + system.nu() + system.wall(e));
    moved = moved || std::abs(wall - mechanics_.elements.kinematics.gamma(e)) > kPositionDrift;
    wall = mechanics_.elements.kinematics.gamma(e);
  }
  return moved;
}

bool SmoothPhase::project(double t, VectorRef y) {
  if (near_singular_) mechanics_.approach_constraints(t, y);
  const bool positions = project_positions(t, y);
  const bool velocities = project_velocities(t, rows_, y);
  const bool walls = project_walls(t, y);
  return near_singular_ || positions || velocities || walls;
}

// Where contact points come and go, most candidates are open.
void SmoothPhase::restrict_to_closed() {
  if (!mechanics_.system().has_features()) return;
  closed_.assign(roles_.size(), false);
  for (std::size_t c = 0; c < roles_.size(); ++c) closed_[c] = is_closed(roles_[c].state);
  mechanics_.restrict_to(&closed_);
}

void SmoothPhase::list_rows() {
  frozen_rows(contact_rows_, roles_, rows_);
  normal_rows_.clear();
  for (const Index row : rows_) {
    if (row < mechanics_.nc()) normal_rows_.push_back(row);
  }
}

// Contacts that come together while the state lasts must not be all that stands for those that
// depend on them.
void SmoothPhase::renew_rows() {
  if (!is_dependent_ || contact_rows_.spatial) return;
  mechanics_.update(t_, y_);
  if (!selection_.renew(contact_rows_, mechanics_.delassus.G, roles_)) return;
  list_rows();
  first_determinant_ = 0.0;
  knows_factors_ = false;
}

void SmoothPhase::freeze(const FrozenRoles& roles, const ElementModes& modes) {
  roles_ = roles;
  mechanics_.elements.modes = modes;
  list_rows();
  frozen_forces(contact_rows_, roles_, unknowns_);
  std::size_t conditions = 0;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (c >= roles_.size() || !is_closed(roles_[c].state)) continue;
    conditions += contact_rows_.is_unilateral(i) ? 1 : 0;
    const bool sticks = roles_[c].state == ContactState::Stick;
    if (sticks) conditions += static_cast<std::size_t>(contact_rows_.dim(i));
  }
  is_dependent_ = conditions > rows_.size();
  restrict_to_closed();
  const auto closed = [](const FrozenRole& role) { return is_closed(role.state); };
  is_open_ = std::none_of(roles_.contacts.begin(), roles_.contacts.end(), closed);
  // Contact points that come and go are followed by every evaluation.
  flies_ = is_open_ && !mechanics_.system().has_features();
  first_determinant_ = 0.0;
  knows_factors_ = false;
  rounding_.setZero();
  rest_friction_ = roles_.friction;
  // Where forces are not unique, those of the instant go on.
  law_.lambda_N = last_N_ = roles_.lambda_N;
  law_.lambda_T = last_T_ = roles_.lambda_T;
  law_is_warm_ = true;
  for (std::size_t c = 0; c < roles_.size(); ++c) in_layer_[c] = roles_[c].from_rest;
  std::fill(armed_.begin(), armed_.end(), false);
}

// Directions of slip in a plane that the motion has kept.
void SmoothPhase::adopt(const Phase& other) {
  const SmoothPhase& moving = dynamic_cast<const SmoothPhase&>(other);
  in_layer_ = moving.in_layer_;
  armed_ = moving.armed_;
  layer_ = moving.layer_;
  rest_friction_ = moving.rest_friction_;
}

void SmoothPhase::enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                        VectorRef y) {
  freeze(roles, modes);
  project_positions(t, y);
  project_velocities(t, roles_.entry_rows, y);
  project_walls(t, y);
  measure_scale(t, y);
  if (contact_rows_.spatial) {
    mechanics_.update_contacts(t, y);
    arm_slips();
    keep_slow_directions();
    remember_rounding(t, y);
  }
  integrator_->restart(t, y);
  t_ = entered_ = t;
  y_ = y;
  sampled_ = false;
}

// A step of the integrator.
StepStatus SmoothPhase::step(double t_stop) {
  t_stop_ = t_stop;
  if (contact_rows_.spatial) {
    mechanics_.update_contacts(t_, y_);
    arm_slips();
  }
  tiny_ = false;
  if (mechanics_.nb() > 0) {
    mechanics_.update_contacts(t_, y_);
    near_singular_ = mechanics_.bilateral.near_singular_position(kNearlyDependent);
  }
  // Trial steps search for contact points far away; the accepted state begins with its own.
  const bool features = mechanics_.system().has_features();
  if (features) {
    mechanics_.update_contacts(t_, y_);
    features_ = mechanics_.contacts.features;
  }
  renew_rows();
  follow_scale();
  no_value_.clear();
  const StepStatus status = resolve(integrator_->step(t_stop));
  if (status != StepStatus::Ok || !std::isinf(jump_)) return status;
  const long searches = stall_.searches();
  const bool stands = stall_.stands_still(*this, *integrator_, scale_);
  if (stall_.searches() != searches) observe(t_, y_, check_sample_);  // mechanics_ as it was
  return stands ? StepStatus::StandsStill : StepStatus::Ok;
}

// The last step again, up to the jump that was found on it; the equations are those before.
StepStatus SmoothPhase::end_before_jump() {
  t_stop_ = jump_;
  return resolve(integrator_->redo(jump_));
}

// Halves the last step until the contacts are seen clearly on it, or a jump is found.
StepStatus SmoothPhase::resolve(StepStatus status) {
  const bool features = mechanics_.system().has_features();
  jump_ = std::numeric_limits<double>::infinity();
  for (int halvings = 0; status == StepStatus::Ok; ++halvings) {
    t_ = integrator_->t();
    duration_ = whole_ = t_ - integrator_->t_old();
    y_ = integrator_->y();
    sampled_ = false;
    if (roles_.empty() && mechanics_.system().ne() == 0) break;
    sample();
    if (is_resolved()) break;
    if (halvings == kPatience) {
      measure_noise();
      if (is_resolved() || find_jump()) break;
    }
    if (halvings == kMaxHalvings) {
      if (lost_contact() >= 0) return StepStatus::RhsNotFinite;
      break;
    }
    const double t_old = integrator_->t_old();
    const double middle = t_old + 0.5 * (t_ - t_old);
    if (!(middle > t_old && middle < t_)) break;
    if (features) mechanics_.contacts.features = features_;
    status = integrator_->redo(middle);
  }
  return status;
}

}  // namespace nsmb
