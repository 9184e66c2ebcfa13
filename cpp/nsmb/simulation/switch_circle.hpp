// Force elements that switch back and forth at one instant, because their functions fall in every
// mode.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/force_element.hpp"

namespace nsmb {

/// The sequence of states of one instant that ended where they started.
class SwitchCircle {
 public:
  void forget() { ended_.clear(); }
  /// Add a state that ended through clear falls of watched functions. Return true if it has ended
  /// so before and nothing else has happened since. The cycle then repeats indefinitely.
  bool closes(const ContactStates& states, const ElementModes& modes);
  /// Return the elements that switch during the cycle.
  std::vector<Index> elements() const;

 private:
  std::vector<std::pair<ContactStates, ElementModes>> ended_;
};

}  // namespace nsmb
