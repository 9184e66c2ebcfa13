// Two shapes on their way: whether one would be through the other before anyone looks again.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/geometry/shape_contact.hpp"

namespace nsmb {

/// Where a shape is and how it goes on: v of its origin and Omega stay as they are.
struct ShapeMotion {
  Placement pose;
  Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();

  Placement after(double time) const;
};

/// m, how far a turn about its own origin moves the points of a shape.
double reach_of(const Shape& shape);

/// m, radius of the largest ball within a shape, or of one a little smaller; infinite for a
/// half-space; of surfaces of triangles how deep others may be in them and are still found.
double depth_of(const Shape& shape);

/// m, parts of depths: those of two shapes are together at most the depth that is common to them.
/// `least`: of all shapes where some are surfaces of triangles, else infinite.
double share_of_depth(const Shape& shape, double depth, double least);

/// A shape on its way.
struct MovingShape {
  const Shape& shape;
  const ShapeMotion& motion;
  double reach = 0.0, depth = 0.0, share = 0.0;  // of reach_of, depth_of, share_of_depth

  bool is_convex() const { return shape.kind() < ShapeKind::HeightField; }

  /// m/s, no point is faster.
  double speed() const;
};

/// m, how deep the two may be in each other and are still found.
double common_depth(const MovingShape& a, const MovingShape& b);

/// A step, and where in it and in the next one contacts are looked at.
struct StepWindow {
  double step = 0.0;
  double look = 0.0;       // s behind the begin of each step
  double tolerance = 0.0;  // m: a smaller gap is closed
};

struct PairTouch {
  double time = std::numeric_limits<double>::infinity();   // s; infinite: none
  double brief = std::numeric_limits<double>::infinity();  // s in which the pair comes no deeper
                                                           // into each other than is sure

  bool exists() const { return time < std::numeric_limits<double>::infinity(); }
};

/// Workspace of one thread.
///
/// Conservative advancement: two convex shapes that a plane parts by g do not meet before g over
/// the speed at which they close in on it; others not before g over the speed of their points.
class ShapeSweep {
 public:
  /// The first time within the step at which the two touch, where they would be through each other,
  /// or so deep that directions are not sure, at the next look. None where that look finds them
  /// as it should, and where they touch from the begin on and come closer slowly.
  PairTouch touch(const MovingShape& a, const MovingShape& b, const StepWindow& window);

  /// Whether the way of this shape in a step is so long that it may be through another one.
  static bool is_fast(const MovingShape& a, double step);

 private:
  struct Look {
    double g_N = 0.0;   // m
    double rate = 0.0;  // m/s, the least one of all points that are closed
    Vector3 normal = Vector3::UnitZ();
    bool near = false;  // within the reach asked for
  };

  /// Two surfaces that come deeper into each other than `level`.
  struct Dip {
    double level = 0.0, lowest = 0.0;                         // m
    double before = 0.0;                                      // s, the last time they were not
    double behind = std::numeric_limits<double>::infinity();  // s, the first time they were
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
