// Interface of the motion within one step.
#pragma once

#include <functional>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A function of (t, y).
using TimedFunction = std::function<double(double, const ConstVectorRef&)>;

class StepMotion {
 public:
  virtual ~StepMotion() = default;
  /// Compute the state (q, u, x) at the fraction s of the step, 0 <= s <= 1.
  virtual void state_at(double s, VectorRef y) = 0;
  /// Start and end of the step, in s.
  virtual double t_old() const = 0;
  virtual double t() const = 0;
  /// Duration of the step, in s, with more digits than t() - t_old() at late times.
  virtual double duration() const = 0;
};

}  // namespace nsmb
