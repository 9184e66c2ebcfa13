// Where the parts of a model are, for drawing.
#pragma once

#include <vector>

#include "nsmb/multibody/model_system.hpp"

namespace nsmb {

/// Of all markers in the inertial frame. Throws std::invalid_argument for a wrong size of q.
std::vector<Frame> marker_frames(const ModelSystem& system, double t, const ConstVectorRef& q);

/// Contact points and the directions in which λ_N and λ_T act there, inertial components, (3, nc):
/// those on body 1, or on body 2 where the first is the environment. NaN without contact point.
struct ContactPlaces {
  Matrix r, n, t;
};

ContactPlaces contact_places(const ModelSystem& system, double t, const ConstVectorRef& q);

}  // namespace nsmb
