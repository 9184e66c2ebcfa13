// The motion within one step, for whoever looks at it.
#pragma once

#include <functional>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// A function of (t, y).
using TimedFunction = std::function<double(double, const ConstVectorRef&)>;

class StepMotion {
 public:
  virtual ~StepMotion() = default;
  /// The state (q, u, x) at the part s of the step, 0 <= s <= 1.
  virtual void state_at(double s, VectorRef y) = 0;
  /// Where the step began, and where it ended, s.
  virtual double t_old() const = 0;
  virtual double t() const = 0;
  /// How long it took, s; more digits than t() - t_old() has at late times.
  virtual double duration() const = 0;
};

}  // namespace nsmb
