// States beside one, near enough for differences and far enough for their rounding.
#pragma once

#include <limits>

#include "nsmb/simulation/phase.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// What the components of y = (q, u, x) are measured by, from the motion so far, and pairs of
/// states on both sides of one.
class Neighbours {
 public:
  explicit Neighbours(const System& system);

  void clear();
  /// The motion has been at y.
  void see(const ConstVectorRef& y) { scale_ = scale_.cwiseMax(y.cwiseAbs()); }
  /// And has gone this way in a step of the length h.
  void see_way(const ConstVectorRef& way, double h);

  /// What a component is measured by.
  double size(Index i) const;
  /// The time in which the motion changes some component by its size, at most its longest step:
  /// what is at rest may still be driven.
  double flow_time(const ConstVectorRef& rate) const;
  /// y_plus and y_minus on both sides of y along component i; how far they are apart.
  double vary(const ConstVectorRef& y, Index i,
              double longest = std::numeric_limits<double>::infinity());
  /// The same along the motion, with t_plus and t_minus.
  double vary_along(double t, const ConstVectorRef& y, const ConstVectorRef& rate);

  Vector y_plus, y_minus;  // (ny)
  double t_plus = 0.0, t_minus = 0.0;

 private:
  const System& system_;
  Vector scale_;               // (ny) largest size of each component so far
  Vector reach_;               // (ny) longest way of each component in a step
  double longest_step_ = 0.0;  // s
};

}  // namespace nsmb
