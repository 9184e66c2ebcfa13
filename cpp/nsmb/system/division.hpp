// Systems that fall into parts which nothing joins.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

class System;

/// A part of a system that nothing joins to the rest: a system of its own, and where what it has
/// stands in the whole, in the same order.
struct SystemPart {
  std::shared_ptr<const System> system;
  std::vector<Index> q, u, x, contacts, elements, constraints;
};

class Division {
 public:
  /// Each coordinate, contact, element and constraint is in one part. Empty: they are fewer than
  /// `fewest`, or what joins what is not known.
  virtual std::vector<SystemPart> split(std::size_t fewest) const = 0;

 protected:
  ~Division() = default;
};

}  // namespace nsmb
