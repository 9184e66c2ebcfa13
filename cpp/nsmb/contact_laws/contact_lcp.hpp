// The complementarity problems of the contact laws: assembled in place, solved, scaled back.
#pragma once

#include <map>

#include "nsmb/complementarity/enumeration.hpp"
#include "nsmb/complementarity/lemke.hpp"

namespace nsmb {

/// (6.35), (8.87) and (8.97) are positively homogeneous: with Delassus blocks divided by `scale_G`
/// and b by `scale_b`, impulses come back as x scale_b / scale_G and velocities as x scale_b. The
/// solver then sees numbers of order one, whatever the units and however small the impact.
class ContactLcp {
 public:
  struct Slot {
    Matrix A;
    Vector b;
    LcpResult result;
    LemkeWorkspace workspace;
  };

  /// A and b of size n, zeroed; storage is kept per size, so a size seen before allocates nothing.
  Slot& slot(Index n);

  /// Lemke; when it finds nothing and n is small, enumeration decides. Result in slot.result.
  void solve(Slot& slot);

 private:
  std::map<Index, Slot> slots_;
};

}  // namespace nsmb
