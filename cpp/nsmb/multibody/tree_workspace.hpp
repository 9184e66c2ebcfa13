// Everything that is computed for a tree at one instant. One workspace per thread, allocated once.
//
// Components are in the inertial frame. Velocities, accelerations and inertias of a link refer to
// the origin O of its frame, a point of the body. (3.3) leads back to the book's centre of mass S.
#pragma once

#include <vector>

#include "nsmb/multibody/tree.hpp"

namespace nsmb {

/// Six entries of a symmetric matrix: xx, xy, xz, yy, yz, zz.
using Symmetric3 = std::array<double, 6>;

/// A pair with the rotational part first: angular velocity and velocity, or moment and force.
struct Pair {
  Vector3 R = Vector3::Zero();
  Vector3 T = Vector3::Zero();
};

struct LinkState {
  Matrix3 A = Matrix3::Identity();      // link components to inertial ones
  Vector3 r = Vector3::Zero();          // origin O
  Vector3 rho = Vector3::Zero();        // from the origin of the parent's link to O
  Vector3 from_root = Vector3::Zero();  // from the origin of the first link of the chain to O
  Vector3 moment = Vector3::Zero();     // mass times the vector from O to S
  Symmetric3 inertia{};                 // I_O
  Pair v;                               // Ω and v_O
  Pair zeta;     // acceleration relative to the parent without u̇, last term of (2.33), (2.34)
  Pair j_tilde;  // part of v that is prescribed in time
  Pair j_bar;    // part of the absolute acceleration without u̇
};

/// Columns, mass and forces of the elastic velocities of a body, including contributions of its
/// nodes.
struct ElasticSums {
  explicit ElasticSums(Index n);

  std::vector<Pair> U;  // (n) H of the body and everything beyond
  Matrix M;             // (n, n) M_el of the body and everything beyond
  Vector force;         // (n)
};

/// State of an elastic body with the coordinates p of (11.4), (14.37). Inertial components, about
/// O.
struct ElasticState {
  explicit ElasticState(Index n);

  Vector p, v;          // (n) coordinates and their rates
  std::vector<Pair> H;  // (n) momentum of the body for unit rates, (11.17)
  Pair bias;            // moment and force without accelerations, in addition to a rigid body's
  Vector bias_el;       // (n) the same for its own coordinates, including K p and D v
  // Factors of articulated bodies are kept while M and forces are computed, so each has its own
  // sums.
  ElasticSums articulated, composite;
  Matrix N;            // (3 n, 3) ∫ Φ_k rᵀ dm of the displaced body, scratch
  Rows3 displacement;  // (3, n) ∫ Φ_k dm of the displaced body, components of the body
};

/// Inertia of a chain of bodies: moment = J α + H a, force = Hᵀ α + M a.
struct ChainInertia {
  Symmetric3 J{};
  Matrix3 H = Matrix3::Zero();
  Symmetric3 M{};
};

struct TreeWorkspace {
  explicit TreeWorkspace(const Tree& tree);

  /// Reset the wrenches on bodies, through the origins of their links; see apply_force.
  void clear_applied();

  std::vector<LinkState> links;
  std::vector<Pair> columns;  // (nu) derivative of the body's (Ω, v_O) by its own velocities
  std::vector<ElasticState> elastic;  // of elastic bodies
  std::vector<Pair> node_columns;     // of nodes, by the elastic velocities of the parent

  std::vector<Pair> applied;  // (bodies) moment and force
  bool any_applied = false;

  // Articulated bodies.
  std::vector<ChainInertia> chain;  // inertia passed on to the parent
  std::vector<Pair> force;          // force passed on to the parent
  std::vector<Pair> U;              // (nu)
  std::vector<double> D_inverse;    // (nu)
  std::vector<double> rest;         // (nu)
  std::vector<Pair> acceleration;

  // Composite bodies: columns and forces about the origin of the root, one row per component.
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> S, F;
  Matrix M;  // in the order of evaluation if that differs, once requested
};

}  // namespace nsmb
