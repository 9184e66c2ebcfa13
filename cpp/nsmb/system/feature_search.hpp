// Contact points that come and go: which feature of one body may touch which of another is part of
// the state, see ContactFeatures.
#pragma once

#include "nsmb/system/contact.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

class FeatureSearch {
 public:
  /// All candidates at (t, q); those that remain keep their slots.
  virtual void find_features(double t, const ConstVectorRef& q, ContactFeatures& features,
                             SystemWorkspace& work) const = 0;
  /// Is slot i, which touches at `contacts` and is not closed, a contact? Where two corners meet it
  /// may be one for the features alone.
  virtual bool is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                          const ContactKinematics& contacts, SystemWorkspace& work) const = 0;

 protected:
  ~FeatureSearch() = default;
};

}  // namespace nsmb
