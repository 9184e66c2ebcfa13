// What is watched while a contact state lasts: functions that are not negative as long as it does.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"

namespace nsmb {

/// Quantities of all contacts at one instant: an (nc, 7) matrix with these columns.
enum Observable : Index {
  kGap,        // g_N, m
  kGammaN,     // γ_N, m/s
  kGammaT,     // γ_T, m/s
  kLambdaN,    // λ_N, N
  kLambdaT,    // λ_T, N
  kGammaDotN,  // γ̇_N, m/s²
  kGammaDotT,  // γ̇_T, m/s²
  kObservables
};

enum class IndicatorKind {
  Gap,              // open: g_N
  NormalForce,      // closed: λ_N
  SlipVelocity,     // sliding: sign γ_T
  ReservePositive,  // sticking: μ λ_N - λ_T, slip to the negative side when it is used up
  ReserveNegative,  // sticking: μ λ_N + λ_T
  RestVelocity,     // at rest without friction: tolerance - sign γ_T
};

struct Indicator {
  IndicatorKind kind;
  Index contact;
  double sign = 1.0;    // SlipVelocity, RestVelocity: direction
  double offset = 0.0;  // RestVelocity: tolerance
  Index zeros = 0;      // order of its zero at the start of the phase
};

/// The functions to watch in a frozen contact state.
void list_indicators(const FrozenRoles& roles, const std::vector<bool>& frictionless,
                     const std::vector<bool>& tangential_direction,
                     std::vector<Indicator>& indicators);

/// One row: weights of the seven observables of the contact.
Eigen::Matrix<double, 1, kObservables> weights(const Indicator& indicator, double mu);

double value(const Indicator& indicator, double mu, const ConstMatrixRef& observables);

}  // namespace nsmb
