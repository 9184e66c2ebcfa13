// Laws of contact over one step with its forces as unknowns, on the level of gaps, of their rates,
// or between them, with friction at the end of the step. With Λ = h λ,
//
//   ρ_N = (1 - σ) 2/h g_N(q_{n+1}) + σ γ_N(q_{n+1}, u_{n+1}),   0 <= ρ_N ⟂ Λ_N >= 0,   (5.22),
//   (5.35) -γ_T(q_{n+1}, u_{n+1}) ∈ N_C(Λ_T),   C = {|Λ_T| <= μ Λ_N + h β}
//
// linearised where the last forces have led, ρ <- ρ + W_{n+1}ᵀ W_{q,u} (λ - λ_k).
#pragma once

#include <vector>

#include "nsmb/stepping/runge_kutta_step.hpp"
#include "nsmb/stepping/step_book.hpp"
#include "nsmb/stepping/step_laws.hpp"
#include "nsmb/stepping/time_stepping_options.hpp"

namespace nsmb {

/// Workspace.
class ForceLaws {
 public:
  /// σ = `share`: 0 gaps, 1 rates.
  ForceLaws(Mechanics& mechanics, const TimeSteppingOptions& options, double share);

  /// A step of length h; of contacts friction alone takes part in it.
  void begin(double h);
  /// This one, too. False: it does already.
  bool take(Index contact);
  /// Takes the values of all laws where `mechanics` stands, at the end of the step. Contacts that
  /// are none there have no part and no impulses any more; true: with some that have led there.
  bool look(Vector& Lambda_N, Vector& Lambda_T);
  /// Takes contacts that their laws, without impulses, forbid to leave out. False: there are none.
  bool take_forbidden();
  /// Rows of the contacts that take part, with their directions where `mechanics` stands.
  const std::vector<Index>& find_rows();
  /// G of the map of these rows.
  void linearise(const Matrix& W_q, const Matrix& W_u);
  /// From these impulses, which led to the last look(), to those of the linearised laws.
  void solve(Vector& Lambda_N, Vector& Lambda_T);

  /// What these impulses leave of the laws at the last look(), m/s; infinite before linearise().
  double defect(const Vector& Lambda_N, const Vector& Lambda_T);
  /// How much may be left there, m/s: `tol` of the largest velocity without these impulses, and
  /// what rounding leaves of gaps between coordinates q.
  double allowed(const Vector& Lambda_N, const Vector& Lambda_T, const ConstVectorRef& q);
  /// The largest velocity without impulses, of the last allowed(), m/s.
  double largest() const { return largest_; }
  /// Contacts with more than that at the last defect().
  void list_missed(double allowed, std::vector<Index>& missed) const;
  /// States of contacts under these impulses.
  void decide(const Vector& Lambda_N, ContactStates& states);

  const std::vector<Index>& contacts() const { return list_; }
  /// Of the last solve().
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
  Vector bound_, mu_;               // (nc) h β, N s, and μ there
  Matrix directions_;               // (nu, rows) there
  Matrix G_;                        // (nc + nt, nc + nt)
  StepVelocities v_;                // end_T is γ_T there, free_N and free_T are without impulses
  Vector defects_;                  // (nc) of the last defect(), m/s
  ContactSolver solver_;
  StepImpulses impulses_;
};

}  // namespace nsmb
