// What evaluations of a system write to besides their results.
#pragma once

#include "nsmb/core/types.hpp"

namespace nsmb {

/// What a system keeps between evaluations: scratch memory, and what it computed last. One per
/// thread, made by System::workspace(). It also holds the values of the inputs, which belong to a
/// run and not to the description.
struct SystemWorkspace {
  virtual ~SystemWorkspace() = default;
  const Vector& inputs() const { return inputs_; }
  /// (ni)
  void set_inputs(const ConstVectorRef& values) {
    inputs_ = values;
    forget();
  }

 protected:
  /// Nothing computed so far holds any longer; to be overridden by what depends on inputs.
  virtual void forget() {}

 private:
  Vector inputs_;
};

}  // namespace nsmb
