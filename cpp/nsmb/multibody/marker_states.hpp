// Kinematics of the markers of a model at the current state of its tree.
#pragma once

#include <vector>

#include "nsmb/multibody/kinematics.hpp"

namespace nsmb {

/// Workspace for markers. Each marker is computed on first request, since an instant needs few of
/// them.
class MarkerStates {
 public:
  /// Construct the states for a tree and its workspace. All arguments outlive this object unmoved.
  MarkerStates(const Tree& tree, const std::vector<Marker>& markers, const TreeWorkspace& work);

  std::size_t size() const { return states_.size(); }
  const MarkerKinematics& operator[](std::size_t k) const {
    if (known_[k] < instant_) find(k);
    return states_[k];
  }
  /// Return a marker for modification, for finite differences. The caller restores it.
  MarkerKinematics& vary(std::size_t k) {
    (*this)[k];
    return states_[k];
  }
  /// Invalidate all markers after a change of the tree.
  void leave() { ++instant_; }

 private:
  void find(std::size_t k) const;

  const Tree& tree_;
  const std::vector<Marker>& markers_;
  const TreeWorkspace& work_;
  mutable std::vector<MarkerKinematics> states_;
  mutable std::vector<long> known_;  // instant at which each is known
  long instant_ = 1;
};

}  // namespace nsmb
