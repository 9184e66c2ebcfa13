// Internals of ModelSystem: data computed for a model at one instant, and its parts.
#pragma once

#include <utility>

#include "nsmb/geometry/outline_touch.hpp"
#include "nsmb/multibody/law_forces.hpp"
#include "nsmb/multibody/model_system.hpp"

namespace nsmb {

struct ModelDerivatives;

/// The last contact point found for a slot.
struct SlotPoint {
  bool found = false;
  Index first = -1, second = -1;  // features
  Pose pose;                      // of the second contour
  ContactPoint point;
  // Where the search starts. Within a step it starts at the last point, but a step that is tried
  // again from where that step started: a step that was too long may have led to another root.
  double t = -kInfinity;                // s, of the last point
  double sigma_1 = 0.0, sigma_2 = 0.0;  // the last point
  double home_1 = 0.0, home_2 = 0.0;    // the last point of the motion

  /// Return the contour parameters at which to start at time t.
  std::pair<double, double> start(double time, const ContactFeature& slot);
  /// Keep the point found at time t; `moves`: it is a point of the motion.
  void keep(double time, bool moves, ContactFeature& slot);
};

/// The contours of a contact in their current state.
struct ContourPair {
  const Contour &first, &second;
};

struct ModelWorkspace final : SystemWorkspace {
  explicit ModelWorkspace(const ModelDescription& model);

  /// Bring the tree to (t, q, u) unless it is already there.
  void update(const ModelDescription& model, double t, const ConstVectorRef& q,
              const ConstVectorRef& u);
  /// Bring the tree to (t, q), for results that do not depend on velocities.
  void update(const ModelDescription& model, double t, const ConstVectorRef& q);

  void forget() override { knows_rates = false; }
  /// Return the velocities of the last update.
  const Vector& velocities() const { return u_; }

  ContourPair contours(const ContourContact& contact) const;
  /// Refit the boxes of the boundaries to their current positions, for a search.
  void refit(const ContourContact& contact);

  TreeWorkspace tree;
  MarkerStates markers;
  CandidateWorkspace search;
  CandidateResult found;
  OutlineWorkspace outlines;
  SlotScratch assignment;
  std::vector<SlotPoint> slots;  // of contours
  ShapePairScratch shape_pairs;
  std::vector<NodeChain> boundaries;              // deformed
  std::shared_ptr<ModelDerivatives> derivatives;  // once requested
  std::shared_ptr<ShapeScratch> shapes;           // once requested

  std::vector<std::unique_ptr<ForceWorkspace>> elements;
  /// Generalised forces on single velocities, in the order in which elements returned them.
  std::vector<std::pair<Index, double>> joint_forces;
  Vector x, xdot;            // (nx_own) states of the rates; rates of the force elements
  bool knows_rates = false;  // at the current (t, q, u)

 private:
  void deform(const ModelDescription& model);

  Matrix points_;  // scratch, of a boundary
  double t_;
  Vector q_, u_;
};

ModelWorkspace& model_workspace(SystemWorkspace& work);

/// Position of marker 2 relative to a curve in the x-y plane of marker 1.
struct CurvePlace {
  CurvePlace(const MarkerKinematics& m1, const MarkerKinematics& m2, const Contour& curve);
  Vector3 n, t;                // at the projection
  double g, sigma, kappa;      // m, height; of the projection
  double shrink, bend, speed;  // 1/(1 - κ g); κ times this; along t, in body 1
};

/// Compute row i of the kinematics of a closed loop.
void loop_row(const LoopRow& row, const ModelWorkspace& work, Index i, ConstraintKinematics& c);

/// Compute contact `i`, whose slot names the features, (4.23), (4.38)-(4.46).
void contour_contact(const ModelDescription& model, const ContourContact& contact, double t,
                     ModelWorkspace& work, Index i, ContactKinematics& contacts);

/// Return the contact point by a search without a starting point, valid until the next search. The
/// result is nearest to the last point of the slot's features or, for an unused slot, that of two
/// convex contours. Return nullptr if there is none.
const Candidate* search_again(const ContourContact& contact, const Pose& pose, ModelWorkspace& work,
                              const ContactFeature& slot);

/// Compute contact `i`, a limit of a joint.
void joint_stop(const JointStop& stop, double t, const ConstVectorRef& q,
                const ModelWorkspace& work, Index i, ContactKinematics& contacts);

CandidateRule candidate_rule(const ContourContact& contact);

/// Return the number of values noted for a contact when its candidates are searched.
Index notes_of(const ContourContact& contact);

/// Return the pose of the second contour in the plane of the first.
Pose relative_pose(const MarkerKinematics& first, const MarkerKinematics& second);

}  // namespace nsmb
