#include "nsmb/simulation/step_samples.hpp"

#include <limits>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

// Checks lie between the middle nodes, off the middle of the step, where symmetry could hide an
// error.
StepSamples::StepSamples(FrozenMotion& motion, const IntegratedStep& step, const Vector& atol)
    : motion_(motion),
      step_(step),
      atol_(atol),
      interpolation_({3, 5}),
      seen_(kNodes + 1, Observation(motion.system())),
      states_(motion.system().ny(), kNodes + 1),
      sides_(Matrix::Ones(motion.system().nc(), kNodes + 1)) {}

void StepSamples::take() {
  if (are_taken()) return;
  step_.interpolate(0.0, states_.col(0));
  motion_.observe(step_.t_old(), states_.col(0), seen_[0]);
  gaps_only_ = shows_gaps_only();
  for (Index j = 1; j <= kNodes; ++j) {
    const double t = step_.at(interpolation_.node(j), states_.col(j));
    look(t, states_.col(j), seen_[static_cast<std::size_t>(j)]);
  }
  if (motion_.contact_rows().spatial && !gaps_only_) follow_sides();
  version_ = step_.version();
}

void StepSamples::look(double t, const ConstVectorRef& y, Observation& observation) {
  if (gaps_only_) {
    motion_.observe_gaps(t, y, observation);
  } else {
    motion_.observe(t, y, observation);
  }
}

// Velocities and accelerations of open contacts matter if a gap starts at zero.
bool StepSamples::shows_gaps_only() const {
  if (!motion_.is_open() || motion_.mechanics().nb() > 0 || motion_.roles().ask_law) return false;
  if (step_.t_old() == motion_.entered()) return false;
  for (Index i = 0; i < motion_.mechanics().nc(); ++i) {
    if (!(seen_[0].contacts(i, kGap) > resolution(i, false))) return false;
  }
  return true;
}

double StepSamples::side_of(Index i, Index node, const Observation& observation) const {
  if (!motion_.slip().is_straight(i, motion_.roles())) return 1.0;
  const Index t = motion_.contact_rows().tangent(i);
  const Observation& before = (*this)[node];
  const double along = observation.gamma_T.segment<2>(t).dot(before.gamma_T.segment<2>(t));
  return along < 0.0 ? -sides_(i, node) : sides_(i, node);
}

// Continue the sign of slip along the samples. If slip ends before the end of the step, its
// direction reverses from one node to the next. There |γ_T| alone has a kink, but with the
// continued sign it has a crossing.
void StepSamples::follow_sides() {
  sides_.setOnes();
  for (Index j = 1; j <= kNodes; ++j) {
    Observation& sample = seen_[static_cast<std::size_t>(j)];
    for (Index i = 0; i < sides_.rows(); ++i) {
      sides_(i, j) = side_of(i, j - 1, sample);
      for (const Observable o : {kGammaT, kGammaDotT, kLambdaT}) {
        sample.contacts(i, o) *= sides_(i, j);
      }
    }
  }
}

double StepSamples::resolution(Index contact, bool velocity) const {
  const Mechanics& mechanics = motion_.mechanics();
  const Index nq = mechanics.nq();
  const auto w = mechanics.contacts.W_N.col(contact).cwiseAbs();
  const Index first = velocity ? nq : 0;
  const Index size = velocity ? mechanics.nu() : nq;
  const auto part = atol_.segment(first, size);
  const auto y = states_.col(0).segment(first, size);
  if (part.size() != w.size())
    return part.maxCoeff() + resolutions::kCoordinates * y.cwiseAbs().maxCoeff();
  return w.dot(part + resolutions::kCoordinates * y.cwiseAbs());
}

}  // namespace nsmb
