// Capability of systems whose shapes may touch anywhere: all contacts near a state.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "nsmb/system/contact_set.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

/// A step on whose way shapes may touch that would be through each other at the next look.
struct TouchOnTheWay {
  double time = std::numeric_limits<double>::infinity();   // s behind the begin; infinite: none
  double brief = std::numeric_limits<double>::infinity();  // s in which no pair that touches comes
                                                           // so deep that directions are not sure
};

class ContactFinder {
 public:
  virtual const std::vector<SurfaceLaw>& surface_laws() const = 0;
  /// Names of the shapes, for messages and results.
  virtual const std::vector<std::string>& shape_names() const = 0;

  /// All pairs of features whose gap is at most `margin` plus what the two shapes can approach each
  /// other in `step` with the velocities u: a contact of the step is never missed. With step = 0
  /// those within `margin` alone. Pairs are left out in which each shape is fixed, or belongs to a
  /// clique that is marked in `at_rest` (cliques; null: none is), and does not move.
  virtual void find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             double margin, double step, const std::vector<char>* at_rest,
                             ContactSet& found, SystemWorkspace& work) const = 0;

  /// The first touch within `step` with the velocities u of shapes that are apart, or that touch
  /// and run into each other, and that would be through each other, or deep in each other, at the
  /// next look: those are `look` behind the begin of the step and of the following one. Gaps below
  /// gap_tolerance are closed.
  virtual TouchOnTheWay first_touch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                    double gap_tolerance, double step, double look,
                                    SystemWorkspace& work) const = 0;

 protected:
  ~ContactFinder() = default;
};

}  // namespace nsmb
