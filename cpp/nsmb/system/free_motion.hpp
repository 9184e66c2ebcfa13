// The motion of a system without loads.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// The forces h = h_0 + h_1 in two parts: h_0 are gyroscopic terms and effects of prescribed
/// motions, and h_1 are loads. M u̇ = h_0 + W_B λ_B is the free motion. If it is `Whole`, its
/// forces are not evaluated.
class FreeMotion {
 public:
  enum class Kind {
    Closed,  // free bodies; all other velocities are coordinate rates, and constant
    Bent,    // anything else
    Whole,   // with stiff forces, as of elastic bodies: not separated
  };

  virtual ~FreeMotion() = default;
  virtual Kind kind() const = 0;
  /// Return true if the kinetic energy of each clique is conserved, without prescribed motion in
  /// time.
  virtual bool keeps_energy() const = 0;
  /// Compute the kinetic energy of each clique in J. Only for a `Bent` motion, like the next
  /// function.
  virtual void kinetic_energies(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef energies, SystemWorkspace& work) const = 0;
  /// Compute the diagonal of M (nu).
  virtual void mass_diagonal(double t, const ConstVectorRef& q, VectorRef diagonal,
                             SystemWorkspace& work) const = 0;
  /// Return the cliques under loads that depend on positions or velocities, grouped by common
  /// loads.
  virtual std::vector<std::vector<Index>> loaded() const = 0;
  /// Compute h_0 (nu).
  virtual void gyroscopic_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 VectorRef h, SystemWorkspace& work) const = 0;
  /// Compute h_1 (nu).
  virtual void loads(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const = 0;
};

}  // namespace nsmb
