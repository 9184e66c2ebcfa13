// Linear systems with affine gaps:  M q̈ + D q̇ + K q = f(t) + C x,  g_N = w_Nᵀq + gap + w̃_N t, and
// states  ẋ = A x + Q q + U q̇ + b(t).
#pragma once

#include <functional>
#include <vector>

#include "nsmb/system/cliques.hpp"
#include "nsmb/system/division.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/system.hpp"

namespace nsmb {

/// a cos(ωt) + b sin(ωt)
struct HarmonicForce {
  Vector cosine;       // (nu) a
  Vector sine;         // (nu) b
  double omega = 0.0;  // ω > 0, rad/s
};

/// Straight pieces of a force over time.
struct ForcePieces {
  Vector ends;            // (k) rising times at which a piece ends and the next one begins
  Matrix constant, ramp;  // (nu, k + 1), per second; in absolute time
  /// The piece at t, the later one where two meet.
  Index at(double t) const;
};

/// f(t) = constant + ramp t + pieces(t) + Σ harmonics + user(t) + Σ inputs. Without `user` the
/// motion between two events has a closed form.
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
  Vector w_N;              // (nu) constant direction; Friction: not used
  Matrix w_T;              // (nu, 1 or 2) constant directions; zero: no tangential direction
  double gap = 0.0;        // g_N at q = 0, t = 0, m
  double w_tilde_N = 0.0;  // prescribed normal velocity, m/s
  Vector w_tilde_T;        // (1 or 2) prescribed tangential velocity (a moving belt), m/s
  UnilateralContact law;
  ContactKind kind = ContactKind::Unilateral;
  Index normal = -1;   // Friction: as in ContactDescription
  double bound = 0.0;  // Friction: given part of the bound, N
};

/// γ = wᵀq + gap + w̃ t
struct LinearForceElement {
  ForceElementDescription law;
  Vector w;  // (nu)
  double gap = 0.0;
  double w_tilde = 0.0;
};

/// First-order states ẋ = A x + Q q + U u + b(t), which act on the masses with the force C x.
struct LinearStates {
  std::vector<std::string> names;
  Matrix A;           // (nx, nx) 1/s
  Matrix Q, U;        // (nx, n)
  Matrix C;           // (n, nx)
  LinearForce drive;  // b, (nx); without `user`, and its pieces end where those of the force do
};

/// All constant data of a linear system; also what the closed-form motion is computed from.
struct LinearForm {
  Matrix M, K, D;  // (n, n)
  LinearForce force;
  Matrix W_N, W_T;        // (n, nc), (n, nt)
  Vector gap, w_tilde_N;  // (nc)
  Vector w_tilde_T;       // (nt)
  Vector bound;           // (nc)
  LinearStates states;    // none: of size 0
};

/// It has a linear_form() when the motion between two events is linear: without force of a `user`,
/// force elements, coefficients that depend on the slip speed, two tangential directions.
class LinearSystem final : public System,
                           public InternalStates,
                           public ElementSet,
                           public Division {
 public:
  /// Shapes (n, n) for M, K, D. Throws std::invalid_argument naming the argument otherwise, and for
  /// M not symmetric positive definite.
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
  /// ½ qᵀKq - constantᵀq; NaN when K is not symmetric.
  double potential_energy(double t, const ConstVectorRef& q, SystemWorkspace& work) const override;
  bool calls_user() const override { return static_cast<bool>(form_.force.user); }
  bool constant_mass_matrix() const override { return true; }
  bool constant_directions() const override { return true; }
  /// By the zeros of M, K and D, the directions of contacts and elements, and contacts whose normal
  /// force bounds the friction of another. A force with a `user` part joins everything, and so do
  /// states and inputs.
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
