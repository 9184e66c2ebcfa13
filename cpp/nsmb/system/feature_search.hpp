// Contact points that come and go: which feature of one body may touch which of another is part of
// the state, see ContactFeatures.
#pragma once

#include "nsmb/system/contact.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// Two outlines, or shapes, that are in each other.
struct OutlineOverlap {
  Index contact = -1;  // the first slot of theirs; -1: there are none
  double share =
      0.0;  // depth, of the width of the narrower outline or the size of the smaller shape
};

class FeatureSearch {
 public:
  /// All candidates at (t, q); those that remain keep their slots.
  virtual void find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                             SystemWorkspace& work) const = 0;
  /// The same for a step: where outlines touch, or are near, follows from the pose alone, and every
  /// slot that is used is a contact there. Of contacts without outlines (`has_outlines`) it is left
  /// to is_contact().
  virtual void find_touches(double t, const ConstVectorRef& q, ContactFeatures& features,
                            SystemWorkspace& work) const = 0;
  virtual bool has_outlines(Index i) const = 0;
  /// m, of the larger one of the two that touch in slot i: what lengths about its features are
  /// parts of.
  virtual double length_of(Index i) const = 0;
  /// The first slot of the two contours that slot i belongs to.
  virtual Index pair_of(Index i) const = 0;
  /// The two outlines that are deepest in each other, by clipping and not by contact points: what a
  /// run is checked with.
  virtual OutlineOverlap deepest_overlap(double t, const ConstVectorRef& q,
                                         SystemWorkspace& work) const = 0;
  /// The two shapes that are deepest in each other, by the search that steps use. The share is that
  /// of the size of the smaller one.
  virtual OutlineOverlap deepest_shapes(double t, const ConstVectorRef& q,
                                        SystemWorkspace& work) const = 0;
  /// s, at most h: until then no outline moves by more than `share` of the narrower width against
  /// another one that it could reach within h.
  virtual double time_to_pass(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              double share, double h, SystemWorkspace& work) const = 0;
  /// Is slot i, which touches at `contacts` and is not closed, a contact? Where two corners meet it
  /// may be one for the features alone.
  virtual bool is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                          const ContactKinematics& contacts, SystemWorkspace& work) const = 0;

 protected:
  ~FeatureSearch() = default;
};

}  // namespace nsmb
