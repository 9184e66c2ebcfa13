// Linear systems with affine gaps: M q̈ + D q̇ + K q = f(t) + C x, g_N = w_Nᵀq + gap + w̃_N t, and
// states ẋ = A x + Q q + U q̇ + b(t).
#pragma once

#include <functional>
#include <vector>

#include "nsmb/system/cliques.hpp"
#include "nsmb/system/division.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// The force a cos(ωt) + b sin(ωt).
struct HarmonicForce {
  Vector cosine;       // (nu) a
  Vector sine;         // (nu) b
  double omega = 0.0;  // ω > 0, rad/s
};

/// A piecewise linear force over time.
struct ForcePieces {
  Vector ends;            // (k) ascending times at which a piece ends and the next one starts
  Matrix constant, ramp;  // (nu, k + 1), per second; in absolute time
  /// Return the piece at t, the later one where two meet.
  Index at(double t) const;
};

/// The force f(t) = constant + ramp t + pieces(t) + Σ harmonics + user(t) + Σ inputs. Without
/// `user` the motion between two events has a closed form.
struct LinearForce {
  Vector constant;                              // (nu)
  Vector ramp;                                  // (nu) per second
  std::vector<HarmonicForce> harmonics;         // any number
  std::function<void(double, VectorRef)> user;  // adds to f; empty: none
  ForcePieces pieces;                           // no ends: none
  Matrix inputs = {};                           // (nu, ni) force per unit of each input
};

struct LinearContact {
  std::string name;
  Vector w_N;              // (nu) constant direction; Friction: unused
  Matrix w_T;              // (nu, 1 or 2) constant directions; zero: no tangential direction
  double gap = 0.0;        // g_N at q = 0, t = 0, m
  double w_tilde_N = 0.0;  // prescribed normal velocity, m/s
  Vector w_tilde_T;        // (1 or 2) prescribed tangential velocity (a moving belt), m/s
  UnilateralContact law;
  ContactKind kind = ContactKind::Unilateral;
  Index normal = -1;   // Friction: as in ContactDescription
  double bound = 0.0;  // Friction: given part of the bound, N
};

/// A force element with γ = wᵀq + gap + w̃ t.
struct LinearForceElement {
  ForceElementDescription law;
  Vector w;  // (nu)
  double gap = 0.0;
  double w_tilde = 0.0;
};

/// First-order states ẋ = A x + Q q + U u + b(t), which act on the masses by the force C x.
struct LinearStates {
  std::vector<std::string> names;
  Matrix A;           // (nx, nx) 1/s
  Matrix Q, U;        // (nx, n)
  Matrix C;           // (n, nx)
  LinearForce drive;  // b, (nx); without `user`, with pieces that end with those of the force
};

/// All constant data of a linear system. The closed-form motion is computed from them.
struct LinearForm {
  Matrix M, K, D;  // (n, n)
  LinearForce force;
  Matrix W_N, W_T;        // (n, nc), (n, nt)
  Vector gap, w_tilde_N;  // (nc)
  Vector w_tilde_T;       // (nt)
  Vector bound;           // (nc)
  LinearStates states;    // size 0: none
};

/// A linear system. It has a linear_form() if the motion between two events is linear. That
/// excludes forces by `user`, force elements, friction coefficients that depend on the slip speed,
/// and contacts with two tangential directions.
class LinearSystem final : public System,
                           public InternalStates,
                           public ElementSet,
                           public Division {
 public:
  /// Create the system from M, K and D of shape (n, n). Throw std::invalid_argument with the name
  /// of the argument for other shapes, and if M is not symmetric positive definite.
  LinearSystem(std::vector<std::string> coordinates, const ConstMatrixRef& M,
               const ConstMatrixRef& K, const ConstMatrixRef& D, LinearForce force,
               const std::vector<LinearContact>& contacts,
               const std::vector<LinearForceElement>& elements = {},
               const Discontinuities& discontinuities = {}, LinearStates states = {},
               std::vector<InputDescription> inputs = {});

  void mass_matrix(double t, const ConstVectorRef& q, MatrixRef M,
                   SystemWorkspace& work) const override;
  void forces(double t, const ConstVectorRef& q, const ConstVectorRef& u, const ConstVectorRef& x,
              VectorRef h, SystemWorkspace& work) const override;
  void state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                   const ConstVectorRef& x, VectorRef xdot, SystemWorkspace& work) const override;
  double state_energy(double /*t*/, const ConstVectorRef& /*q*/, const ConstVectorRef& /*u*/,
                      const ConstVectorRef& /*x*/, SystemWorkspace& /*work*/) const override {
    return 0.0;
  }
  void contact_kinematics(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          ContactKinematics& contacts, SystemWorkspace& work) const override;
  void element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                          SystemWorkspace& work) const override;
  /// Return ½ qᵀKq - constantᵀq, or NaN if K is not symmetric.
  double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  bool calls_user() const override { return static_cast<bool>(form_.force.user); }
  bool constant_mass_matrix() const override { return true; }
  bool constant_directions() const override { return true; }
  /// Split the system by the zeros of M, K and D, and of the directions of contacts and elements.
  /// Contacts are also coupled if the normal force of one bounds the friction of another. A `user`
  /// force, states and inputs couple everything.
  std::vector<SystemPart> split(std::size_t fewest) const override;

 private:
  void store(const LinearContact& contact, Index i);
  void find_cliques();
  std::shared_ptr<const System> make_part(const SystemPart& part) const;

  LinearForm form_;
  std::vector<LinearForceElement> elements_;
  Cliques cliques_;  // by the zeros of M and of the directions of contacts
  bool symmetric_stiffness_;
};

}  // namespace nsmb
