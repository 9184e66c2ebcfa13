// All quantities that are observed or stored at one instant.
#pragma once

#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Columns of an (nc, kObservables) matrix with the quantities of all contacts at one instant. With
/// two tangential directions these are the speed, its rate, and the force against the slip or its
/// magnitude.
enum Observable : Index {
  kGap,        // g_N, m
  kGammaN,     // γ_N, m/s
  kGammaT,     // γ_T, |γ_T|, m/s
  kLambdaN,    // λ_N, N
  kLambdaT,    // λ_T; slip in a plane: λ_Tᵀγ_T/|γ_T|; stick in a plane: |λ_T|, N
  kGammaDotN,  // γ̇_N, m/s²
  kGammaDotT,  // γ̇_T, d|γ_T|/dt, m/s²
  kRadius,     // bound of the friction force, N
  kObservables
};

struct Observation {
  Observation() = default;
  explicit Observation(const System& system);
  Matrix contacts;                                      // (nc, kObservables)
  Vector gamma_T, lambda_T;                             // (nt)
  Vector lambda_B;                                      // (nb) of the bilateral constraints
  Vector element_gamma, element_force, element_switch;  // (ne)
  Vector domain, margin;                                // (nc) as in ContactKinematics
  Vector approach;           // (nc) g_N, also of contact points beyond their features
  double regularity = 1.0;   // determinant of the frozen equations relative to the start
  double drive_power = 0.0;  // W, of moving contacts and constraints: -λᵀw̃
  bool lasts = true;         // the law, if it is solved, still gives the frozen state
};

}  // namespace nsmb
