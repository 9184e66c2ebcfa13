// A changing set of any number of contacts: those between many bodies that touch, or may touch
// within a step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"
#include "nsmb/system/contact.hpp"

namespace nsmb {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// A number that identifies the features in contact. It is constant while these features touch.
using ContactIdentity = std::uint64_t;

/// A contact. Its rows are N if it has a normal, T1, T2, then R1, R2 if the law has mu_R, and D if
/// it has mu_D.
struct FoundContact {
  ContactIdentity identity = 0;
  Index named = -1;                    // contact of the description; -1: between two shapes
  Index shape_1 = -1, shape_2 = -1;    // numbers in the system
  Index law = 0;                       // index in the list of the finder
  bool normal = true;                  // false: friction only
  Index tangents = 2;                  // 0, 1 or 2
  double bound = 0.0;                  // N, given part of the friction bound
  double g_N = 0.0;                    // m
  Vector3 point = Vector3::Zero();     // between the two contact points, inertial
  Matrix3 axes = Matrix3::Identity();  // columns n, t_1, t_2, inertial; n points from 1 to 2
  // The cliques that the contact moves, ascending; -1: none.
  std::array<Index, 2> cliques{-1, -1};
  Index first_row = 0, rows = 3;
  // True if some velocity moves the contact along its normal. Otherwise no law determines its
  // force.
  bool moves = true;
  // Start of its directions in ContactSet::entries. For each clique that it moves there is a block
  // of shape (rows, size of the clique), column-major, over the velocities of the clique in order.
  std::array<Index, 2> first_entry{-1, -1};
};

/// All contacts found at one (t, q, u). Storage is reused in the next search.
struct ContactSet {
  std::vector<FoundContact> contacts;  // in an order determined by (t, q)
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
