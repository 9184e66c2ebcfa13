// The interface every mechanical system implements:
//   M(q,t) u̇ = h(q,u,t) + W λ,   q̇ = B(q) u,   γ = Wᵀu + w̃,   γ̇ = Wᵀu̇ + w̄.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nsmb/system/contact.hpp"

namespace nsmb {

struct LinearForm;

/// A description: immutable once built and shared between threads, so every method is const and
/// writes only into its output arguments.
class System {
 public:
  /// Names must be unique and not empty. Throws std::invalid_argument otherwise.
  System(std::vector<std::string> coordinates, Index nu, std::vector<ContactDescription> contacts);
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  Index nq() const { return static_cast<Index>(coordinates_.size()); }
  Index nu() const { return nu_; }
  Index nc() const { return static_cast<Index>(contacts_.size()); }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const std::vector<ContactDescription>& contacts() const { return contacts_; }

  /// M (nu, nu), symmetric positive definite.
  virtual void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M) const = 0;
  /// h (nu): all forces and gyroscopic terms of the system without contacts (3.11).
  virtual void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      VectorRef h) const = 0;
  virtual void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                  ContactKinematics& contacts) const = 0;
  /// q̇ = B(q) u; identity unless overridden, which needs nq == nu.
  virtual void coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                VectorRef qdot) const;
  /// V(q, t) in J; NaN when the system does not know it.
  virtual double potential_energy(double t, const ConstVectorRef& q) const;

  /// M does not depend on q and t: it is then factorised once per simulation.
  virtual bool constant_mass_matrix() const { return false; }
  /// Nor do W_N and W_T.
  virtual bool constant_directions() const { return false; }
  /// The constant matrices of a linear system, nullptr for any other.
  virtual const LinearForm* linear_form() const { return nullptr; }

 private:
  std::vector<std::string> coordinates_;
  Index nu_;
  std::vector<ContactDescription> contacts_;
};

}  // namespace nsmb
