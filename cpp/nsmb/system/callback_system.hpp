// A system given by functions, for prototypes. Each evaluation calls the functions.
#pragma once

#include <functional>

#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/coordinate_map.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The functions of a system. Shapes are as in `System`, and v (ni) are the values of the inputs.
/// Functions overwrite their output arguments and do not add to them. An exception in a function
/// leaves the simulation unchanged.
struct SystemFunctions {
  std::function<Matrix(double, const Vector&)> mass_matrix;  // (t, q) -> (nu, nu)
  std::function<Vector(double, const Vector&, const Vector&, const Vector&, const Vector&)>
      forces;  // (t, q, u, x, v) -> (nu)
  std::function<void(double, const Vector&, const Vector&, ContactKinematics&)> contacts;
  std::function<Vector(double, const Vector&, const Vector&, const Vector&, const Vector&)>
      state_rates;  // (t, q, u, x, v) -> (nx_own); empty: no states
  std::function<void(double, const Vector&, ElementKinematics&)> elements;
  std::function<void(double, const Vector&, const Vector&, ConstraintKinematics&)> constraints;
  std::function<Vector(double, const Vector&, const Vector&)> coordinate_rates;  // empty: q̇ = u
  std::function<double(double, const Vector&)> potential_energy;                 // empty: unknown
};

class CallbackSystem final : public System,
                             public CoordinateMap,
                             public InternalStates,
                             public ElementSet,
                             public ConstraintSet {
 public:
  CallbackSystem(SystemDescription description, SystemFunctions functions,
                 bool constant_mass_matrix);

  void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                   SystemWorkspace& work) const override;
  void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              VectorRef h, SystemWorkspace& work) const override;
  void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          ContactKinematics& contacts, SystemWorkspace& work) const override;
  void constraint_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                             ConstraintKinematics& constraints,
                             SystemWorkspace& work) const override;
  void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot,
                        SystemWorkspace& work) const override;
  bool normalise(VectorRef /*q*/) const override { return false; }
  void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x, VectorRef xdot, SystemWorkspace& work) const override;
  double state_energy(double /*t*/, const ConstVectorRef& /*q*/, const ConstVectorRef& /*u*/,
                      const ConstVectorRef& /*x*/, SystemWorkspace& /*work*/) const override {
    return 0.0;
  }
  void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                          SystemWorkspace& work) const override;
  double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  bool constant_mass_matrix() const override { return constant_mass_matrix_; }

 private:
  SystemFunctions functions_;
  bool constant_mass_matrix_;
};

}  // namespace nsmb
