// The motion while contact state and modes of force elements are frozen, as an ordinary
// differential equation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/integration/integrator.hpp"
#include "nsmb/simulation/contact_projection.hpp"
#include "nsmb/simulation/frozen_equations.hpp"
#include "nsmb/simulation/frozen_jacobian.hpp"
#include "nsmb/simulation/law_watch.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/plane_slip.hpp"

namespace nsmb {

///   M u̇ = h + w ζ + W λ,  λ from (5.15) or, where that has no single answer, from the law,
/// held to closed contacts, bilateral constraints and walls. What a right-hand side needs and what
/// is watched are evaluated here and nowhere else; it knows of no steps.
class FrozenMotion final : public OdeProblem {
 public:
  /// `atol` of the integrator that follows it, as PlaneSlip has it.
  FrozenMotion(const System& system, const TransitionOptions& options, double rtol,
               const Vector& atol);

  /// Forget what earlier motion has shown.
  void reset();
  void freeze(const FrozenRoles& roles, const ElementModes& modes);
  /// The same, with y, where the phase begins, moved onto what is closed.
  void enter(const FrozenRoles& roles, const ElementModes& modes, double t, VectorRef y);
  /// The phase begins at (t, y), as the tolerances are there.
  void begin(double t, const ConstVectorRef& y);
  /// A step begins there, and forget_trouble() what trial steps before it have met.
  void begin_step(double t, const ConstVectorRef& y);
  void forget_trouble() { no_value_.clear(); }
  /// A function has no value at a state that was tried.
  void note_trouble(std::string_view why) { no_value_ = why; }
  /// Contact points as they were there: trial steps search for them far away.
  void restore_features();
  /// Take over what `moving`, in the same state, has found on its way.
  void adopt(const FrozenMotion& moving) { slip_.adopt(moving.slip_); }

  Index dimension() const override { return mechanics_.system().ny(); }
  void rhs(double t, const ConstVectorRef& y, VectorRef ydot) override;
  bool jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) override;
  SparsityPattern jacobian_pattern() override;
  bool project(double t, VectorRef y) override;

  /// At (t, y), with the forces of the frozen state.
  void observe(double t, const ConstVectorRef& y, Observation& observation);
  /// Gaps, their rates and force elements, and nothing else of `observation`.
  void observe_gaps(double t, const ConstVectorRef& y, Observation& observation);

  Mechanics& mechanics() { return mechanics_; }
  const Mechanics& mechanics() const { return mechanics_; }
  const ContactRows& contact_rows() const { return mechanics_.rows(); }
  const System& system() const { return mechanics_.system(); }
  const FrozenRoles& roles() const { return roles_; }
  /// Rows that are equations.
  const std::vector<Index>& rows() const { return equations_.rows(); }
  /// Velocities (nu) in which these rows leave one m/s each: all of them, or those of the gaps.
  double held_gap() const { return projection_.held_gap(); }
  double held_velocity() const { return projection_.held_velocity(); }
  const Vector& reach_of_rows() { return projection_.reach_of(equations_.rows()); }
  const Vector& reach_of_gaps() { return projection_.reach_of(equations_.normal_rows()); }
  PlaneSlip& slip() { return slip_; }
  const PlaneSlip& slip() const { return slip_; }
  /// When the phase began.
  double entered() const { return entered_; }
  /// All contacts are.
  bool is_open() const { return is_open_; }
  /// Rows chosen on the way, and what the law began from, are not known to another phase.
  bool recalls() const;

  /// The function that had no value since it was forgotten, the contact that is lost; empty: none.
  std::string trouble() const;
  /// Constraints that are nearly dependent on this step; empty: none.
  std::string weak_constraints() const;
  /// A contact whose point is not found; -1: none.
  Index lost_contact() const;

 private:
  /// The equations in which contacts that start to slip are held.
  struct Holding {
    FrozenEquations equations;
    FrozenRoles roles;
    std::vector<bool> contacts;
    bool is_unique = false;  // the equations determine the force of each contact
  };
  void solve_forces();  // λ and u̇ at the last update of mechanics_
  void update_directions();
  void refine_accelerations();
  const Vector& on_constraints(double t, const ConstVectorRef& y);
  void observe_slip(Index contact, Observation& observation) const;
  void remember_rounding(double t, const ConstVectorRef& y);
  void renew_rows(double t, const ConstVectorRef& y);
  std::size_t count_conditions() const;
  void restrict_to_closed();

  Mechanics mechanics_;
  FrozenRoles roles_;
  RowSelection selection_;
  FrozenEquations equations_;
  Holding holding_;
  FrozenSolution solution_, change_;
  PlaneSlip slip_;
  LawWatch law_;
  ContactProjection projection_;
  std::unique_ptr<FrozenJacobian> jacobian_;  // made where it is asked for first
  ContactFeatures features_;                  // at the start of the step
  bool is_open_ = false;
  bool is_dependent_ = false;   // the frozen equations do not give the force of each contact
  bool near_singular_ = false;  // some bilateral constraints are nearly dependent on this step
  double entered_ = 0.0;
  std::vector<Index> closed_;  // contacts
  Vector y_on_;                // on the bilateral constraints
  std::string no_value_;       // why the system had no value at a trial step
};

}  // namespace nsmb
