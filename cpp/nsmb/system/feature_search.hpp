// Contact points that change. The pairs of features that may touch are part of the state, see
// ContactFeatures.
#pragma once

#include "nsmb/system/contact.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// Two outlines, or shapes, that overlap.
struct OutlineOverlap {
  Index contact = -1;  // first slot of the pair; -1: no overlap
  double share =
      0.0;  // depth over the width of the narrower outline or the size of the smaller shape
};

class FeatureSearch {
 public:
  /// Find all candidates at (t, q). Candidates that remain keep their slots.
  virtual void find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                             SystemWorkspace& work) const = 0;
  /// Find candidates for a step. Where outlines touch or nearly touch follows from their poses
  /// alone, and every used slot is a contact there. For contacts without outlines (`has_outlines`)
  /// is_contact() decides.
  virtual void find_touches(double t, const ConstVectorRef& q, ContactFeatures& features,
                            SystemWorkspace& work) const = 0;
  virtual bool has_outlines(Index i) const = 0;
  /// Return the length in m of the larger contour in slot i, as a reference for lengths near its
  /// features.
  virtual double length_of(Index i) const = 0;
  /// Return the first slot of the two contours of slot i.
  virtual Index pair_of(Index i) const = 0;
  /// Return the two outlines with the deepest overlap, determined by clipping without contact
  /// points. Runs are checked with it.
  virtual OutlineOverlap deepest_overlap(double t, const ConstVectorRef& q,
                                         SystemWorkspace& work) const = 0;
  /// Return the two shapes with the deepest overlap, determined by the contact search of steps. The
  /// share is relative to the size of the smaller shape.
  virtual OutlineOverlap deepest_shapes(double t, const ConstVectorRef& q,
                                        SystemWorkspace& work) const = 0;
  /// Return a time in s, at most h. Until then no outline moves by more than `share` of the
  /// narrower width relative to another one that it could reach within h.
  virtual double time_to_pass(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              double share, double h, SystemWorkspace& work) const = 0;
  /// Return true if slot i, which touches at `contacts` and is not closed, is a contact. Where two
  /// corners meet, it may be one only by its features.
  virtual bool is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                          const ContactKinematics& contacts, SystemWorkspace& work) const = 0;

 protected:
  ~FeatureSearch() = default;
};

}  // namespace nsmb
