// Force elements whose functions take and return plain numbers: user functions and machine code.
#pragma once

#include <functional>

#include "nsmb/multibody/force_element.hpp"
#include "nsmb/system/compiled_system.hpp"

namespace nsmb {

/// The interface of an element: its markers, joints, states and watched functions.
struct ForceInterface {
  std::size_t markers = 0, joints = 0;
  std::vector<std::string> states = {};
  Vector initial = {};
  std::vector<WatchedFunction> watched = {};
  std::vector<std::string> limits = {};  // quantities that must be positive
};

/// The kinematics of an element as plain numbers.
struct FlatInput {
  FlatInput(std::size_t markers, std::size_t joints);
  void take(const ForceInput& in);
  Matrix markers;  // (18, markers) r, A by rows, v, Ω, inertial components
  Vector joints;   // q of all joints, then u of all joints
};

/// Base class of force elements with plain numbers.
class FlatForce : public ForceElement, public ForceSwitches {
 public:
  /// Throws std::invalid_argument for initial values of the wrong number or with non-finite
  /// entries.
  explicit FlatForce(ForceInterface interface);
  std::size_t markers() const final { return interface_.markers; }
  std::size_t joints() const final { return interface_.joints; }
  std::vector<std::string> states() const final { return interface_.states; }
  Vector initial() const final { return interface_.initial; }
  const ForceSwitches* switches() const final { return watches() > 0 ? this : nullptr; }
  std::vector<WatchedFunction> watched() const final { return interface_.watched; }

 protected:
  Index nx() const { return static_cast<Index>(interface_.states.size()); }
  const std::vector<std::string>& limits() const { return interface_.limits; }
  Index watches() const { return static_cast<Index>(interface_.watched.size()); }
  /// Pass the wrenches (6, markers), force and moment of each marker, and the joint forces to
  /// `out`.
  void hand_on(const Matrix& wrenches, const Vector& joint_forces, WrenchSink& out) const;

 private:
  ForceInterface interface_;
};

/// A force element of user functions, called at each evaluation. The functions may throw, and the
/// exception leaves the simulation unchanged.
class CallbackForce final : public FlatForce {
 public:
  struct At {
    double t;
    const Matrix& markers;
    const Vector& joints;
    Vector states;  // followed by modes
  };
  struct Values {
    Matrix wrenches;  // (6, markers)
    Vector joint_forces, xdot;
  };
  struct Functions {
    std::function<Values(const At&)> evaluate;
    std::function<Vector(const At&)> watch;   // empty: nothing is watched
    std::function<double(const At&)> energy;  // empty: unknown
  };
  CallbackForce(ForceInterface interface, Functions functions);
  std::unique_ptr<ForceWorkspace> make_workspace() const override;
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  void watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const override;
  double energy(const ForceInput& in, ForceWorkspace& work) const override;
  bool calls_user() const override { return true; }

 private:
  Functions functions_;
};

/// Machine code with the arguments of a CompiledSystem: `q` and `u` are the markers and the joints
/// of FlatInput, and `x` are states and modes.
class CompiledForce final : public FlatForce {
 public:
  struct Functions {
    CompiledFunction evaluate = nullptr;  // -> wrenches, joint forces, ẋ
    CompiledFunction watch = nullptr;     // -> values
    CompiledFunction energy = nullptr;    // -> J; nullptr: unknown
    CompiledFunction limits = nullptr;    // -> values that must be positive for a force to exist
  };
  /// Construct the element. `code` keeps the functions alive.
  CompiledForce(ForceInterface interface, Functions functions, Vector parameters,
                std::shared_ptr<const void> code);
  std::unique_ptr<ForceWorkspace> make_workspace() const override;
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  void watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const override;
  double energy(const ForceInput& in, ForceWorkspace& work) const override;
  std::string trouble(const ForceInput& in, ForceWorkspace& work) const override;

 private:
  Vector limit_values(const ForceInput& in, ForceWorkspace& work) const;

  Functions functions_;
  Vector parameters_;
  std::shared_ptr<const void> code_;
};

}  // namespace nsmb
