// Contacts of two shapes as a list of pairs of features, which events are located with.
//
// What may touch are faces and corners, crossing edges, and round parts of one with faces, edges,
// corners and round parts of the other. Each pair is a smooth contact as long as its features last.
// Pairs are found within some way, and again before the shapes have moved that far against each
// other; of pairs that touch at one place one counts.
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

struct ShapePair {
  std::string name;
  UnilateralContact law;
  Index marker_1 = 0, marker_2 = 0;  // frames of the shapes
  std::shared_ptr<const Shape> shape_1, shape_2;
};

/// Contact points there may be at once of two shapes.
Index feature_slots(const Shape& shape_1, const Shape& shape_2);

struct ModelDescription;
struct ModelWorkspace;

/// Scratch of one thread for all pairs.
struct ShapePairScratch {
  struct SlotFeatures {
    Index number_1 = -1, number_2 = -1;  // of the features that are here
    Feature first, second;
  };
  std::vector<SlotFeatures> slots;
  FeaturePairScratch search;
  FeaturePairs found;
  SlotScratch assignment;
  ContactScratch contact;
  std::vector<ShapeContact> points;
};

class ShapePairs {
 public:
  ShapePairs() = default;
  /// The model lives as long as this. Contacts are numbered from `first_slot` on, what is noted of
  /// them from `first_note` on.
  ShapePairs(const ModelDescription& model, Index first_slot, Index first_note);

  Index notes() const;
  bool has(Index contact) const { return contact >= first_slot_; }
  /// The first contact of the pair that this one belongs to.
  Index first_of(Index contact) const { return rules_[at(pair_of(contact))].first_slot; }

  /// m, of the larger one of the two.
  double length_of(Index contact) const { return rules_[at(pair_of(contact))].length; }

  void find(ModelWorkspace& work, ContactFeatures& features) const;
  void find_contact(Index contact, ModelWorkspace& work, const ContactRows& rows,
                    ContactKinematics& c) const;
  /// How surely all pairs of features that are near are listed.
  void find_margins(ModelWorkspace& work, ContactKinematics& c) const;
  /// Of a pair of features that touches within its ends: is it what parts the shapes?
  bool is_contact(Index contact, const ContactKinematics& c, ModelWorkspace& work) const;
  /// The two shapes that are deepest in each other, by the search of steps.
  OutlineOverlap deepest(ModelWorkspace& work) const;
  /// Where the features of a contact are nearest.
  SurfacePoint point(Index contact, const ContactFeature& slot, ModelWorkspace& work) const;

 private:
  struct Rule {
    Index first_slot = 0, slots = 0;
    Index first_note = 0;
    bool second_moves = true;   // shape 2 is looked at from shape 1, or the other way round
    bool is_permanent = false;  // all pairs of features have slots, for good
    bool leans = false;         // a cylinder on a plane
    double reach = 0.0;         // m, of the one that moves
    double size = 0.0;          // m, of the smaller one
    double length = 0.0;        // m, of the larger one
    double distance = 0.0;      // m, longest way of the pairs that are listed
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
  /// Is there another contact of the pair that touches, of which says(slot, point) is true?
  template <class Says>
  bool any_touching(Index contact, const ContactKinematics& c, ModelWorkspace& work,
                    const Says& says) const;

  const ModelDescription* model_ = nullptr;
  std::vector<Rule> rules_;     // of each pair
  std::vector<Index> pair_of_;  // of each contact
  Index first_slot_ = 0;
};

/// Throws std::invalid_argument for shapes that cannot be listed.
void check_shape_pair(const ShapePair& pair);

}  // namespace nsmb
