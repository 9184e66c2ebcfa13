#include "nsmb/simulation/linear_phase.hpp"

#include <cmath>
#include <utility>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Length up to which a loop costs less than the call of a product.
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

}  // namespace

LinearPhase::LinearPhase(const System& system, const LinearForm& form)
    : form_(form),
      moves_(form.w_tilde_N.any() || form.w_tilde_T.any()),
      n_(system.nq()),
      nc_(system.nc()),
      ny_(system.ny()),
      basis_(time_basis(form, system)),
      equations_(system, form, basis_.size()),
      flow_(system.nq(), system.nx(), time_basis(form, system)),
      z_(system.ny() + basis_.size()),
      row_(system.ny() + basis_.size()) {}

// The matrices of the contact states hold for all inputs.
void LinearPhase::set_inputs(const ConstVectorRef& values) {
  basis_.set_inputs(values);
  flow_.set_inputs(values);
}

LinearMode* LinearPhase::mode(const FrozenRoles& roles) {
  key_of(roles, key_);
  key_.push_back(static_cast<int>(equations_.piece()));
  if (LinearMode* known = modes_.find(key_)) return known;
  return modes_.add(key_, equations_.build(roles), mode_, flow_);
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
  y = z_.head(ny_);
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

// Return true if an indicator is only rounding. Bodies that fly side by side touch without force:
// neither gap nor force ever leaves zero, and their rounding is not an event.
bool LinearPhase::is_noise(const Indicator& indicator, const Series& c) const {
  const double h = flow_.t() - flow_.t_old();
  double largest = 0.0;
  if (is_gap(indicator)) {
    const bool at_zero = std::abs(c(0)) <= drift::kHeld && std::abs(c(1)) <= drift::kHeld * h;
    if (!at_zero) return false;
    for (Index k = 2; k < c.size(); ++k) {
      largest += static_cast<double>(k * (k - 1)) * std::abs(c(k));
    }
    return largest <= indicator.noise * h * h;
  }
  return is_force(indicator) && c.cwiseAbs().sum() <= indicator.noise;
}

// Sum over nonzero entries only, because gaps and forces depend on few coordinates.
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
