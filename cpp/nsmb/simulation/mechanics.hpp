// Workspace: everything that the laws need from a System at one instant.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/simulation/bilateral_constraints.hpp"
#include "nsmb/simulation/delassus_assembly.hpp"
#include "nsmb/simulation/element_forces.hpp"
#include "nsmb/simulation/mass_matrix.hpp"
#include "nsmb/simulation/rounding_terms.hpp"
#include "nsmb/system/feature_search.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

class Mechanics {
 private:
  const System& system_;
  std::unique_ptr<SystemWorkspace> work_;
  TimeSpan span_;

 public:
  explicit Mechanics(const System& system);

  /// Evaluate at (t, y), y = (q, u, x), force elements in their modes. Throws std::domain_error
  /// when M is not positive definite there.
  void update(double t, const ConstVectorRef& y);
  /// Do the same with the contacts of restrict_to() only. The others remain as they were.
  void update_held(double t, const ConstVectorRef& y);
  /// Find the candidates for contact at (t, y), starting with those in `contacts`.
  void find_features(double t, const ConstVectorRef& y, const ContactStates& states,
                     double gap_tolerance);
  /// Return the two shapes with the deepest penetration, whatever the contacts are.
  OutlineOverlap deepest_shapes(double t, const ConstVectorRef& y) const;
  /// Do the same for a step: contact points of outlines follow from the pose alone.
  void find_touches(double t, const ConstVectorRef& y, const ContactStates& states,
                    double gap_tolerance);
  /// Decide which of the current candidates lie within their features, and are contacts if they
  /// touch.
  void settle_features(double t, const ConstVectorRef& y, const ContactStates& states,
                       double gap_tolerance);
  /// Update contacts, constraints and Delassus matrix only.
  void update_contacts(double t, const ConstVectorRef& y);
  /// Update the kinematics of contacts only.
  void update_gaps(double t, const ConstVectorRef& y);
  /// Update the force elements only.
  void update_elements(double t, const ConstVectorRef& y);
  /// Evaluate functions of time within this span from now on.
  void set_span(const TimeSpan& span) { span_ = span; }
  const TimeSpan& span() const { return span_; }
  /// Set the inputs (ni) from the next update on.
  void set_inputs(const ConstVectorRef& values) { work_->set_inputs(values); }
  /// See DelassusAssembly.
  void restrict_to(const std::vector<Index>* which);

  /// Compute q̇ = B(q) u, or δq of a small displacement along velocities.
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot);
  /// Compute λ_B (nb) of the bilateral constraints under these accelerations and contact forces.
  void constraint_forces(const ConstVectorRef& udot, const ConstVectorRef& lambda_N,
                         const ConstVectorRef& lambda_T, VectorRef lambda_B);
  /// Move (t, y) onto the bilateral constraints, in position and velocity. Return false if this
  /// fails.
  bool satisfy_constraints(double t, VectorRef y) { return bilateral.satisfy(span_.inside(t), y); }
  /// Project the velocities of (t, y) onto the bilateral constraints.
  void project_velocities(double t, VectorRef y) {
    if (nb() > 0) bilateral.project_velocities(span_.inside(t), y);
  }
  /// Move (t, y), which is near the bilateral constraints, onto them as accurately as a few steps
  /// allow.
  void approach_constraints(double t, VectorRef y) { bilateral.approach(span_.inside(t), y); }

  /// Replace the force a by its acceleration, with these w̄ (nb) of the bilateral constraints.
  void accelerate(const ConstVectorRef& w_bar_B, VectorRef a);
  double kinetic_energy(const ConstVectorRef& u);  // with M of the last update

  const System& system() const { return system_; }
  const ContactRows& rows() const { return system_.rows(); }
  Index nq() const { return system_.nq(); }
  Index nu() const { return system_.nu(); }
  Index nc() const { return system_.nc(); }
  Index nt() const { return system_.nt(); }
  Index nb() const { return system_.nb(); }
  /// Return true if G is constant. Constraints change the admissible motion even if M and W are
  /// constant.
  bool has_constant_delassus() const {
    return system_.constant_directions() && mass.is_constant() && nb() == 0;
  }
  SystemWorkspace& work() { return *work_; }

  MassMatrix mass;
  Vector h;
  ContactKinematics contacts;
  Delassus delassus;
  Vector Minv_h;            // (nu) acceleration without contact forces
  Vector gamma_N, gamma_T;  // (nc), (nt) relative velocities (4.38)
  Vector free_N, free_T;    // (nc), (nt) Wᵀ M⁻¹h + w̄, accelerations without contact forces
  Vector mu;                // (nc) friction coefficients at the current slip speeds
  std::vector<UnilateralContact> laws;
  BilateralConstraints bilateral;
  ElementForces elements;
  Vector xdot;  // (nx)
  RoundingTerms rounding;

  /// Return true if the contact never carries a friction force: μ = 0 or no tangential direction.
  bool is_frictionless(Index contact) const;
  /// See contact_laws/frozen_forces.hpp.
  bool can_stick(Index contact) const;
  /// Return |γ_T| of a contact, or γ_T with its sign if it is planar.
  double slip(Index contact) const;
  /// Compute λ_T of a sliding contact per unit of its bound (5.7), (12). If friction is
  /// anisotropic, it is the point of the ellipse whose normal is -γ_T. Zero for γ_T = 0.
  void slip_friction(Index contact, VectorRef friction) const;
  /// Return the role of a closed contact by its velocity, (5.5). `friction` (dim) receives that of
  /// a sliding contact.
  ContactRole role(Index contact, double rest_velocity, VectorRef friction) const;

  /// Measure the possible rounding of u, and of M⁻¹h at the last update.
  void measure_rounding(const ConstVectorRef& u) {
    rounding.measure(mass, mass.is_constant(), u, h);
  }
  /// Add the rounding of impulses at this instant.
  void add_impulses(const Vector& Lambda_N, const Vector& Lambda_T);
  /// Return the size below which |γ| of a row of G counts as zero.
  double velocity_resolution(Index row, double smallest) const;
  /// Compute velocity_resolution() of all rows.
  void velocity_resolutions(double smallest, Vector& resolution) const;
  /// Return the largest velocity resolution of the tangential rows of a contact.
  double slip_velocity_resolution(Index contact, double smallest) const;
  /// Return the size below which |γ̇| of a row of G counts as zero under these forces.
  double acceleration_resolution(Index row, const AccelerationResult& forces) const;
  /// Return true if forces that nearly cancel hold the row, as on a light body beside heavy ones.
  bool is_squeezed(Index row, const AccelerationResult& forces) const;
  /// Return the speed of the bodies that the row moves, in any direction, m/s.
  double speed_beside(Index row) const;
  /// Compute the resolutions (nc + nt) of accelerations without contact forces.
  void free_acceleration_resolutions(Vector& resolution) const;

 private:
  double acceleration_scale(Index row) const;
  double contact_terms(Index row, const AccelerationResult& forces) const;
  double acceleration_rounding(Index row) const;
  void update_directions(double t, const ConstVectorRef& y, bool with_contacts);
  void update_forces(double t, const ConstVectorRef& y);
  void update_friction_coefficient(Index contact);
  void settle_feature(Index i, double t, const ConstVectorRef& y, bool is_closed,
                      double gap_tolerance);
  DelassusAssembly assembly_;
  const std::vector<Index>* held_ = nullptr;  // contacts of restrict_to()
  Vector force_;                              // (nu) scratch
};

}  // namespace nsmb
