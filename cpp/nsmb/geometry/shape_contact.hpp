// All points at which two shapes touch or nearly touch.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/geometry/shape.hpp"

namespace nsmb {

struct ShapeContact {
  double g_N = 0.0;  // m, (r_2 - r_1)ᵀ normal; negative in penetration
  Vector3 r_1 = Vector3::Zero(), r_2 = Vector3::Zero();  // m, on the two surfaces
  Vector3 normal = Vector3::UnitZ();                     // unit, from 1 to 2
  Index feature_1 = 0, feature_2 = 0;
};

/// Data of one pair kept between searches; may be discarded at any time.
struct PairHint {
  Vector3 axis =
      Vector3::Zero();  // last separating axis, in the frame of the shape that comes first
};

/// Scratch of one thread.
class ContactScratch {
 public:
  ContactScratch();
  ~ContactScratch();
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

/// Return true if contacts of the two kinds are supported, which excludes two half-spaces.
bool can_touch(ShapeKind kind_1, ShapeKind kind_2);

/// Append all contact points with g_N <= `reach` to `out`, in an order that depends only on the
/// poses. The least g_N is the signed distance of the two shapes: the distance between them, or
/// minus the shortest way out. Allocates nothing once the scratch has grown. `hint` may be null.
void contact_points(const Shape& shape_1, const Placement& pose_1, const Shape& shape_2,
                    const Placement& pose_2, double reach, ContactScratch& scratch, PairHint* hint,
                    std::vector<ShapeContact>& out);

}  // namespace nsmb
