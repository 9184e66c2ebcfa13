// Steps that consist of a drift, a kick and a drift. Contacts may be listed in the description or
// occur between shapes that may touch anywhere, in any number.
//
//   (q_p, u⁻) = Φ_{h/2}(q_k, u_k),   A (u⁺ - u⁻) = h F(t_p, q_p, u⁻, x_k) + H Λ + W_B Λ_B,
//   (q_{k+1}, u_{k+1}) = Π Φ_{h/2}(q_p, u⁺)
//
// Φ is the free motion. Π projects persistent contacts onto their gaps and rates. Impacts occur at
// q_p between u⁻ and u⁺, as at an instant. The law of persistent contacts uses (u⁻ + u⁺)/2. Impacts
// of two phases and Newton impacts come before the forces, at q_p, with M.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_selection.hpp"
#include "nsmb/stepping/coupled_groups.hpp"
#include "nsmb/stepping/end_projection.hpp"
#include "nsmb/stepping/free_flow.hpp"
#include "nsmb/stepping/set_impact.hpp"
#include "nsmb/stepping/set_problem.hpp"
#include "nsmb/stepping/sleeping_groups.hpp"
#include "nsmb/stepping/step_loads.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/step_solver.hpp"
#include "nsmb/stepping/stepper.hpp"

namespace nsmb {

class Midpoint final : public Stepper {
 public:
  /// Throw std::invalid_argument for options and systems that this scheme does not support.
  Midpoint(Mechanics& mechanics, const TimeSteppingOptions& options);

  double longest(const RunState& from, double h) override;
  void step(const RunState& from, double h, StepOutcome& outcome) override;
  void forget() override;
  const FoundContacts* found() const override { return model_.finder() ? &found_ : nullptr; }
  double passed(const RunState& end) override;
  void watch(std::function<bool()> keep_going) override { solver_.watch(std::move(keep_going)); }
  void remember_as(const Stepper& other) override;
  void keep() override;
  void go_back() override;

 private:
  /// The role of a contact in a step.
  enum class Hold : std::int8_t { Strikes, Settles, Rolls, Slides };

  void remember(const RunState& from, double h);
  void look(const RunState& from, double h, StepOutcome& outcome);
  void hold(VectorRef held, Vector* Lambda_B);
  void add_drift_impulses(double h, StepOutcome& outcome);
  void find(double h);
  void settle_loads(double h, StepOutcome& outcome);
  bool decide_impulses(double h, StepOutcome& outcome);
  void start_from_solved();
  bool prepare(double h, StepOutcome& outcome);
  void roll_together();
  void measure();
  Hold hold_of(const FoundContact& contact) const;
  bool lasts(std::size_t k) const { return holds_[k] == Hold::Rolls || holds_[k] == Hold::Slides; }
  Vector before_impact() const;
  void collide(double h, StepOutcome& outcome);
  void add_impact(StepOutcome& outcome);
  void keep_states(double h, bool strikes, StepOutcome& outcome);
  void keep_gap(std::size_t k, const KnownContact& known);
  std::size_t place_of(const FoundContact& contact, Index i) const;
  KnownContact known_of(std::size_t k, double nothing) const;
  void keep_book(const FoundContact& contact, StepOutcome& outcome) const;
  void tell(StepOutcome& outcome);
  bool drift(double h, const ConstVectorRef& u, VectorRef y);
  void end(double h, StepOutcome& outcome);
  void rest(double h, StepOutcome& outcome);
  bool has_one_phase() const { return options_.impact_law == ImpactLaw::Moreau; }

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  StepPlace place_;
  ContactModel model_;
  FreeFlow flow_;
  StepInertia inertia_;
  StepLoads loads_;
  ContactSelection selection_;
  SetProblem problem_;
  EndProjection projection_;
  SleepingGroups groups_;
  CoupledGroups coupled_;
  std::vector<std::size_t> by_pair_;  // contacts of set_ sorted by pair, scratch
  ContactSet set_;
  std::vector<Hold> holds_;  // (contacts of set_)
  StepSolver solver_;
  SetImpact impact_;
  SparseFrictionResult result_;
  ContactMemory memory_;
  FoundContacts carried_, found_;  // impulses of all contacts of the step; those between shapes
  struct Middle {
    explicit Middle(const Mechanics& mechanics);

    double t = 0.0, t_end = 0.0;
    ConstraintKinematics constraints;
    Vector y;                               // (ny) state at which forces and contacts are evaluated
    Vector u_start, u_free;                 // (nu) at q_p
    Vector lambda_B;                        // (nb) N, scratch
    Vector change, x_start, end, x_change;  // scratch
    std::vector<FoundContact> solved;       // contacts of the last iteration
    Vector x_solved;                        // (rows) impulses of the contacts in `solved`
    std::vector<Index> rows;                // scratch
    bool is_fine = true;                    // drifts are accurate
    double nothing = 0.0;                   // m/s, slower motion counts as rest
    double held = 0.0;                      // m/s, tolerance of the rates of persistent contacts
    double widest = 0.0;                    // m, largest gap of persistent contacts
    // m, upper bound of the travel of contacts since they were last projected onto their gaps. It
    // is infinite if contacts have opened or closed.
    double way = 0.0, way_before = 0.0;
  } middle_;
};

}  // namespace nsmb
