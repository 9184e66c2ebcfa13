// Energies and powers of a system at given states, for the balance of a run.
#pragma once

#include "nsmb/system/system.hpp"

namespace nsmb {

/// The energies and powers, one row per state.
struct Energies {
  Vector kinetic;         // ½ uᵀMu, J
  Vector potential;       // V(q, t), J; NaN if the system does not provide it
  Vector power;           // uᵀh without force elements, W
  Vector element_power;   // of the force elements on the system, W
  Vector element_energy;  // stored in their springs, J
  Matrix momentum;        // (nu, rows) M u
};

/// Evaluate the energies at times t (k) and states y (ny, k), with force elements in modes (ne, k),
/// 0 or 1, and inputs (ni, k). Throws std::invalid_argument for wrong sizes.
Energies evaluate_energies(const System& system, const ConstVectorRef& t, const ConstMatrixRef& y,
                           const ConstMatrixRef& modes, const ConstMatrixRef& inputs);

}  // namespace nsmb
