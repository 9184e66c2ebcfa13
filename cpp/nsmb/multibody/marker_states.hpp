// The markers of a model where its tree is.
#pragma once

#include <vector>

#include "nsmb/multibody/kinematics.hpp"

namespace nsmb {

/// Workspace. Each is computed when it is first asked for: an instant needs few of them.
class MarkerStates {
 public:
  /// Of a tree in its workspace; all three stay where they are.
  MarkerStates(const Tree& tree, const std::vector<Marker>& markers, const TreeWorkspace& work);

  std::size_t size() const { return states_.size(); }
  const MarkerKinematics& operator[](std::size_t k) const {
    if (known_[k] < instant_) find(k);
    return states_[k];
  }
  /// To be moved and brought back, for differences.
  MarkerKinematics& vary(std::size_t k) {
    (*this)[k];
    return states_[k];
  }
  /// The tree is elsewhere.
  void leave() { ++instant_; }

 private:
  void find(std::size_t k) const;

  const Tree& tree_;
  const std::vector<Marker>& markers_;
  const TreeWorkspace& work_;
  mutable std::vector<MarkerKinematics> states_;
  mutable std::vector<long> known_;  // at which instant
  long instant_ = 1;
};

}  // namespace nsmb
