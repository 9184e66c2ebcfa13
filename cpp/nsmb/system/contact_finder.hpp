// Capability of systems whose shapes may touch anywhere: all contacts near a state.
#pragma once

#include <string>
#include <vector>

#include "nsmb/system/contact_set.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

class ContactFinder {
 public:
  virtual const std::vector<SurfaceLaw>& surface_laws() const = 0;
  /// Names of the shapes, for messages and results.
  virtual const std::vector<std::string>& shape_names() const = 0;

  /// All pairs of features whose gap is at most `margin` plus what the two shapes can approach each
  /// other in `step` with the velocities u: a contact of the step is never missed. With step = 0
  /// those within `margin` alone.
  virtual void find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             double margin, double step, ContactSet& found,
                             SystemWorkspace& work) const = 0;

 protected:
  ~ContactFinder() = default;
};

}  // namespace nsmb
