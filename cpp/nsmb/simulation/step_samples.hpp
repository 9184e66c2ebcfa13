// Samples of the last step, at its start and at the nodes of the interpolation.
#pragma once

#include <vector>

#include "nsmb/integration/chebyshev_interpolation.hpp"
#include "nsmb/simulation/frozen_motion.hpp"
#include "nsmb/simulation/integrated_step.hpp"

namespace nsmb {

/// Samples that are taken on request, once for each end of the step. If all contacts are open and
/// no gap is zero at the start, only gaps are observed.
class StepSamples {
 public:
  static constexpr Index kNodes = ChebyshevInterpolation::kDegree;

  /// `atol` (ny): current tolerances of the integrator, read at every use.
  StepSamples(FrozenMotion& motion, const IntegratedStep& step, const Vector& atol);

  /// Take the samples. All other functions refer to the samples last taken.
  void take();
  bool are_taken() const { return version_ == step_.version(); }

  /// Return the sample at node j, 0 ... kNodes.
  const Observation& operator[](Index j) const { return seen_[static_cast<std::size_t>(j)]; }
  /// States at the nodes, shape (ny, kNodes + 1).
  const Matrix& states() const { return states_; }
  const ChebyshevInterpolation& interpolation() const { return interpolation_; }
  /// Observe (t, y) to the same extent as the samples.
  void look(double t, const ConstVectorRef& y, Observation& observation);
  /// Return -1 if slip in a plane has reversed through zero since the start of the step, otherwise
  /// 1. `observation` is after `node`.
  double side_of(Index contact, Index node, const Observation& observation) const;
  double side(Index contact, Index node) const { return sides_(contact, node); }
  /// Return the resolution of g_N or γ_N. Smaller values are integrator error or rounding. It
  /// follows from the tolerances of the components, projected on w_N.
  double resolution(Index contact, bool velocity) const;

 private:
  bool shows_gaps_only() const;
  void follow_sides();

  FrozenMotion& motion_;
  const IntegratedStep& step_;
  const Vector& atol_;
  ChebyshevInterpolation interpolation_;
  std::vector<Observation> seen_;  // kNodes + 1 of them
  Matrix states_;
  Matrix sides_;  // (nc, kNodes + 1)
  bool gaps_only_ = false;
  long version_ = -1;  // version of the step
};

}  // namespace nsmb
