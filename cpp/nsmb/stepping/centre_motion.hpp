// Steps of free bodies by their centres of mass S at r_S = r + A c, wherever the origins of their
// frames are. M couples v = ṙ and ω by c and turns with the body; that of v_S = v + A (ω × c) and ω
// is constant, so that
//
//   v_S,k+1 = v_S,k + h F_S / m,   r_S,k+1 = r_S,k + h v̄_S
//
// and a body that spins by radians in a step neither leaves its parabola nor changes its energy.
#pragma once

#include <vector>

#include "nsmb/system/free_bodies.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Of the free bodies whose c is not zero; for all others nothing changes.
class CentreMotion {
 public:
  explicit CentreMotion(const System& system);

  /// u (nu) at q becomes that at q_next with the same v_S.
  void transfer(const ConstVectorRef& q, const ConstVectorRef& q_next, VectorRef u) const;
  /// q_next is q moved by h with u, origins by h v: they are put to where r_S has moved by h v_S,
  /// which is that of u at q_u.
  void follow(const ConstVectorRef& q, const ConstVectorRef& q_u, const ConstVectorRef& u, double h,
              VectorRef q_next) const;
  /// h u̇ of M u̇ = F at q becomes that of velocities with v_S: += h A (ω × (ω × c)).
  void add_turning(const ConstVectorRef& q, const ConstVectorRef& u, double h,
                   VectorRef change) const;

 private:
  std::vector<FreeBody> bodies_;
};

}  // namespace nsmb
