// What a contact is to the laws: its parameters, and its relative kinematics at one instant.
#pragma once

#include <string>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Unilateral contact with Coulomb friction, and its impact law (chapters 6 and 8).
struct UnilateralContact {
  double mu = 0.0;   // friction coefficient; sticking, sliding and impacts share it
  double e_N = 0.0;  // normal restitution ε_N in [0, 1]
  double e_T = 0.0;  // tangential restitution ε_T in [0, 1], (8.37)
  double nu = 0.0;   // reversibility ν of the friction impulse in [0, 1], (8.37)
};

/// Throws std::invalid_argument naming `contact` and the parameter out of its range.
void check_law(const std::string& contact, const UnilateralContact& law);

struct ContactDescription {
  std::string name;
  UnilateralContact law;
};

/// Relative kinematics of all nc contacts: γ = Wᵀu + w̃ (4.38), γ̇ = Wᵀu̇ + w̄ (4.45).
struct ContactKinematics {
  ContactKinematics(Index nu, Index nc);

  Vector g_N;        // (nc) contact distance, m
  Matrix W_N, W_T;   // (nu, nc) generalized force directions
  Vector w_tilde_N;  // (nc) prescribed normal velocity, m/s
  Vector w_tilde_T;  // (nc) prescribed tangential velocity, m/s
  Vector w_bar_N;    // (nc) acceleration terms without u̇, m/s²
  Vector w_bar_T;    // (nc)
};

}  // namespace nsmb
