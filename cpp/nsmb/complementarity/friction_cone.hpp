// Friction cones of one contact: sets of tangential, rolling and drilling impulses whose radii grow
// with one normal impulse.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb::internal {

/// A set |x_k| <= mu x_N of a contact, of one or two rows.
struct ConeSet {
  Index first = 0;  // counted from the normal row
  Index dim = 0;
  double mu = 0.0;
};

/// Return the length of a set's part of z.
double set_size(const ConeSet& set, const double* z);

/// Replace z by the nearest point of {x : x_N >= 0, |x_k| <= mu_k x_N}. z[0] is the normal entry,
/// and `sets` at most three. The result is exact: the distance is convex and piecewise quadratic in
/// x_N. Return true if z was already in the set.
bool project_cone(const ConeSet* sets, Index count, double* z);

}  // namespace nsmb::internal
