// What is seen on the last step: at its start and at the nodes of the interpolation.
#pragma once

#include <vector>

#include "nsmb/integration/chebyshev_interpolation.hpp"
#include "nsmb/simulation/frozen_motion.hpp"
#include "nsmb/simulation/integrated_step.hpp"

namespace nsmb {

/// Taken where they are asked for, once for each end of the step. Where all contacts are open, and
/// no gap is zero at the start, gaps alone are looked at.
class StepSamples {
 public:
  static constexpr Index kNodes = ChebyshevInterpolation::kDegree;

  /// `atol` (ny) of the integrator, as it is whenever it is asked for.
  StepSamples(FrozenMotion& motion, const IntegratedStep& step, const Vector& atol);

  /// All that follows is of the samples last taken.
  void take();
  bool are_taken() const { return version_ == step_.version(); }

  /// At node j, 0 ... kNodes.
  const Observation& operator[](Index j) const { return seen_[static_cast<std::size_t>(j)]; }
  /// (ny, kNodes + 1) the states there.
  const Matrix& states() const { return states_; }
  const ChebyshevInterpolation& interpolation() const { return interpolation_; }
  /// As much of (t, y) as of the samples.
  void look(double t, const ConstVectorRef& y, Observation& observation);
  /// Slip in a plane, of an observation behind a node: -1 where it has turned round since the start
  /// of the step, through zero.
  double side_of(Index contact, Index node, const Observation& observation) const;
  double side(Index contact, Index node) const { return sides_(contact, node); }
  /// Below this a value of g_N or γ_N is error of the integrator or rounding: the tolerances of the
  /// components, seen through w_N.
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
  long version_ = -1;  // of the step
};

}  // namespace nsmb
