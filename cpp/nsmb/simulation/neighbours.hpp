// Neighbouring states, close enough for differences and far enough for their rounding.
#pragma once

#include <limits>

#include "nsmb/simulation/phase.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The reference sizes of the components of y = (q, u, x) from the motion so far. Also pairs of
/// states on both sides of a given one.
class Neighbours {
 public:
  explicit Neighbours(const System& system);

  void clear();
  /// Record that the motion has been at y.
  void see(const ConstVectorRef& y) { scale_ = scale_.cwiseMax(y.cwiseAbs()); }
  /// Record the displacement `way` in a step of length h.
  void see_way(const ConstVectorRef& way, double h);

  /// Return the reference size of a component.
  double size(Index i) const;
  /// Return the time in which the motion changes some component by its size. It is at most the
  /// longest step, because a system at rest may still be driven.
  double flow_time(const ConstVectorRef& rate) const;
  /// Set y_plus and y_minus on both sides of y along component i, and return their distance.
  double vary(const ConstVectorRef& y, Index i,
              double longest = std::numeric_limits<double>::infinity());
  /// Do the same along the motion, with t_plus and t_minus.
  double vary_along(double t, const ConstVectorRef& y, const ConstVectorRef& rate);

  Vector y_plus, y_minus;  // (ny)
  double t_plus = 0.0, t_minus = 0.0;

 private:
  const System& system_;
  Vector scale_;               // (ny) largest size of each component so far
  Vector reach_;               // (ny) largest displacement of each component in a step
  double longest_step_ = 0.0;  // s
};

}  // namespace nsmb
