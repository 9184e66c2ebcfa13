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
#include "nsmb/multibody/resistance_rows.hpp"
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

/// One equation that closes a loop between markers 1 and 2, with d = r_2 - r_1.
struct LoopRow {
  enum class Kind {
    Along,          // e_kᵀ d = 0, e_k axis `first` of marker 1
    Perpendicular,  // e_kᵀ e_l = 0, axis `first` of marker 1 and `second` of marker 2
    Distance,       // |d| = length
    OnCurve,        // d, in the x-y plane of marker 1, lies on `curve`
  };
  std::string name;
  Index marker_1 = 0, marker_2 = 0;
  Kind kind = Kind::Along;
  Index first = 0, second = 0;
  double length = 0.0;
  std::shared_ptr<const Contour> curve = nullptr;  // smooth, of one piece
};

/// A law with switching (3.16)-(3.23) between two markers, with γ their distance minus `rest`. If
/// marker_1 = -1, it acts on a joint coordinate, with γ = direction (q - rest).
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

/// One limit of a joint coordinate z, a contact without friction: g = direction (z - limit). z is a
/// coordinate plus its prescribed motion. With two markers, of a joint that closes a loop, z is the
/// rotation of marker 2 about e_z of marker 1 or its displacement along e_z.
struct JointStop {
  std::string name;
  UnilateralContact law;
  double limit = 0.0, direction = 1.0;  // m or rad; 1 or -1
  Index coordinate = -1, velocity = -1;
  Motion motion;  // s, ṡ, s̈ added to the coordinate; empty: none
  Index marker_1 = -1, marker_2 = -1;
  bool turns = false;
  double middle = 0.0;  // rad, angles are taken within half a revolution of it
};

/// Contours in the x-y planes of two markers, which coincide.
struct ContourContact {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;
  std::shared_ptr<const Contour> contour_1, contour_2;
  Index points = 1;              // maximum number of simultaneous contact points
  double search_distance = 0.0;  // m, pairs within this distance are candidates
  double skin = 0.0;             // m, maximum penetration accepted as a contact, s of (36)
  // Indices of deforming contours among the boundaries of the model. The contour is then the
  // undeformed one, and its marker is that of the floating frame. -1: fixed in the body.
  Index boundary_1 = -1, boundary_2 = -1;
};

/// The edge of an elastic body, a chain whose corners move with its nodes.
struct Boundary {
  std::string name;
  Index marker = 0;                        // the floating frame, whose x-y plane contains the chain
  std::vector<Index> nodes;                // markers, one for each corner
  std::shared_ptr<const NodeChain> chain;  // undeformed, in the floating frame
};

/// Rules for updating the candidates of a contour contact.
struct CandidateRule {
  bool permanent = false;    // a pair of features that always has one contact point
  bool second_moves = true;  // contour 2 is seen from contour 1, otherwise vice versa
  double reach = 0.0;        // m, of the moving contour, from the origin of its marker
  double length = 0.0;       // m, of the finite part of the larger contour
  Index first = 0;           // index of the first note of the contact in ContactFeatures::reference
  // For two polygons; otherwise null.
  std::shared_ptr<const Outline> outline_1, outline_2;
};

/// The description of a model.
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

/// Data computed for a model. The last results are kept, so that M, h and the kinematics of one
/// instant share one sweep over the tree.
struct ModelWorkspace;

/// A model as a System, with the following capabilities:
/// - cliques(): trees of joints, joined by loops.
/// - contact_finder(): for models with shapes.
/// - mass_solver(): by articulated bodies, for models with enough velocities to be faster.
/// - derivatives(): unless the model has loads, elements with states, user joints or surfaces.
///   Contact points are those last found by contact_kinematics at the same instant.
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
  /// Throws std::invalid_argument for indices out of range.
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
  /// Return the pattern of the rates: each force element has its own states, and modes have no
  /// rates.
  SparsityPattern rate_pattern() const override;
  double longest_step(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      SystemWorkspace& work) const override;
  std::string trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, SystemWorkspace& work) const override;
  bool calls_user() const override { return calls_user_; }
  /// Return the initial states of the force elements (nx_own). Modes follow the states of each
  /// element.
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

  /// Divide the model into groups of bodies connected by joints, loops, force elements or contacts.
  /// The ground, and bodies fixed to it, connect nothing. A model with user functions is not
  /// divided.
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
  /// Return the index of the contour contact that slot i belongs to. Return -1 for joint limits,
  /// joint friction, surfaces and shapes.
  Index contact_of(Index i) const { return contact_of_[static_cast<std::size_t>(i)]; }
  /// Return the index of the first contact of surfaces.
  Index first_surface() const { return first_surface_; }
  const ShapePairs& shape_pairs() const { return shape_pairs_; }
  const ResistanceRows& resistances() const { return resistances_; }
  const ShapeContacts& shapes() const { return shapes_; }

 private:
  static Capabilities offer(const ModelDescription& model, const ModelSystem* system);
  /// Indices of the states, modes and watched functions of a force element.
  struct StatePlaces {
    Index first = 0, own = 0, modes = 0;  // in x
    Index watched = 0;                    // index of the first one among the elements of the system
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
  /// Find candidates of all contacts. `find_changing_ones`(contact, workspace) finds those that
  /// change.
  template <class Find>
  void find(double t, const ConstVectorRef& q, ContactFeatures& features, SystemWorkspace& work,
            const Find& find_changing_ones) const;

  ModelDescription model_;
  std::vector<CandidateRule> rules_;
  std::vector<Index> contact_of_;                                   // (nc)
  std::vector<Index> first_slot_;                                   // of each contour contact
  std::vector<StatePlaces> state_places_;                           // of each force element
  Cliques cliques_;                                                 // trees, joined by loops
  std::vector<std::vector<std::pair<Index, Index>>> clique_links_;  // their trees: first, end
  std::vector<FreeBody> free_bodies_;
  Kind kind_ = Kind::Bent;
  ShapeContacts shapes_;  // contact_finder()
  bool calls_user_ = false;
  ShapePairs shape_pairs_;
  ResistanceRows resistances_;
  // Order: contacts of contours, limits, friction, surfaces, shapes, resistances. Those before
  // surfaces have one tangent, and the tangential row of their own number.
  Index first_stop_ = 0, first_friction_ = 0, first_surface_ = 0;
  Index noted_ = 0;  // count of numbers in ContactFeatures::reference
};

}  // namespace nsmb
