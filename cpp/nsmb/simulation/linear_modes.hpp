// Constant matrices of frozen contact states of a linear system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "nsmb/integration/linear_flow.hpp"

namespace nsmb {

/// The matrices of one contact state.
struct LinearMode {
  LinearOde ode;
  Matrix observables;       // (n_z, kObservables nc): observables = Cᵀ z, z = (q, u, x, w(t))
  Matrix position_drift;    // (r, n_z) g of the closed normal rows
  Matrix velocity_drift;    // (v, n_z) γ of all constraint rows
  Matrix project_position;  // (nq, r)
  Matrix project_velocity;  // (nu, v)
  Vector drift;             // scratch, max(r, v)
  std::vector<Index> slipping;

  std::size_t bytes() const;
};

/// A cache of the matrices of earlier contact states. When there is no more room, the least
/// recently used ones are dropped first.
class LinearModes {
 public:
  using Key = std::vector<int>;

  /// Return the matrices of a state, or nullptr if they are not, or no longer, in the cache.
  LinearMode* find(const Key& key);
  /// Add matrices, and make room for them first. `present` is kept, whatever its size.
  LinearMode* add(const Key& key, LinearMode made, const LinearMode* present, LinearFlow& flow);
  /// Reduce the cache for a run that starts anew.
  void shrink(LinearFlow& flow);

  std::size_t count() const { return modes_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    LinearMode mode;
    std::size_t bytes = 0;
    std::uint64_t used = 0;  // time of the last use
  };
  void forget(std::size_t room, const LinearMode* present, LinearFlow& flow);

  std::map<Key, Kept> modes_;
  std::size_t bytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace nsmb
