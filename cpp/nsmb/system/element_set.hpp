// Kinematics of the force elements of a system.
#pragma once

#include "nsmb/system/force_element.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

class ElementSet {
 public:
  /// Compute γ, w and w̃ of the force elements. Rows of watched functions remain zero.
  virtual void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                  SystemWorkspace& work) const = 0;

 protected:
  ~ElementSet() = default;
};

}  // namespace nsmb
