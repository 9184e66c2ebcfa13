// The parameters of a contact, and its relative kinematics at one instant.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/system/friction_curve.hpp"

namespace nsmb {

enum class ContactKind {
  Unilateral,  // 0 <= g_N ⟂ λ_N >= 0 with Coulomb friction
  Friction,    // friction only, |λ_T| <= bound(t, q, u) + mu λ_N of another contact, or of none
};

/// A unilateral contact with Coulomb friction, and its impact law (chapters 6 and 8).
struct UnilateralContact {
  double mu = 0.0;      // friction coefficient μ_0 for sticking, sliding and impacts
  double e_N = 0.0;     // normal restitution ε_N in [0, 1]
  double e_T = 0.0;     // tangential restitution ε_T in [0, 1], (8.37)
  double nu = 0.0;      // reversibility ν of the friction impulse in [0, 1], (8.37)
  double aspect = 1.0;  // two tangential directions: ratio of the second friction coefficient to mu
  // Resistance of bodies to rolling and to drilling (spin about the normal): moments up to mu_R λ_N
  // and mu_D λ_N. Each is a friction-only contact of the system.
  double mu_R = 0.0;       // m
  double mu_D = 0.0;       // m
  FrictionCurvePtr curve;  // μ(|γ_T|) with μ(0) = μ_0; null: constant
};

/// Throw std::invalid_argument with the names of `contact` and of a parameter out of range.
void check_law(const std::string& contact, const UnilateralContact& law);

struct ContactDescription {
  std::string name;
  UnilateralContact law;
  ContactKind kind = ContactKind::Unilateral;
  Index tangents = 1;   // tangential directions, 1 or 2
  Index normal = -1;    // Friction: the unilateral contact whose λ_N enters the bound; -1: none
  bool bounded = true;  // Friction: bound(t, q, u) may be positive
};

/// The order of the rows of all contacts: normal rows first, one per contact, then the tangential
/// rows. G = Wᵀ M⁻¹ W and similar matrices have this order.
struct ContactRows {
  ContactRows() = default;
  explicit ContactRows(const std::vector<ContactDescription>& contacts);
  static ContactRows planar(Index nc);

  Index nc = 0;                  // contacts
  Index nt = 0;                  // tangential rows
  std::vector<Index> first;      // (nc + 1) tangential rows of contact i: first[i] to first[i + 1]
  std::vector<Index> normal;     // (nc) contact whose normal force bounds the friction; -1: none
  std::vector<Index> required;   // (nc) contact without which friction has no bound; -1: none
  std::vector<bool> unilateral;  // (nc)
  std::vector<std::vector<Index>> rubbing;  // (nc) contacts whose friction its normal force bounds
  bool spatial = false;                     // some contact has two tangential directions

  Index size() const { return nc + nt; }
  Index tangent(Index i) const { return first[static_cast<std::size_t>(i)]; }
  Index dim(Index i) const { return first[static_cast<std::size_t>(i) + 1] - tangent(i); }
  /// Return the first tangential row of contact i among all rows.
  Index row(Index i) const { return nc + tangent(i); }
  Index normal_of(Index i) const { return normal[static_cast<std::size_t>(i)]; }
  /// Return the contact that must be closed for friction-only contact i to act, or -1.
  Index required_by(Index i) const { return required[at(i)]; }
  const std::vector<Index>& rubbing_under(Index i) const { return rubbing[at(i)]; }
  bool is_unilateral(Index i) const { return unilateral[static_cast<std::size_t>(i)]; }
};

/// A slot of a system with changing contact points: the features of two contours that may touch.
/// The contour parameters are the start of the next search for the contact point.
struct ContactFeature {
  Index first = -1, second = -1;  // features of the two contours; -1: unused slot
  double sigma_1 = 0.0, sigma_2 = 0.0;
  bool valid = true;  // the contact point lay within its features at the last check

  bool used() const { return first >= 0; }
  bool same(const ContactFeature& other) const {
    return first == other.first && second == other.second;
  }
};

/// The features of a system with changing contact points. They are part of the state and stored by
/// the simulation.
struct ContactFeatures {
  std::vector<ContactFeature> slots;  // (nc)
  Vector reference;                   // data that the system stored when it found them
};

/// Relative kinematics of all nc contacts: γ = Wᵀu + w̃ (4.38), γ̇ = Wᵀu̇ + w̄ (4.45).
struct ContactKinematics {
  ContactKinematics(Index nu, const ContactRows& rows);

  Vector g_N;        // (nc) contact distance, m; 0 for friction-only contacts
  Matrix W_N, W_T;   // (nu, nc), (nu, nt) generalized force directions
  Vector w_tilde_N;  // (nc) prescribed normal velocity, m/s
  Vector w_tilde_T;  // (nt) prescribed tangential velocity, m/s
  Vector w_bar_N;    // (nc) acceleration terms without u̇, m/s²
  Vector w_bar_T;    // (nt)
  Vector bound;      // (nc) given part of the friction bound, N; 0 for unilateral contacts

  // Requested contacts, ascending; values of others may remain unchanged. null: all contacts.
  const std::vector<Index>* asked = nullptr;
  bool has_directions = false;  // constant directions are present and need no copy
  bool of_motion = false;       // the state is one of the motion, not of a step that is tried
  // Contact points that change.
  ContactFeatures features;  // input; its contour parameters are updated
  Vector domain;             // (nc) m, distance of the contact point from the end of its features
  // (nc) nonnegative while the list of candidates is known to be complete. It is stored at the
  // first slot of each group that is searched together, and infinite elsewhere.
  Vector margin;

  /// Return true if slot i may be a contact: it is used and its point lies within the features.
  bool is_valid(Index i) const {
    const ContactFeature& slot = features.slots[static_cast<std::size_t>(i)];
    return slot.valid;
  }
};

}  // namespace nsmb
