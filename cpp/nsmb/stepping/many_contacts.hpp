// Half-explicit steps of systems whose shapes may touch anywhere: contacts in any number, nothing
// dense.
//
//   q_p = q_k + θ h B u_k,   u_p = u_k + θ h M⁻¹ F(t_p, q_p, u_k, x_k),
//   M (u_{k+1} - u_k) = h F(t_p, q_p, u_p, x_k) + H Λ
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/stepping/smooth_forces.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/stepper.hpp"
#include "nsmb/stepping/surface_problem.hpp"

namespace nsmb {

class ManyContacts final : public Stepper {
 public:
  /// Throws std::invalid_argument for options and systems that have no such step.
  ManyContacts(Mechanics& mechanics, const TimeSteppingOptions& options);

  void step(const RunState& from, double h, StepOutcome& outcome) override;
  void forget() override;
  double passed(const RunState& end) override;
  void watch(std::function<bool()> keep_going) override {
    solver_.keep_going = std::move(keep_going);
  }
  void keep() override;
  void go_back() override;

 private:
  /// Of a contact in the last step.
  struct Memory {
    std::array<double, 6> impulses{};  // N s, N m s; by rows
    bool closed = false;               // pressed, and has not left
    ContactState state = ContactState::Open;
  };

  void look(const RunState& from, double h, StepOutcome& outcome);
  void add_forces(double t, double length, const ConstVectorRef& u);
  void prepare(const RunState& from, double h, StepOutcome& outcome);
  void solve(StepOutcome& outcome);
  void list_missed(StepOutcome& outcome) const;
  void decide(StepOutcome& outcome);
  void keep_book(const FoundContact& contact, StepOutcome& outcome) const;
  bool was_asked(const FoundContact& contact) const;
  bool is_as_before() const;
  void end(const RunState& from, double h, StepOutcome& outcome);

  Mechanics& mechanics_;
  const TimeSteppingOptions options_;
  StepPlace place_;
  SmoothForces forces_;
  SurfaceProblem problem_;
  ContactSet set_, at_end_;
  std::vector<std::pair<Index, Index>> asked_;  // shapes of the contacts of the step
  SparseFrictionOptions solver_;
  SparseFrictionWorkspace workspace_;
  SparseFrictionResult result_;
  /// Of the last step.
  struct Past {
    std::unordered_map<ContactIdentity, Memory> contacts;
    double h = 0.0;  // s
  };
  Past before_, kept_, last_;
  Vector y_;              // (ny) where forces and contacts are looked at
  Vector rates_, delta_;  // (nu + nx) F and ẋ; (nu) what they do to velocities
  Vector u_free_;         // (nu)
  Vector x_start_, q_step_, u_mean_;
};

}  // namespace nsmb
