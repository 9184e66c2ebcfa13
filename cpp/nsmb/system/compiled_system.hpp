// A system given by machine code generated from its equations.
//
// A function reads through in[] and writes through out[], directly into the arrays of the caller
// (column-major), so nothing is copied. It must not allocate, lock or store anything, because
// threads share it.
#pragma once

#include <memory>
#include <string>

#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/coordinate_map.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/jacobians.hpp"
#include "nsmb/system/state_bounds.hpp"
#include "nsmb/system/system.hpp"
#include "nsmb/system/watched_functions.hpp"

namespace nsmb {

using CompiledFunction = void (*)(const double* const* in, double* const* out);

/// The inputs in in[]. A function receives those in brackets after its name below, and the rest is
/// null. All functions receive t, the parameters and the inputs of the system.
enum class CompiledInput { t, q, u, x, parameters, udot, lambda_N, lambda_T, zeta, lambda, inputs };
inline constexpr std::size_t kCompiledInputs = 11;

/// The functions of a system. Functions of missing parts are null.
struct CompiledFunctions {
  CompiledFunction mass_matrix = nullptr;       // [q] -> M
  CompiledFunction forces = nullptr;            // [q, u, x] -> h
  CompiledFunction contacts = nullptr;          // [q, u] -> g_N to bound of ContactKinematics
  CompiledFunction constraints = nullptr;       // [q, u] -> members of ConstraintKinematics
  CompiledFunction bounds = nullptr;            // [q, u, x] -> bounds of all contacts
  CompiledFunction elements = nullptr;          // [q] -> γ, W, w̃ of elements that are not watched
  CompiledFunction watch = nullptr;             // [q, u, x] -> watched functions
  CompiledFunction coordinate_rates = nullptr;  // [q, u] -> q̇; null: q̇ = u
  CompiledFunction state_rates = nullptr;       // [q, u, x] -> ẋ
  CompiledFunction potential_energy = nullptr;  // [q] -> V
  CompiledFunction state_energy = nullptr;      // [q, u, x] -> stored energy other than V
  CompiledFunction limits = nullptr;            // [q, u, x] -> values that must be positive
  CompiledFunction parts = nullptr;             // [q, u, x] -> forces of machine elements
  CompiledFunction jacobians = nullptr;         // [all] -> members of Jacobians
};

class CompiledSystem final : public System,
                             public CoordinateMap,
                             public InternalStates,
                             public ElementSet,
                             public WatchedFunctions,
                             public StateBounds,
                             public ConstraintSet,
                             public Differentiable {
 public:
  /// Create the system. `code` keeps the machine code alive. `limits` names values that must be
  /// positive. Otherwise forces have no value. `parts` names the parts that trouble() may report.
  /// Watched functions are the last elements. Throw std::invalid_argument for a part without a
  /// function.
  CompiledSystem(SystemDescription description, CompiledFunctions functions, Vector parameters,
                 std::shared_ptr<const void> code, bool constant_mass_matrix,
                 bool constant_directions, std::vector<std::string> limits = {},
                 std::vector<std::string> parts = {});

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
  double state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, SystemWorkspace& work) const override;
  void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                          SystemWorkspace& work) const override;
  void watch(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
             VectorRef values, SystemWorkspace& work) const override;
  void friction_bounds(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                       const ConstVectorRef& x, VectorRef bound,
                       SystemWorkspace& work) const override;
  double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  std::string trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const ConstVectorRef& x, SystemWorkspace& work) const override;
  bool calls_user() const override { return false; }
  bool constant_mass_matrix() const override { return constant_mass_matrix_; }
  bool constant_directions() const override { return constant_directions_; }
  void jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const GivenForces& forces, Jacobians& jacobians,
                 SystemWorkspace& work) const override;

 private:
  Vector values(CompiledFunction function, const std::vector<std::string>& names, double t,
                const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
                SystemWorkspace& work) const;

  CompiledFunctions functions_;
  Vector parameters_;
  std::shared_ptr<const void> code_;
  bool constant_mass_matrix_, constant_directions_;
  std::vector<std::string> limits_, parts_;
  Index first_watched_ = 0;  // among the force elements
};

}  // namespace nsmb
