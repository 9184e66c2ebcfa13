// Where the parts of a model are, for drawing and for reports.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/multibody/model_system.hpp"

namespace nsmb {

struct ModelWorkspace;
struct SurfacePoint;

/// Of all markers in the inertial frame. Throws std::invalid_argument for a wrong size of q.
std::vector<Frame> marker_frames(const ModelSystem& system, double t, const ConstVectorRef& q);

/// Contact points and the directions in which λ_N and λ_T act there, inertial components, (3, nc):
/// those on body 1, or on body 2 where the first is the environment. NaN without contact point.
struct ContactPlaces {
  Matrix r, n, t;
};

/// Finds them instant by instant; the system lives as long as this.
class ContactPlacer {
 public:
  explicit ContactPlacer(const ModelSystem& system);

  /// Contact points that come and go are found anew, whatever slots held them before.
  const ContactPlaces& at(double t, const ConstVectorRef& q);
  /// (nc) slots of the last instant.
  const std::vector<ContactFeature>& slots() const { return contacts_.features.slots; }

 private:
  bool has_point(Index i) const;
  void place_contours(const ModelWorkspace& work);
  void place_surfaces(ModelWorkspace& work);
  void put(Index i, const SurfacePoint& point);

  const ModelSystem& system_;
  ContactKinematics contacts_;
  std::unique_ptr<SystemWorkspace> work_;
  Vector rest_;  // (nu)
  ContactPlaces places_;
};

}  // namespace nsmb
