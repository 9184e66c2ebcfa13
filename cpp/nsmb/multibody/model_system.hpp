// A model of bodies as a System: tree of joints, closed loops, force elements, contacts of planar
// contours and of surfaces in space.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsmb/geometry/candidates.hpp"
#include "nsmb/geometry/node_chain.hpp"
#include "nsmb/geometry/outline.hpp"
#include "nsmb/multibody/force_element.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/multibody/model_shapes.hpp"
#include "nsmb/multibody/shape_pairs.hpp"
#include "nsmb/multibody/surface_contact.hpp"
#include "nsmb/system/cliques.hpp"
#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/coordinate_map.hpp"
#include "nsmb/system/division.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/feature_search.hpp"
#include "nsmb/system/free_bodies.hpp"
#include "nsmb/system/free_motion.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/jacobians.hpp"
#include "nsmb/system/mass_solver.hpp"
#include "nsmb/system/step_limits.hpp"
#include "nsmb/system/system.hpp"
#include "nsmb/system/watched_functions.hpp"

namespace nsmb {

/// One equation that closes a loop between markers 1 and 2, d = r_2 - r_1.
struct LoopRow {
  enum class Kind {
    Along,          // e_kᵀ d = 0, e_k axis `first` of marker 1
    Perpendicular,  // e_kᵀ e_l = 0, axis `first` of marker 1 and `second` of marker 2
    Distance,       // |d| = length
    OnCurve,        // d, in the x-y plane of marker 1, is on `curve`
  };
  std::string name;
  Index marker_1 = 0, marker_2 = 0;
  Kind kind = Kind::Along;
  Index first = 0, second = 0;
  double length = 0.0;
  std::shared_ptr<const Contour> curve = nullptr;  // smooth, of one piece
};

/// A law with switching (3.16)-(3.23) between two markers, γ their distance minus `rest`; or with
/// marker_1 = -1 on a coordinate of a joint, γ = direction (q - rest).
struct SwitchingElement {
  ForceElementDescription law;
  Index marker_1 = -1, marker_2 = -1;
  Index coordinate = -1, velocity = -1;
  double rest = 0.0;
  double direction = 1.0;
};

/// Dry friction in a joint, |τ| <= bound.
struct JointFriction {
  std::string name;
  Index velocity = 0;
  double bound = 0.0;  // N or N m
};

/// One limit of a coordinate z of a joint, a contact without friction: g = direction (z - limit).
/// z is a coordinate and what is prescribed besides; or with two markers, of a joint that closes a
/// loop, the turn of the second one about e_z of the first, or its place along it.
struct JointStop {
  std::string name;
  UnilateralContact law;
  double limit = 0.0, direction = 1.0;  // m or rad; 1 or -1
  Index coordinate = -1, velocity = -1;
  Motion motion;  // s, ṡ, s̈ added to the coordinate; empty: none
  Index marker_1 = -1, marker_2 = -1;
  bool turns = false;
  double middle = 0.0;  // rad, angles are read within half a turn of it
};

/// Contours in the x-y planes of two markers, which coincide.
struct ContourContact {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;
  std::shared_ptr<const Contour> contour_1, contour_2;
  Index points = 1;              // contact points there may be at once
  double search_distance = 0.0;  // m, candidates are those this near
  double skin = 0.0;             // m, deepest penetration taken for a contact, s of (36)
  // Contours that deform, among the boundaries of the model; the contour is then that at rest, its
  // marker that of the floating frame. -1: fixed in the body.
  Index boundary_1 = -1, boundary_2 = -1;
};

/// The edge of an elastic body, a chain whose corners ride on its nodes.
struct Boundary {
  std::string name;
  Index marker = 0;                        // the floating frame, in whose x-y plane the chain lies
  std::vector<Index> nodes;                // markers, one for each corner
  std::shared_ptr<const NodeChain> chain;  // not deformed, in the floating frame
};

/// How the candidates of a contour contact are kept.
struct CandidateRule {
  bool permanent = false;    // one pair of features that always has one contact point
  bool second_moves = true;  // contour 2 is looked at from contour 1, or the other way round
  double reach = 0.0;        // m, of the one that moves, from the origin of its marker
  double length = 0.0;       // m, of the larger one, of its finite part
  Index first = 0;           // what is noted of the contact in ContactFeatures::reference
  // Of two polygons; null: others.
  std::shared_ptr<const Outline> outline_1, outline_2;
};

struct ModelDescription {
  std::shared_ptr<const Tree> tree;
  std::vector<Marker> markers;
  std::vector<LoopRow> loops;
  std::vector<PlacedForce> forces;
  std::vector<SwitchingElement> switching;
  std::vector<ContourContact> contacts;
  std::vector<JointFriction> friction;
  Discontinuities discontinuities;  // of loads, laws and drives
  std::vector<JointStop> stops;
  std::vector<InputDescription> inputs = {};
  std::vector<SurfaceContact> surfaces = {};
  ShapeSet shapes = {};
  std::vector<Boundary> boundaries = {};
  std::vector<ShapePair> shape_pairs = {};
};

/// What is computed for a model; also what it computed last, so that M, h and the kinematics of one
/// instant share one sweep over the tree.
struct ModelWorkspace;

/// cliques(): trees of joints, and what loops make of them.
/// contact_finder(): where it has shapes.
/// mass_solver(): by articulated bodies, from so many velocities on that it is faster.
/// derivatives(): unless loads, elements with states, joints of the user or surfaces take part;
/// contact points are those that contact_kinematics has found last, at the same instant.
class ModelSystem final : public System,
                          public CoordinateMap,
                          public InternalStates,
                          public ElementSet,
                          public WatchedFunctions,
                          public ConstraintSet,
                          public MassSolver,
                          public Differentiable,
                          public StepLimits,
                          public FeatureSearch,
                          public FreeMotion,
                          public Division {
 public:
  /// Throws std::invalid_argument for places outside their range.
  explicit ModelSystem(ModelDescription model);
  ~ModelSystem() override;

  std::unique_ptr<SystemWorkspace> make_workspace() const override;
  void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                   SystemWorkspace& work) const override;
  void factorise_mass(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  void solve_mass(MatrixRef B, SystemWorkspace& work) const override;
  void solve_mass(Index clique, VectorRef b, SystemWorkspace& work) const override;
  void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              VectorRef h, SystemWorkspace& work) const override;
  void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          ContactKinematics& contacts, SystemWorkspace& work) const override;
  void constraint_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             ConstraintKinematics& constraints,
                             SystemWorkspace& work) const override;
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot,
                        SystemWorkspace& work) const override;
  bool normalise(VectorRef q) const override;
  void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x, VectorRef xdot, SystemWorkspace& work) const override;
  void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                          SystemWorkspace& work) const override;
  void watch(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
             VectorRef values, SystemWorkspace& work) const override;
  double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const GivenForces& forces, Jacobians& jacobians,
                 SystemWorkspace& work) const override;
  double state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, SystemWorkspace& work) const override;
  /// Force elements have each their own states; modes have no rates.
  SparsityPattern rate_pattern() const override;
  double longest_step(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      SystemWorkspace& work) const override;
  std::string trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, SystemWorkspace& work) const override;
  bool calls_user() const override { return calls_user_; }
  /// States of its force elements at the start, modes behind those of each element (nx_own).
  Vector initial_states() const;
  void find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                     SystemWorkspace& work) const override;
  void find_touches(double t, const ConstVectorRef& q, ContactFeatures& features,
                    SystemWorkspace& work) const override;
  bool has_outlines(Index i) const override;
  double length_of(Index i) const override;
  Index pair_of(Index i) const override;
  OutlineOverlap deepest_overlap(double t, const ConstVectorRef& q,
                                 SystemWorkspace& work) const override;
  OutlineOverlap deepest_shapes(double t, const ConstVectorRef& q,
                                SystemWorkspace& work) const override;
  double time_to_pass(double t, const ConstVectorRef& q, const ConstVectorRef& u, double share,
                      double h, SystemWorkspace& work) const override;
  bool is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                  const ContactKinematics& contacts, SystemWorkspace& work) const override;

  /// Bodies that no joint, loop, force element or contact joins; the ground, and bodies fixed to
  /// it, join nothing. With functions of the user in it a model is one.
  std::vector<SystemPart> split(std::size_t fewest) const override;

  Kind kind() const override { return kind_; }
  std::vector<std::vector<Index>> loaded() const override;
  bool keeps_energy() const override { return !model_.tree->rheonomic(); }
  void kinetic_energies(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                        VectorRef energies, SystemWorkspace& work) const override;
  void mass_diagonal(double t, const ConstVectorRef& q, VectorRef diagonal,
                     SystemWorkspace& work) const override;
  void gyroscopic_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef h,
                         SystemWorkspace& work) const override;
  void loads(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
             VectorRef h, SystemWorkspace& work) const override;

  const ModelDescription& model() const { return model_; }
  /// The contour contact that slot i belongs to; -1: a limit of a joint, friction in one,
  /// surfaces, or shapes.
  Index contact_of(Index i) const { return contact_of_[static_cast<std::size_t>(i)]; }
  /// The first of the contacts of surfaces.
  Index first_surface() const { return first_surface_; }
  const ShapePairs& shape_pairs() const { return shape_pairs_; }
  const ShapeContacts& shapes() const { return shapes_; }

 private:
  static Capabilities offer(const ModelDescription& model, const ModelSystem* system);
  /// Where the states, the modes and the watched functions of a force element are.
  struct StatePlaces {
    Index first = 0, own = 0, modes = 0;  // in x
    Index watched = 0;                    // first one, among the elements of the system
  };

  void find_cliques();
  void find_free_bodies();
  void find_kind();
  ForceInput input(std::size_t k, double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x, const ModelWorkspace& work) const;
  void evaluate_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                       const ConstVectorRef& x, ModelWorkspace& work) const;
  void find_contact(Index i, double t, const ConstVectorRef& q, ModelWorkspace& work,
                    ContactKinematics& contacts) const;
  double way_used(Index contact, const ModelWorkspace& work, const ContactFeatures& features) const;
  void find_permanent(Index contact, ModelWorkspace& work, ContactFeatures& features) const;
  void find_changing(Index contact, ModelWorkspace& work, ContactFeatures& features) const;
  void find_of_outlines(Index contact, ModelWorkspace& work, ContactFeatures& features) const;
  /// Candidates of all contacts; those that change by `find_changing_ones`(contact, workspace).
  template <class Find>
  void find(double t, const ConstVectorRef& q, ContactFeatures& features, SystemWorkspace& work,
            const Find& find_changing_ones) const;

  ModelDescription model_;
  std::vector<CandidateRule> rules_;
  std::vector<Index> contact_of_;          // (nc)
  std::vector<Index> first_slot_;          // of each contour contact
  std::vector<StatePlaces> state_places_;  // of each force element
  Cliques cliques_;                        // trees, and those that loops join
  std::vector<std::vector<std::pair<Index, Index>>> clique_links_;  // of the trees: first, end
  std::vector<FreeBody> free_bodies_;
  Kind kind_ = Kind::Bent;
  ShapeContacts shapes_;  // contact_finder()
  bool calls_user_ = false;
  ShapePairs shape_pairs_;
  // Contacts of contours, limits, friction, surfaces, shapes: those with two tangents come last, so
  // that before them each has the tangential row of its own number.
  Index first_stop_ = 0, first_friction_ = 0, first_surface_ = 0;
  Index noted_ = 0;  // numbers in ContactFeatures::reference
};

}  // namespace nsmb
