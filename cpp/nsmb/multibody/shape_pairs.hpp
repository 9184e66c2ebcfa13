// Contacts of two shapes as a list of pairs of features, for locating events.
//
// The pairs are faces and corners, crossing edges, and round parts of one shape with faces, edges,
// corners and round parts of the other. Each pair is a smooth contact as long as its features last.
// The search finds pairs within some displacement and is repeated before the shapes have moved that
// far relative to each other. Of pairs that touch at one point, one counts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/geometry/feature_pairs.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/multibody/slot_assignment.hpp"
#include "nsmb/multibody/surface_contact.hpp"
#include "nsmb/system/feature_search.hpp"

namespace nsmb {

/// A contact of two shapes by pairs of features.
struct ShapePair {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;  // frames of the shapes
  std::shared_ptr<const Shape> shape_1, shape_2;
};

/// Return the maximum number of simultaneous contact points of two shapes.
Index feature_slots(const Shape& shape_1, const Shape& shape_2);

struct ModelDescription;
struct ModelWorkspace;

/// Scratch memory of one thread for all pairs.
struct ShapePairScratch {
  struct SlotFeatures {
    Index number_1 = -1, number_2 = -1;  // of the features stored here
    Feature first, second;
  };
  std::vector<SlotFeatures> slots;
  FeaturePairScratch search;
  FeaturePairs found;
  SlotScratch assignment;
  ContactScratch contact;
  std::vector<ShapeContact> points;
};

/// All pairs of shapes of a model.
class ShapePairs {
 public:
  ShapePairs() = default;
  /// Construct the pairs for a model that outlives this object. Contacts are numbered from
  /// `first_slot` on, and their notes from `first_note` on.
  ShapePairs(const ModelDescription& model, Index first_slot, Index first_note);

  Index notes() const;
  bool has(Index contact) const {
    return contact >= first_slot_ && contact < first_slot_ + std::ssize(pair_of_);
  }
  /// Return the first contact of the pair that this contact belongs to.
  Index first_of(Index contact) const { return rules_[at(pair_of(contact))].first_slot; }

  /// Return the length of the larger shape, m.
  double length_of(Index contact) const { return rules_[at(pair_of(contact))].length; }

  void find(ModelWorkspace& work, ContactFeatures& features) const;
  void find_contact(const ContactPlace& place, ModelWorkspace& work, ContactKinematics& c) const;
  /// Compute the margins within which the lists of near pairs are complete.
  void find_margins(ModelWorkspace& work, ContactKinematics& c) const;
  /// Return true if a pair of features that touches within its ends separates the shapes.
  bool is_contact(Index contact, const ContactKinematics& c, ModelWorkspace& work) const;
  /// Return the two shapes that overlap most, by the contact search of time stepping.
  OutlineOverlap deepest(ModelWorkspace& work) const;
  /// Return the nearest points of the features of a contact.
  SurfacePoint point(Index contact, const ContactFeature& slot, ModelWorkspace& work) const;

 private:
  struct Rule {
    Index first_slot = 0, slots = 0;
    Index first_note = 0;
    bool second_moves = true;   // shape 2 is seen from shape 1, otherwise vice versa
    bool is_permanent = false;  // all pairs of features always have slots
    bool leans = false;         // a cylinder on a plane
    double reach = 0.0;         // m, of the moving shape
    double size = 0.0;          // m, of the smaller shape
    double length = 0.0;        // m, of the larger shape
    double distance = 0.0;      // m, maximum displacement for which the list holds
  };

  Index pair_of(Index contact) const { return pair_of_[at(contact - first_slot_)]; }
  ShapePairScratch::SlotFeatures& features_of(Index contact, const ContactFeature& slot,
                                              ModelWorkspace& work) const;
  FeaturePairPoint place(Index contact, const ContactFeature& slot, ModelWorkspace& work) const;
  void find_pair(Index pair, ModelWorkspace& work, ContactFeatures& features) const;
  /// How the axis of a cylinder leans over its plane, in the frame of the plane.
  Eigen::Vector2d lean(Index pair, const ModelWorkspace& work) const;
  Placement moving_pose(Index pair, const ModelWorkspace& work) const;
  double way_used(Index pair, const ModelWorkspace& work, const ContactFeatures& features) const;
  double turn_used(Index pair, Index line, const ModelWorkspace& work,
                   const ContactFeatures& features) const;
  /// Return true if says(slot, point) is true for another touching contact of the pair.
  template <class Says>
  bool any_touching(Index contact, const ContactKinematics& c, ModelWorkspace& work,
                    const Says& says) const;

  const ModelDescription* model_ = nullptr;
  std::vector<Rule> rules_;     // of each pair
  std::vector<Index> pair_of_;  // of each contact
  Index first_slot_ = 0;
};

/// Throw std::invalid_argument for shapes that cannot be listed.
void check_shape_pair(const ShapePair& pair);

}  // namespace nsmb
