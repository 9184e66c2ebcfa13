// What a system does without loads.
#pragma once

#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// Forces h = h_0 + h_1 in two parts: h_0 are gyroscopic terms and what prescribed motions do, h_1
/// are loads. M u̇ = h_0 + W_B λ_B is the free motion. Nothing of it is asked for where it is
/// `Whole`.
class FreeMotion {
 public:
  enum class Kind {
    Closed,  // free bodies; all other velocities are rates of coordinates, and constant
    Bent,    // anything else
    Whole,   // stiff forces among it, as those of elastic bodies: it is not taken apart
  };

  virtual ~FreeMotion() = default;
  virtual Kind kind() const = 0;
  /// It keeps the kinetic energy of each clique: nothing is prescribed in time.
  virtual bool keeps_energy() const = 0;
  /// The kinetic energy of each clique in J; of a motion that is `Bent`, as the next one.
  virtual void kinetic_energies(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef energies, SystemWorkspace& work) const = 0;
  /// Of M (nu).
  virtual void mass_diagonal(double t, const ConstVectorRef& q, VectorRef diagonal,
                             SystemWorkspace& work) const = 0;
  /// Cliques that loads act on which depend on places or velocities, those that the same load acts
  /// on together.
  virtual std::vector<std::vector<Index>> loaded() const = 0;
  /// h_0 (nu).
  virtual void gyroscopic_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 VectorRef h, SystemWorkspace& work) const = 0;
  /// h_1 (nu).
  virtual void loads(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                     const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const = 0;
};

}  // namespace nsmb
