// Capability of systems with shapes that may touch anywhere: find all contacts near a state.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "nsmb/system/contact_set.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// A touch during a step between shapes that would have passed through each other at the next
/// evaluation of contacts.
struct TouchOnTheWay {
  double time = std::numeric_limits<double>::infinity();   // s after the start; infinite: none
  double brief = std::numeric_limits<double>::infinity();  // s within which touching pairs keep
                                                           // reliable directions
};

class ContactFinder {
 public:
  virtual const std::vector<UnilateralContact>& surface_laws() const = 0;
  /// Names of the shapes, for messages and results.
  virtual const std::vector<std::string>& shape_names() const = 0;

  /// Find all pairs of features whose gap is at most `margin`, plus the distance by which the two
  /// shapes can approach in `step` with the velocities u. No contact of the step is missed. With
  /// step = 0 only pairs within `margin` are found. A pair is skipped if none of its shapes moves,
  /// and each is fixed or belongs to a clique marked in `at_rest` (cliques; null: none).
  virtual void find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             double margin, double step, const std::vector<char>* at_rest,
                             ContactSet& found, SystemWorkspace& work) const = 0;

  /// Find the first touch within `step` with the velocities u. It is a touch of separate shapes, or
  /// of touching shapes that approach each other. Only shapes count that would pass through each
  /// other, or penetrate deeply, by the next evaluation. Evaluations are at `look` after the start
  /// of this step and of the next one. Gaps below gap_tolerance are closed.
  virtual TouchOnTheWay first_touch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                    double gap_tolerance, double step, double look,
                                    SystemWorkspace& work) const = 0;

 protected:
  ~ContactFinder() = default;
};

}  // namespace nsmb
