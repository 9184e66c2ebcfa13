// What is watched while a contact state lasts: functions that are not negative as long as it does.
#pragma once

#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// Quantities of all contacts at one instant: an (nc, kObservables) matrix with these columns. Of
/// two tangential directions: speed, rate of the speed, and force against the slip or its size.
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

/// Everything that is looked at or stored at one instant.
struct Observation {
  Observation() = default;
  explicit Observation(const System& system);
  Matrix contacts;                                      // (nc, kObservables)
  Vector gamma_T, lambda_T;                             // (nt)
  Vector lambda_B;                                      // (nb) of the bilateral constraints
  Vector element_gamma, element_force, element_switch;  // (ne)
  Vector domain, margin;                                // (nc) as in ContactKinematics
  Vector approach;           // (nc) g_N, also of contact points beyond their features
  double regularity = 1.0;   // determinant of the frozen equations over that at the start
  double drive_power = 0.0;  // W, of moving contacts and constraints: -λᵀw̃
  bool lasts = true;         // does the law still give the frozen state? Known where it is asked
};

enum class IndicatorKind {
  Gap,              // open: g_N
  NormalForce,      // closed: λ_N
  SlipVelocity,     // sliding: sign γ_T
  ReservePositive,  // sticking: β + μ λ_N - λ_T, slip to the negative side when it is used up
  ReserveNegative,  // sticking: β + μ λ_N + λ_T
  RestVelocity,     // at rest without friction: tolerance - sign γ_T
  Switch,           // force element: its switch function
  Law,              // does the law still give the frozen state?
  Regularity,       // sliding friction makes the frozen equations singular (5.3)
  Approach,         // open, its point beyond its features: g_N. Within them where it vanishes?
  Domain,           // how far the contact point is from the end of its features, or beyond it
  Margin,           // are the candidates surely complete?
};

/// m: features reach this far beyond their ends. What touches at an end, where two corners meet, is
/// decided by the system.
inline constexpr double kOverrun = 1e-9;
/// m: an open contact point that comes counts from this far before its features on. Its arrival is
/// located in a kink of the domain, and not better than this.
inline constexpr double kComing = 1e-7;

struct Indicator {
  IndicatorKind kind;
  Index contact;        // Switch: the force element
  double sign = 1.0;    // SlipVelocity, RestVelocity: direction
  double offset = 0.0;  // RestVelocity, Switch, Domain: tolerance
  Index zeros = 0;      // order of its zero at the start of the phase
  double noise = 0.0;   // Gap: of g̈_N, forces: of their value; what never exceeds it is zero
};

/// The functions to watch in a frozen contact state.
void list_indicators(const FrozenRoles& roles, const System& system,
                     const ContactKinematics& contacts, const std::vector<bool>& frictionless,
                     const std::vector<bool>& tangential_direction,
                     std::vector<Indicator>& indicators);

/// One row: weights of the observables of the contact.
Eigen::Matrix<double, 1, kObservables> weights(const Indicator& indicator);

double value(const Indicator& indicator, const Observation& observation);

}  // namespace nsmb
