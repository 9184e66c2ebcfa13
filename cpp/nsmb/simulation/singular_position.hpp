// Passage through a position in which the constraints of a mechanism lose their independence: dead
// centres, links that fold onto each other.
#pragma once

#include <memory>

#include "nsmb/simulation/constraints.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The demands of the constraints at a singular position: Q Qᵀ, velocities and accelerations. The
/// motion passes the position on its branch, as momentum requires. Along the branch the demands are
/// smooth, and have a limit at the position. It is interpolated between eight points of the branch
/// where the constraints are independent. The points are reached along the velocity on both sides,
/// neglecting the unknown acceleration. The error is even in time and vanishes to the order of the
/// formula.
class SingularPosition {
 public:
  explicit SingularPosition(const System& system);

  enum class Kind {
    Passing,    // independent on both sides: `continuation` is valid
    Permanent,  // as weak on both sides as here
    Unknown,    // at rest, or no branch is found
  };
  /// Classify the position (t, q, u), where `here` has weak constraints.
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
