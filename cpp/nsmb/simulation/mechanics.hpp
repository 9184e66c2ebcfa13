// Workspace: everything the laws need of a System at one instant.
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
  /// The same with the contacts of restrict_to() alone: the others stay as they were.
  void update_held(double t, const ConstVectorRef& y);
  /// Candidates for contact at (t, y), beginning with those in `contacts`.
  void find_features(double t, const ConstVectorRef& y, const ContactStates& states,
                     double gap_tolerance);
  /// Shapes that are in each other, whatever contacts say.
  OutlineOverlap deepest_shapes(double t, const ConstVectorRef& y) const;
  /// As find_features(), for a step: contact points of outlines by the pose alone.
  void find_touches(double t, const ConstVectorRef& y, const ContactStates& states,
                    double gap_tolerance);
  /// Which of the candidates there are lie within their features, and are contacts if they touch.
  void settle_features(double t, const ConstVectorRef& y, const ContactStates& states,
                       double gap_tolerance);
  /// Contacts, constraints and Delassus matrix only.
  void update_contacts(double t, const ConstVectorRef& y);
  /// Kinematics of contacts only.
  void update_gaps(double t, const ConstVectorRef& y);
  /// Force elements only.
  void update_elements(double t, const ConstVectorRef& y);
  /// Functions of time are asked for their values within this span from now on.
  void set_span(const TimeSpan& span) { span_ = span; }
  const TimeSpan& span() const { return span_; }
  /// Values of the inputs (ni) from the next update on.
  void set_inputs(const ConstVectorRef& values) { work_->set_inputs(values); }
  /// See DelassusAssembly.
  void restrict_to(const std::vector<Index>* which);

  /// q̇ = B(q) u; also δq of a small displacement along velocities.
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot);
  /// λ_B (nb) of the bilateral constraints under these accelerations and contact forces.
  void constraint_forces(const ConstVectorRef& udot, const ConstVectorRef& lambda_N,
                         const ConstVectorRef& lambda_T, VectorRef lambda_B);
  /// (t, y) onto the bilateral constraints, in position and velocity. False: no way was found.
  bool satisfy_constraints(double t, VectorRef y) { return bilateral.satisfy(span_.inside(t), y); }
  /// The velocities of (t, y) onto the bilateral constraints.
  void project_velocities(double t, VectorRef y) {
    if (nb() > 0) bilateral.project_velocities(span_.inside(t), y);
  }
  /// (t, y), which is near them, onto the bilateral constraints as well as few steps do it.
  void approach_constraints(double t, VectorRef y) { bilateral.approach(span_.inside(t), y); }

  /// a := the acceleration under the force a, with these w̄ (nb) of the bilateral constraints.
  void accelerate(const ConstVectorRef& w_bar_B, VectorRef a);
  double kinetic_energy(const ConstVectorRef& u);  // with M of the last update

  const System& system() const { return system_; }
  const ContactRows& rows() const { return system_.rows(); }
  Index nq() const { return system_.nq(); }
  Index nu() const { return system_.nu(); }
  Index nc() const { return system_.nc(); }
  Index nt() const { return system_.nt(); }
  Index nb() const { return system_.nb(); }
  /// Constraints turn what the masses allow, whatever M and W are.
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
  Vector mu;                // (nc) friction coefficients at the present slip speeds
  std::vector<UnilateralContact> laws;
  BilateralConstraints bilateral;
  ElementForces elements;
  Vector xdot;  // (nx)
  RoundingTerms rounding;

  /// A contact that never carries a friction force: μ = 0 or no tangential direction.
  bool is_frictionless(Index contact) const;
  /// See contact_laws/frozen_forces.hpp.
  bool can_stick(Index contact) const;
  /// |γ_T| of a contact; planar contacts: γ_T with its sign.
  double slip(Index contact) const;
  /// λ_T of a sliding contact per unit of its bound (5.7), (12); anisotropic: the point of the
  /// ellipse whose normal is -γ_T. Zero for γ_T = 0.
  void slip_friction(Index contact, VectorRef friction) const;
  /// What a closed contact may do by its velocity, (5.5); `friction` (dim) of one that slides.
  ContactRole role(Index contact, double rest_velocity, VectorRef friction) const;

  /// Measure what rounding may have left in u and in M⁻¹h at the last update.
  void measure_rounding(const ConstVectorRef& u) {
    rounding.measure(mass, mass.is_constant(), u, h);
  }
  /// Impulses at this instant leave their own.
  void add_impulses(const Vector& Lambda_N, const Vector& Lambda_T);
  /// Below these |γ| and |γ̇| of a row of G count as zero, the latter under these forces.
  double velocity_resolution(Index row, double smallest) const;
  /// Of all rows.
  void velocity_resolutions(double smallest, Vector& resolution) const;
  /// The larger one of the tangential rows of a contact.
  double slip_velocity_resolution(Index contact, double smallest) const;
  double acceleration_resolution(Index row, const AccelerationResult& forces) const;
  /// Do forces that nearly cancel hold the row, as on a light body beside heavy ones?
  bool is_squeezed(Index row, const AccelerationResult& forces) const;
  /// m/s, of what the row moves, in any direction.
  double speed_beside(Index row) const;
  /// (nc + nt) the same without contact forces.
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
