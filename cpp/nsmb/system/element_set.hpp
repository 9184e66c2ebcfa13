// Where the force elements of a system stand.
#pragma once

#include "nsmb/system/force_element.hpp"
#include "nsmb/system/workspace.hpp"

namespace nsmb {

class ElementSet {
 public:
  /// γ, w and w̃ of the force elements; rows of watched functions stay as they are, zeros.
  virtual void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                  SystemWorkspace& work) const = 0;

 protected:
  ~ElementSet() = default;
};

}  // namespace nsmb
