// Inside of ModelSystem: what is computed for a model at one instant, and its parts.
#pragma once

#include <utility>

#include "nsmb/geometry/outline_touch.hpp"
#include "nsmb/multibody/law_forces.hpp"
#include "nsmb/multibody/model_system.hpp"

namespace nsmb {

struct ModelDerivatives;

/// Where the contact point of a slot was found last.
struct SlotPoint {
  bool found = false;
  Index first = -1, second = -1;  // features
  Pose pose;                      // of the second contour
  ContactPoint point;
};

/// The contours of a contact as they are now.
struct ContourPair {
  const Contour &first, &second;
};

struct ModelWorkspace final : SystemWorkspace {
  explicit ModelWorkspace(const ModelDescription& model);

  /// Brings the tree to (t, q, u) unless it is there.
  void update(const ModelDescription& model, double t, const ConstVectorRef& q,
              const ConstVectorRef& u);
  /// The same where velocities do not matter.
  void update(const ModelDescription& model, double t, const ConstVectorRef& q);

  void forget() override { knows_rates = false; }
  /// Those of the last update.
  const Vector& velocities() const { return u_; }

  ContourPair contours(const ContourContact& contact) const;
  /// Brings the boxes of its boundaries to where they are, for a search.
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
  std::shared_ptr<ModelDerivatives> derivatives;  // once they are asked for
  std::shared_ptr<ShapeScratch> shapes;           // the same

  std::vector<std::unique_ptr<ForceWorkspace>> elements;
  /// Generalised forces on single velocities, in the order in which elements gave them.
  std::vector<std::pair<Index, double>> joint_forces;
  Vector x, xdot;            // (nx_own) states the rates belong to, and rates of the force elements
  bool knows_rates = false;  // at the present (t, q, u)

 private:
  void deform(const ModelDescription& model);

  Matrix points_;  // scratch, of a boundary
  double t_;
  Vector q_, u_;
};

ModelWorkspace& model_workspace(SystemWorkspace& work);

/// Where marker 2 is over a curve in the x-y plane of marker 1.
struct CurvePlace {
  CurvePlace(const MarkerKinematics& m1, const MarkerKinematics& m2, const Contour& curve);
  Vector3 n, t;                // at the foot
  double g, sigma, kappa;      // m, height; of the foot
  double shrink, bend, speed;  // 1/(1 - κ g); κ times that; along t, in body 1
};

/// Row i of the kinematics of a closed loop.
void loop_row(const LoopRow& row, const ModelWorkspace& work, Index i, ConstraintKinematics& c);

/// Contact `i`, whose slot names the features, (4.23), (4.38)-(4.46).
void contour_contact(const ModelDescription& model, const ContourContact& contact,
                     ModelWorkspace& work, Index i, ContactKinematics& contacts);

/// The contact point by a search that needs no start: that of the features of the slot nearest to
/// where it was last, or for a slot that is not used that of two convex contours. nullptr: none;
/// else it lasts until the next search.
const Candidate* search_again(const ContourContact& contact, const Pose& pose, ModelWorkspace& work,
                              const ContactFeature& slot);

/// Contact `i`, a limit of a joint.
void joint_stop(const JointStop& stop, double t, const ConstVectorRef& q,
                const ModelWorkspace& work, Index i, ContactKinematics& contacts);

CandidateRule candidate_rule(const ContourContact& contact);

/// Numbers that are noted of a contact when its candidates are searched.
Index notes_of(const ContourContact& contact);

/// Pose of the second contour in the plane of the first.
Pose relative_pose(const MarkerKinematics& first, const MarkerKinematics& second);

}  // namespace nsmb
