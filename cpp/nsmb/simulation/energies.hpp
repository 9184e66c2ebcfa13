// Energies and powers of a system at given states, for the balance of a run.
#pragma once

#include "nsmb/system/system.hpp"

namespace nsmb {

/// One row per state.
struct Energies {
  Vector kinetic;         // ½ uᵀMu, J
  Vector potential;       // V(q, t), J; NaN when the system does not know it
  Vector power;           // uᵀh without force elements, W
  Vector element_power;   // of the force elements on the system, W
  Vector element_energy;  // what their springs hold, J
  Matrix momentum;        // (nu, rows) M u
};

/// At times t (k) and states y (ny, k), force elements in modes (ne, k), 0 or 1, under inputs
/// (ni, k). Throws std::invalid_argument for wrong sizes.
Energies evaluate_energies(const System& system, const ConstVectorRef& t, const ConstMatrixRef& y,
                           const ConstMatrixRef& modes, const ConstMatrixRef& inputs);

}  // namespace nsmb
