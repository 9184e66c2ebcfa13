// Memory that evaluations of a system write to, in addition to their results.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Data that a system stores between evaluations: scratch memory and its last results. Each thread
/// has one workspace, created by System::workspace(). It also stores the values of the inputs,
/// which belong to a run and not to the description.
struct SystemWorkspace {
  virtual ~SystemWorkspace() = default;
  const Vector& inputs() const { return inputs_; }
  /// Set the values of the inputs (ni).
  void set_inputs(const ConstVectorRef& values) {
    inputs_ = values;
    forget();
  }

 protected:
  /// Discard stored results. Override this if they depend on inputs.
  virtual void forget() {}

 private:
  Vector inputs_;
};

}  // namespace nsmb
