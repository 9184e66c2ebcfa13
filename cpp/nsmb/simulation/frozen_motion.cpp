#include "nsmb/simulation/frozen_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "nsmb/core/small_products.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/simulation/triggers.hpp"
#include "nsmb/system/internal_states.hpp"

namespace nsmb {

namespace {

// Marks evaluations at states of the motion, also where they throw.
class OfMotion {
 public:
  explicit OfMotion(ContactKinematics& contacts) : contacts_(contacts) {
    contacts_.of_motion = true;
  }
  ~OfMotion() { contacts_.of_motion = false; }
  OfMotion(const OfMotion&) = delete;
  OfMotion& operator=(const OfMotion&) = delete;

 private:
  ContactKinematics& contacts_;
};

using namespace tolerances;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A scope without watched functions. Slopes do not need them, and they cost as much as the forces
/// of their elements.
class Unwatched {
 public:
  explicit Unwatched(ElementForces& elements) : elements_(elements) { elements_.watches = false; }
  ~Unwatched() { elements_.watches = true; }
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;

 private:
  ElementForces& elements_;
};

}  // namespace

FrozenMotion::FrozenMotion(const System& system, const TransitionOptions& options, double rtol,
                           const Vector& atol)
    : mechanics_(system),
      selection_(system.rows(), mechanics_.delassus.cliques()),
      equations_(
          system.rows(), mechanics_.delassus.cliques(),
          mechanics_.has_constant_delassus() && !system.has_curves() && !system.rows().spatial),
      holding_{{system.rows(), mechanics_.delassus.cliques(), false}, {}, {}, false},
      solution_(system),
      change_(system),
      slip_(mechanics_, options.rest_velocity, rtol, atol),
      law_(mechanics_, options.friction),
      projection_(mechanics_, options),
      y_on_(system.ny()) {}

void FrozenMotion::reset() {
  near_singular_ = false;
  mechanics_.bilateral.forget();
  mechanics_.rounding.forget();
  entered_ = kNaN;
  no_value_.clear();
}

std::size_t FrozenMotion::count_conditions() const {
  const ContactRows& rows = contact_rows();
  std::size_t conditions = 0;
  for (Index i = 0; i < rows.nc; ++i) {
    const std::size_t c = static_cast<std::size_t>(i);
    if (c >= roles_.size() || !is_closed(roles_[c].state)) continue;
    conditions += rows.is_unilateral(i) ? 1 : 0;
    const bool sticks = roles_[c].state == ContactState::Stick;
    if (sticks) conditions += static_cast<std::size_t>(rows.dim(i));
  }
  return conditions;
}

// Open contacts are evaluated between steps only.
void FrozenMotion::restrict_to_closed() {
  closed_.clear();
  for (std::size_t c = 0; c < roles_.size(); ++c) {
    if (is_closed(roles_[c].state)) closed_.push_back(static_cast<Index>(c));
  }
  mechanics_.restrict_to(&closed_);
}

void FrozenMotion::freeze(const FrozenRoles& roles, const ElementModes& modes) {
  roles_ = roles;
  mechanics_.elements.modes = modes;
  equations_.freeze(roles_);
  is_dependent_ = count_conditions() > rows().size();
  restrict_to_closed();
  is_open_ = closed_.empty();
  law_.freeze(roles_);
  slip_.freeze(roles_);
  holding_.contacts.clear();
  holding_.is_unique = true;
}

void FrozenMotion::enter(const FrozenRoles& roles, const ElementModes& modes, double t,
                         VectorRef y) {
  freeze(roles, modes);
  projection_.project_positions(t, equations_.normal_rows(), y);
  projection_.project_velocities(t, roles_.entry_rows, y);
  projection_.project_walls(t, y);
}

void FrozenMotion::begin(double t, const ConstVectorRef& y) {
  if (contact_rows().spatial) {
    mechanics_.update_contacts(t, y);
    slip_.arm(roles_);
    slip_.keep_slow_directions(roles_);
    remember_rounding(t, y);
  }
  entered_ = t;
}

// Where forces cancel, as at the end of many states, the law is as accurate as at the start of the
// phase. Instants use the same measure.
void FrozenMotion::remember_rounding(double t, const ConstVectorRef& y) {
  if (is_same_instant(t, entered_)) return;
  mechanics_.update(t, y);
  mechanics_.measure_rounding(y.segment(mechanics_.nq(), mechanics_.nu()));
  mechanics_.rounding.remember();
}

void FrozenMotion::begin_step(double t, const ConstVectorRef& y) {
  if (contact_rows().spatial) {
    mechanics_.update_contacts(t, y);
    slip_.arm(roles_);
  }
  if (mechanics_.nb() > 0) {
    mechanics_.update_contacts(t, y);
    near_singular_ = mechanics_.bilateral.near_singular_position(drift::kNearlyDependent);
  }
  if (system().feature_search()) {
    mechanics_.update_contacts(t, y);
    features_ = mechanics_.contacts.features;
  }
  renew_rows(t, y);
}

void FrozenMotion::restore_features() {
  if (system().feature_search()) mechanics_.contacts.features = features_;
}

// Contacts that approach each other while the state lasts must not alone represent those that
// depend on them.
void FrozenMotion::renew_rows(double t, const ConstVectorRef& y) {
  if (!is_dependent_ || contact_rows().spatial) return;
  mechanics_.update(t, y);
  if (selection_.renew(contact_rows(), mechanics_.delassus.G, roles_)) equations_.renew(roles_);
}

bool FrozenMotion::recalls() const {
  return !is_dependent_ && !roles_.ask_law && !roles_.law_forces && !contact_rows().spatial &&
         mechanics_.nb() == 0;
}

// Directions of slip in a plane, into the roles; those of slips that start from the forces that
// would hold them.
void FrozenMotion::update_directions() {
  slip_.update_directions(roles_);
  if (!holding_.is_unique || !slip_.follows()) return;
  FrozenRoles& held = holding_.roles;
  const bool is_new = holding_.contacts != slip_.starting();
  if (is_new) {
    holding_.contacts = slip_.starting();
    held = roles_;
    for (std::size_t c = 0; c < held.size(); ++c) {
      if (!holding_.contacts[c]) continue;
      held[c].at_bound = false;
      held[c].tangential_row = held[c].tangential_force = {true, true};
    }
    holding_.equations.freeze(held);
  }
  held.friction = roles_.friction;
  holding_.equations.solve(mechanics_, held);
  if (is_new) {
    const double independence = holding_.equations.independence(mechanics_.delassus.G);
    holding_.is_unique = independence > slip_in_a_plane::kHeldAlone;
    if (!holding_.is_unique) return;
  }
  holding_.equations.scatter(held, mechanics_.mu, &mechanics_.contacts.bound, change_.lambda_N,
                             change_.lambda_T);
  slip_.follow(change_.lambda_T);
  slip_.update_directions(roles_);
}

void FrozenMotion::solve_forces() {
  Vector& udot = solution_.udot;
  udot = mechanics_.Minv_h;
  if (contact_rows().spatial) update_directions();
  equations_.solve(mechanics_, roles_);
  if (roles_.empty()) return;
  if (roles_.law_forces) {
    law_.ask(roles_);
    solution_.lambda_N = law_.result().lambda_N;
    solution_.lambda_T = law_.result().lambda_T;
    // An unsolved problem must not move the system: the step is rejected.
    if (law_.result().status != LcpStatus::Solved) solution_.lambda_N.setConstant(kNaN);
  } else {
    equations_.scatter(roles_, mechanics_.mu, &mechanics_.contacts.bound, solution_.lambda_N,
                       solution_.lambda_T);
  }
  mechanics_.delassus.add_accelerations(solution_.lambda_N, solution_.lambda_T, udot);
  if (roles_.refines && !roles_.law_forces) refine_accelerations();
}

// Refine u̇ where forces on a light body nearly cancel. These are accurate to ulps of their own
// size, and this error of the acceleration can exceed what acts on the body. Changes of the forces
// far below these ulps remove the residual accelerations of the equations. u̇ is then no longer
// M⁻¹(h + W λ) to its last digit, but what the contacts allow.
void FrozenMotion::refine_accelerations() {
  equations_.solve_for_rest(mechanics_, solution_.udot);
  equations_.scatter(roles_, mechanics_.mu, nullptr, change_.lambda_N, change_.lambda_T);
  mechanics_.delassus.add_accelerations(change_.lambda_N, change_.lambda_T, solution_.udot);
  solution_.lambda_N += change_.lambda_N;
  solution_.lambda_T += change_.lambda_T;
}

// The equations drive a state off the constraints further away, by the reciprocal of what is left
// of the weakest constraint. Near singular positions, slopes are therefore those of the nearest
// state on the constraints.
const Vector& FrozenMotion::on_constraints(double t, const ConstVectorRef& y) {
  y_on_ = y;
  if (near_singular_) mechanics_.approach_constraints(t, y_on_);
  return y_on_;
}

void FrozenMotion::rhs(double t, const ConstVectorRef& y, VectorRef ydot) {
  const Index nq = mechanics_.nq();
  const Index nu = mechanics_.nu();
  if (!y.allFinite()) {
    // A trial step into a singularity is rejected by its slopes, without calling the system.
    ydot.setConstant(kNaN);
    return;
  }
  // A trial step may leave the domain of the system where a shorter one does not.
  try {
    on_constraints(t, y);
    const Unwatched unwatched(mechanics_.elements);
    mechanics_.update_held(t, y_on_);
    if (!is_open_) solve_forces();
    mechanics_.coordinate_rates(t, y_on_.head(nq), y_on_.segment(nq, nu), ydot.head(nq));
  } catch (const std::domain_error& error) {
    note_trouble(error.what());
    ydot.setConstant(kNaN);
    return;
  }
  ydot.segment(nq, nu) = is_open_ ? mechanics_.Minv_h : solution_.udot;
  ydot.tail(system().nx()) = mechanics_.xdot;
  if (no_value_.empty() && !ydot.allFinite()) {
    no_value_ =
        system().trouble(mechanics_.span().inside(t), y_on_.head(nq), y_on_.segment(nq, nu),
                         y_on_.tail(system().nx()).head(system().nx_own()), mechanics_.work());
  }
}

bool FrozenMotion::jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) {
  if (!FrozenJacobian::is_known(system())) return false;
  if (!y.allFinite()) {
    dfdy.setConstant(kNaN);
    return true;
  }
  if (!jacobian_) jacobian_ = std::make_unique<FrozenJacobian>(system());
  try {
    mechanics_.update(t, y);
    solve_forces();
    jacobian_->find(t, y, roles_, solution_, mechanics_, equations_, dfdy);
  } catch (const std::domain_error& error) {
    note_trouble(error.what());
    dfdy.setConstant(kNaN);
  }
  return true;
}

// Positions and velocities may affect everything, and states every u̇. These rows and columns are
// full, also with contacts, constraints and walls. The system provides the pattern between states.
SparsityPattern FrozenMotion::jacobian_pattern() {
  const InternalStates* states = system().internal_states();
  if (!states || system().nx_own() == 0) return {};
  const SparsityPattern rates = states->rate_pattern();
  if (rates.begin.empty()) return {};
  const Index nq = system().nq(), nu = system().nu(), moving = nq + nu;
  const Index own = system().nx_own(), n = dimension();
  SparsityPattern pattern;
  pattern.begin.push_back(0);
  for (Index j = 0; j < n; ++j) {
    const Index x = j - moving;
    const Index from = x < 0 ? 0 : nq, to = x < 0 ? n : moving;
    for (Index i = from; i < to; ++i) pattern.rows.push_back(i);
    if (x >= own) pattern.rows.push_back(j);  // a wall
    if (x >= 0 && x < own) {
      for (Index k = rates.begin[at(x)]; k < rates.begin[at(x + 1)]; ++k) {
        pattern.rows.push_back(moving + rates.rows[at(k)]);
      }
    }
    pattern.begin.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

bool FrozenMotion::project(double t, VectorRef y) {
  try {
    if (near_singular_) mechanics_.approach_constraints(t, y);
    const bool positions = projection_.project_positions(t, equations_.normal_rows(), y);
    const bool velocities = projection_.project_velocities(t, equations_.rows(), y);
    const bool walls = projection_.project_walls(t, y);
    return near_singular_ || positions || velocities || walls;
  } catch (const std::domain_error& error) {
    note_trouble(error.what());
    y.setConstant(kNaN);  // rejects the step
    return true;
  }
}

void FrozenMotion::observe(double t, const ConstVectorRef& y, Observation& observation) {
  if (!y.allFinite()) {
    observation.contacts.setConstant(kNaN);
    observation.element_switch.setConstant(kNaN);
    observation.domain.setConstant(kNaN);
    observation.margin.setConstant(kNaN);
    observation.approach.setConstant(kNaN);
    return;
  }
  {
    const OfMotion guard(mechanics_.contacts);
    mechanics_.update(t, on_constraints(t, y));
  }
  solve_forces();
  observation.regularity = equations_.regularity();
  if (roles_.ask_law) {
    if (!roles_.law_forces) law_.ask(roles_);
    observation.lasts =
        law_.lasts(y.segment(mechanics_.nq(), mechanics_.nu()), roles_, is_dependent_, solution_);
  }
  const ContactKinematics& contacts = mechanics_.contacts;
  const Vector &lambda_N = solution_.lambda_N, &lambda_T = solution_.lambda_T;
  Matrix& o = observation.contacts;
  o.setZero();
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    o(i, kGap) = contact_rows().is_unilateral(i) ? kInfinity : 0.0;
  }
  observation.gamma_T = mechanics_.gamma_T;
  observation.lambda_T = lambda_T;
  for (const Index i : mechanics_.delassus.present) {
    // A contact point beyond the end of its features is discarded, whatever its gap.
    if (contacts.is_valid(i)) o(i, kGap) = contacts.g_N(i);
    o(i, kGammaN) = mechanics_.gamma_N(i);
    o(i, kLambdaN) = lambda_N(i);
    o(i, kGammaDotN) = contacts.w_bar_N(i) + mechanics_.delassus.rate(solution_.udot, i);
    observe_slip(i, observation);
  }
  mechanics_.constraint_forces(solution_.udot, lambda_N, lambda_T, observation.lambda_B);
  observation.drive_power = -contacts.w_tilde_N.dot(lambda_N) - contacts.w_tilde_T.dot(lambda_T) -
                            mechanics_.bilateral.kinematics.w_tilde.dot(observation.lambda_B);
  observation.domain = contacts.domain;
  observation.margin = contacts.margin;
  observation.approach = contacts.g_N;
  observation.element_gamma = mechanics_.elements.kinematics.gamma;
  observation.element_force = mechanics_.elements.force;
  observation.element_switch = mechanics_.elements.switch_value;
}

// Fill the columns of the tangential direction; in a plane, with values of the speed.
void FrozenMotion::observe_slip(Index i, Observation& observation) const {
  const ContactRows& rows = contact_rows();
  const ContactKinematics& contacts = mechanics_.contacts;
  const Vector &lambda_T = solution_.lambda_T, &udot = solution_.udot;
  const Index t = rows.tangent(i);
  const Index dim = rows.dim(i);
  auto row = observation.contacts.row(i);
  const Index normal = rows.normal_of(i);
  row(kRadius) =
      contacts.bound(i) + (normal < 0 ? 0.0 : mechanics_.mu(i) * solution_.lambda_N(normal));
  if (dim == 1) {
    row(kGammaT) = mechanics_.gamma_T(t);
    row(kLambdaT) = lambda_T(t);
    row(kGammaDotT) = contacts.w_bar_T(t) + mechanics_.delassus.rate(udot, rows.row(i));
    return;
  }
  const Eigen::Vector2d gamma = mechanics_.gamma_T.segment<2>(t);
  const Eigen::Vector2d lambda = lambda_T.segment<2>(t);
  Eigen::Vector2d rate;
  for (Index d = 0; d < 2; ++d) {
    rate(d) = contacts.w_bar_T(t + d) + mechanics_.delassus.rate(udot, rows.row(i) + d);
  }
  const Eigen::Vector2d direction = slip_.direction(i);
  row(kGammaT) = gamma.dot(direction);
  row(kGammaDotT) = rate.dot(direction);
  const bool slips = is_slip(roles_[static_cast<std::size_t>(i)].state);
  row(kLambdaT) = slips ? lambda.dot(direction) : lambda.norm();
}

void FrozenMotion::observe_gaps(double t, const ConstVectorRef& y, Observation& observation) {
  if (!y.allFinite()) return observe(t, y, observation);
  mechanics_.update_gaps(t, y);
  const ContactKinematics& contacts = mechanics_.contacts;
  auto gaps = observation.contacts.col(kGap);
  gaps = contacts.g_N;
  const auto u = y.segment(system().nq(), system().nu());
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    const bool is_here = !std::isinf(gaps(i));
    observation.contacts(i, kGammaN) =
        is_here ? contacts.w_tilde_N(i) + dot(mechanics_.delassus.reach(i), contacts.W_N.col(i), u)
                : 0.0;
    if (!contacts.is_valid(i)) gaps(i) = std::numeric_limits<double>::infinity();
  }
  observation.domain = contacts.domain;
  observation.margin = contacts.margin;
  observation.approach = contacts.g_N;
  if (system().ne() == 0) return;
  mechanics_.update_elements(t, y);
  observation.element_gamma = mechanics_.elements.kinematics.gamma;
  observation.element_force = mechanics_.elements.force;
  observation.element_switch = mechanics_.elements.switch_value;
}

Index FrozenMotion::lost_contact() const {
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (std::isnan(mechanics_.contacts.g_N(i))) return i;
  }
  return -1;
}

std::string FrozenMotion::trouble() const {
  if (!no_value_.empty()) return no_value_;
  const Index i = lost_contact();
  if (i < 0) return {};
  return "contact '" + system().contacts()[static_cast<std::size_t>(i)].name +
         "': contact point not found. Its curvatures are singular there (4.35), or it moves too "
         "far in a step. Reduce max_step.";
}

std::string FrozenMotion::weak_constraints() const {
  std::string names;
  for (Index i = 0; near_singular_ && i < mechanics_.nb(); ++i) {
    if (!mechanics_.bilateral.is_weak(i, drift::kNearlyDependent)) continue;
    const std::string& name = system().constraints()[static_cast<std::size_t>(i)];
    names += (names.empty() ? "'" : "', '") + name;
  }
  return names.empty() ? names : names + "'";
}

}  // namespace nsmb
