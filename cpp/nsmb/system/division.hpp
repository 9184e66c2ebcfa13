// Systems that consist of independent parts.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

class System;

/// An independent part of a system: a system of its own, and the indices of its items in the whole
/// system, in the same order.
struct SystemPart {
  std::shared_ptr<const System> system;
  std::vector<Index> q, u, x, contacts, elements, constraints;
};

class Division {
 public:
  /// Split the system so that each coordinate, contact, element and constraint belongs to one part.
  /// The result is empty if there are fewer than `fewest` parts, or if the couplings are not known.
  virtual std::vector<SystemPart> split(std::size_t fewest) const = 0;

 protected:
  ~Division() = default;
};

}  // namespace nsmb
