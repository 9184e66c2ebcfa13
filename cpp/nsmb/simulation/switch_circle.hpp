// Force elements that switch to and fro at one instant, because their functions fall in every mode.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/force_element.hpp"

namespace nsmb {

/// States of one instant that have ended where they began, one after the other.
class SwitchCircle {
 public:
  void forget() { ended_.clear(); }
  /// These have done so by clear falls of watched functions. True: they did before, and nothing
  /// else has happened since, so that they always will.
  bool closes(const ContactStates& states, const ElementModes& modes);
  /// Elements that switch on the way.
  std::vector<Index> elements() const;

 private:
  std::vector<std::pair<ContactStates, ElementModes>> ended_;
};

}  // namespace nsmb
