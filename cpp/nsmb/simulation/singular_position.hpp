// Where a mechanism passes a position in which its constraints lose their independence: dead
// centres, links that fold onto each other.
#pragma once

#include <memory>

#include "nsmb/simulation/constraints.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The motion through a singular position goes on along the branch it is on: momentum says so. What
/// the constraints demand of it, Q Qᵀ, velocities and accelerations, is smooth along the branch,
/// and at the position itself the limit. Here it is interpolated between eight places of the
/// branch, reached along the velocity on both sides, where the constraints are independent. The
/// error of the places, whose acceleration is not known, is even in time and leaves at the order of
/// the formula.
class SingularPosition {
 public:
  explicit SingularPosition(const System& system);

  enum class Kind {
    Passing,    // independent on both sides: `continuation` holds
    Permanent,  // as weak on both sides
    Unknown,    // at rest, or no branch is found
  };
  /// At (t, q, u), where `here` has constraints that are weak.
  Kind look_around(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstraintProjection& here);
  void set_inputs(const ConstVectorRef& values) { work_->set_inputs(values); }
  const ConstraintContinuation& continuation() const { return continuation_; }

 private:
  bool go(double t, double tau, const ConstVectorRef& q, const ConstVectorRef& u);
  double find_distance(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                       const ConstraintProjection& here);

  const System& system_;
  std::unique_ptr<SystemWorkspace> work_;
  Matrix M_;
  DenseCholesky llt_;
  ConstraintKinematics constraints_;
  ConstraintProjection projection_;
  ConstraintContinuation continuation_;
  Vector q_, qdot_, u_, gamma_, step_;
};

}  // namespace nsmb
