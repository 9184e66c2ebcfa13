#include "nsmb/simulation/work_integrals.hpp"

#include <array>

#include "nsmb/integration/linear_flow.hpp"

namespace nsmb {

WorkIntegrals::WorkIntegrals(Index nc)
    : friction(Vector::Zero(nc)),
      sample_friction(Vector::Zero(nc)),
      friction_power_(nc, 2 * LinearFlow::kOrder + 1),
      drive_power_(friction_power_.cols()) {}

void WorkIntegrals::clear() {
  friction.setZero();
  sample_friction.setZero();
  drive = sample_drive = 0.0;
  is_known_ = false;
}

void WorkIntegrals::find(Phase& phase) {
  if (is_known_) return;
  slips_ = phase.expand_friction_power(friction_power_);
  drives_ = phase.expand_drive_power(drive_power_);
  is_known_ = true;
}

void WorkIntegrals::add_friction(const Phase& phase, const ContactStates& states, double s,
                                 VectorRef loss) const {
  if (!slips_) return;
  const double h = phase.t() - phase.integrator().t_old();
  std::array<double, 2 * LinearFlow::kOrder + 1> factors;
  double power = h * s;
  for (std::size_t k = 0; k < factors.size(); ++k, power *= s) {
    factors[k] = power / static_cast<double>(k + 1);
  }
  for (Index i = 0; i < loss.size(); ++i) {
    if (!is_slip(states[static_cast<std::size_t>(i)])) continue;
    double sum = loss(i);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      sum += friction_power_(i, static_cast<Index>(k)) * factors[k];
    }
    loss(i) = sum;
  }
}

double WorkIntegrals::drive_work(const Phase& phase, double s) const {
  if (!drives_) return 0.0;
  double power = (phase.t() - phase.integrator().t_old()) * s, work = 0.0;
  for (Index k = 0; k < drive_power_.size(); ++k, power *= s) {
    work += drive_power_(k) * (power / static_cast<double>(k + 1));
  }
  return work;
}

}  // namespace nsmb
