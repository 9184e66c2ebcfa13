// All places where two shapes touch or nearly do.
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

/// What one pair remembers from one search to the next; may be forgotten at any time.
struct PairHint {
  Vector3 axis =
      Vector3::Zero();  // the last one that parted them, in the frame of the shape taken first
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

/// Whether contacts of the two kinds are known: not between two half-spaces.
bool can_touch(ShapeKind kind_1, ShapeKind kind_2);

/// Appends all contact points with g_N <= `reach` to `out`, in an order that the poses alone
/// decide. The least g_N is the signed distance of the two shapes: what is between them, or the
/// shortest way out. Allocates nothing once the scratch has grown. `hint` may be null.
void contact_points(const Shape& shape_1, const Placement& pose_1, const Shape& shape_2,
                    const Placement& pose_2, double reach, ContactScratch& scratch, PairHint* hint,
                    std::vector<ShapeContact>& out);

}  // namespace nsmb
