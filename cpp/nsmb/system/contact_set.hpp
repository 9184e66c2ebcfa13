// Contacts in any number that come and go: what of many bodies touches, or may within a step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Which features of which shapes touch: the same number as long as the same do.
using ContactIdentity = std::uint64_t;

/// The law of a pair of shapes, with resistance to rolling and drilling.
struct SurfaceLaw {
  UnilateralContact contact;
  double mu_R = 0.0;  // m, |M_R| <= mu_R λ_N
  double mu_D = 0.0;  // m, |M_D| <= mu_D λ_N
};

/// One contact. Its rows are N, where it has a normal, T1, T2, where the law has mu_R R1, R2, and
/// with mu_D D.
struct FoundContact {
  ContactIdentity identity = 0;
  Index named = -1;                    // contact of the description; -1: of two shapes
  Index shape_1 = -1, shape_2 = -1;    // numbers in the system
  Index law = 0;                       // number in the list of the finder
  bool normal = true;                  // false: friction alone
  Index tangents = 2;                  // 0, 1 or 2
  double bound = 0.0;                  // N, given part of the friction bound
  double g_N = 0.0;                    // m
  Vector3 point = Vector3::Zero();     // between the two contact points, inertial
  Matrix3 axes = Matrix3::Identity();  // columns n, t_1, t_2, inertial; n leads from 1 to 2
  // The groups of velocities (Cliques) it moves, ascending; -1: none.
  std::array<Index, 2> cliques{-1, -1};
  Index first_row = 0, rows = 3;
  // Some velocity moves it along its normal. Where none does, no law determines its force.
  bool moves = true;
  // Where the entries of its directions begin in ContactSet::entries: for each clique it moves a
  // block (rows, size of the clique), column-major, over the velocities of the clique in order.
  std::array<Index, 2> first_entry{-1, -1};
};

/// All contacts found at one (t, q, u). Storage is kept from one search to the next.
struct ContactSet {
  std::vector<FoundContact> contacts;  // in an order that (t, q) alone decides
  std::vector<double> entries;         // of W
  std::vector<double> w_tilde;         // one per row, prescribed relative velocities (4.38)

  Index rows() const { return static_cast<Index>(w_tilde.size()); }
  void clear() {
    contacts.clear();
    entries.clear();
    w_tilde.clear();
  }
};

}  // namespace nsmb
