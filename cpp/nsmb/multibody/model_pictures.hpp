// Positions of the parts of a model, for drawing and for reports.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/multibody/model_system.hpp"

namespace nsmb {

struct ModelWorkspace;
struct SurfacePoint;

/// Return all markers in the inertial frame. Throws std::invalid_argument for a wrong size of q.
std::vector<Frame> marker_frames(const ModelSystem& system, double t, const ConstVectorRef& q);

/// Contact points and the directions of λ_N and λ_T there, inertial components, (3, nc). They are
/// those on body 1, or on body 2 if body 1 is the environment. NaN without contact point.
struct ContactPlaces {
  Matrix r, n, t;
};

/// Contact points of single instants, for a system that outlives this object.
class ContactPlacer {
 public:
  explicit ContactPlacer(const ModelSystem& system);

  /// Return the contact points. Contact points that come and go are searched anew, regardless of
  /// previous slots.
  const ContactPlaces& at(double t, const ConstVectorRef& q);
  /// Return the slots of the last instant (nc).
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
