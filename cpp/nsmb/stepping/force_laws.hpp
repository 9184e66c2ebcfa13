// Contact laws over one step with its forces as unknowns, on position level, on velocity level, or
// between them, with friction at the end of the step. With Λ = h λ,
//
//   ρ_N = (1 - σ) 2/h g_N(q_{n+1}) + σ γ_N(q_{n+1}, u_{n+1}),   0 <= ρ_N ⟂ Λ_N >= 0,   (5.22),
//   (5.35) -γ_T(q_{n+1}, u_{n+1}) ∈ N_C(Λ_T),   C = {|Λ_T| <= μ Λ_N + h β}
//
// linearised at the end of the step under the last forces, ρ <- ρ + W_{n+1}ᵀ W_{q,u} (λ - λ_k).
#pragma once

#include <vector>

#include "nsmb/stepping/runge_kutta_step.hpp"
#include "nsmb/stepping/step_energies.hpp"
#include "nsmb/stepping/step_laws.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

/// A workspace for the contact laws of force-based schemes.
class ForceLaws {
 public:
  /// σ = `share`: 0 for gaps, 1 for rates.
  ForceLaws(Mechanics& mechanics, const TimeSteppingOptions& options, double share);

  /// Start a step of length h. At first only friction-only contacts take part.
  void begin(double h);
  /// Add a contact to the step. Return false if it already takes part.
  bool take(Index contact);
  /// Evaluate all laws at the state of `mechanics`, the end of the step. Contacts that are not
  /// valid there are removed and lose their impulses. Return true if any of these was not zero.
  bool look(Vector& Lambda_N, Vector& Lambda_T);
  /// Add contacts that violate their laws without impulses. Return false if there are none.
  bool take_forbidden();
  /// Return the rows of the contacts that take part, and store their directions at the state of
  /// `mechanics`.
  const std::vector<Index>& find_rows();
  /// Compute G from the map of these rows.
  void linearise(const Matrix& W_q, const Matrix& W_u);
  /// Replace the impulses of the last look() by those of the linearised laws.
  void solve(Vector& Lambda_N, Vector& Lambda_T);

  /// Return the residual of the laws under these impulses at the last look(), in m/s. It is
  /// infinite before linearise().
  double defect(const Vector& Lambda_N, const Vector& Lambda_T);
  /// Return the residual that is allowed there, in m/s: `tol` times the largest velocity without
  /// these impulses, plus the rounding of gaps at coordinates q.
  double allowed(const Vector& Lambda_N, const Vector& Lambda_T, const ConstVectorRef& q);
  /// The largest velocity in m/s without impulses, from the last allowed().
  double largest() const { return largest_; }
  /// List the contacts whose residual exceeded `allowed` at the last defect().
  void list_missed(double allowed, std::vector<Index>& missed) const;
  /// Set the states of the contacts under these impulses.
  void decide(const Vector& Lambda_N, ContactStates& states);

  const std::vector<Index>& contacts() const { return list_; }
  /// Impulses of the last solve().
  const StepImpulses& impulses() const { return impulses_; }

 private:
  bool is_rough(Index contact) const;
  void find_free(const Vector& Lambda_N, const Vector& Lambda_T);
  double defect_N(Index contact, const Vector& Lambda_N) const;
  double defect_T(Index contact, const Vector& Lambda_N, const Vector& Lambda_T) const;

  Mechanics& mechanics_;
  const TimeSteppingOptions& options_;
  const double share_;
  double h_ = 0.0;
  bool is_linearised_ = false;
  double largest_ = 0.0;
  std::vector<Index> list_, rows_;  // contacts, ascending, and their rows
  Vector rho_N_;                    // (nc) at the last look(), m/s
  Vector bound_, mu_;               // (nc) h β in N s, and μ, at the last look()
  Matrix directions_;               // (nu, rows) at the last look()
  Matrix G_;                        // (nc + nt, nc + nt)
  StepVelocities v_;                // end_T at the last look(); free_N, free_T: no impulses
  Vector defects_;                  // (nc) of the last defect(), m/s
  ContactSolver solver_;
  StepImpulses impulses_;
};

}  // namespace nsmb
