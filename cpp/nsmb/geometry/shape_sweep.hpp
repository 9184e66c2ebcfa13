// Two moving shapes: whether one would pass through the other before the next contact search.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/geometry/shape_contact.hpp"

namespace nsmb {

/// Pose and motion of a shape: v of its origin and Omega are constant.
struct ShapeMotion {
  Placement pose;
  Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();

  Placement after(double time) const;
};

/// Return how far a rotation about its own origin moves the points of a shape, m.
double reach_of(const Shape& shape);

/// Return the radius of the largest ball within a shape, or a slightly smaller one, m; infinite for
/// a half-space. For triangle surfaces, return the penetration up to which contacts are found.
double depth_of(const Shape& shape);

/// Return the share of a shape in depths, m: the sum for two shapes is at most their common depth.
/// `least`: minimum over all shapes if some are triangle surfaces, otherwise infinite.
double share_of_depth(const Shape& shape, double depth, double least);

/// A moving shape.
struct MovingShape {
  const Shape& shape;
  const ShapeMotion& motion;
  double reach = 0.0, depth = 0.0, share = 0.0;  // of reach_of, depth_of, share_of_depth

  bool is_convex() const { return shape.kind() < ShapeKind::HeightField; }

  /// Upper bound of the speed of its points, m/s.
  double speed() const;
};

/// Return the penetration up to which contacts of the two are found, m.
double common_depth(const MovingShape& a, const MovingShape& b);

/// A step, and the times of contact searches in it and in the next one.
struct StepWindow {
  double step = 0.0;
  double look = 0.0;       // s after the start of each step
  double tolerance = 0.0;  // m: a gap smaller than this is closed
};

struct PairTouch {
  double time = std::numeric_limits<double>::infinity();   // s; infinite: none
  double brief = std::numeric_limits<double>::infinity();  // s in which the penetration stays
                                                           // within the sure depth

  bool exists() const { return time < std::numeric_limits<double>::infinity(); }
};

/// Workspace of one thread.
///
/// Conservative advancement: two convex shapes that a plane separates by g do not meet before g
/// over the speed at which they approach it. Other shapes do not meet before g over the speed of
/// their points.
class ShapeSweep {
 public:
  /// Return the first time within the step at which the two touch, if the next search would be too
  /// late: if by then they have passed through each other, or are so deep that directions are
  /// uncertain. No touch is returned if that search finds them correctly, or if they touch from the
  /// start and approach slowly.
  PairTouch touch(const MovingShape& a, const MovingShape& b, const StepWindow& window);

  /// Return true if the displacement of this shape in a step is so large that it may pass through
  /// another one.
  static bool is_fast(const MovingShape& a, double step);

 private:
  struct Look {
    double g_N = 0.0;   // m
    double rate = 0.0;  // m/s, the least of all closed points
    Vector3 normal = Vector3::UnitZ();
    bool near = false;  // within the requested reach
  };

  /// An interval in which two surfaces penetrate each other deeper than `level`.
  struct Dip {
    double level = 0.0, lowest = 0.0;                         // m
    double before = 0.0;                                      // s, last time before it
    double behind = std::numeric_limits<double>::infinity();  // s, first time after it
    bool is_closed = false;
  };

  Look look(const MovingShape& a, const MovingShape& b, double time, double reach,
            double tolerance);
  bool is_sure(const MovingShape& a, const MovingShape& b, const StepWindow& window, double touch,
               const Vector3& normal, double deepest);
  PairTouch touch_surface(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                          double fastest, double deepest);
  double meeting(const MovingShape& a, const MovingShape& b, const StepWindow& window,
                 double fastest, const Dip& dip);
  bool turns(const MovingShape& a, const MovingShape& b, const StepWindow& window, double fastest,
             const Dip& dip, const Look& there);

  ContactScratch scratch_;
  std::vector<ShapeContact> points_;
};

}  // namespace nsmb
