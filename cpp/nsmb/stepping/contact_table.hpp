// Contacts of shapes that a step has found, in any number, and what is kept of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "nsmb/contact_laws/contact_state.hpp"
#include "nsmb/system/contact_set.hpp"

namespace nsmb {

/// Of one step: contacts where it looked at them.
struct FoundContacts {
  std::vector<FoundContact> contacts;
  std::vector<std::array<double, 6>> impulses;  // N, T1, T2 in N s; R1, R2, D in N m s
  std::vector<ContactState> states;             // at the end of the step

  void clear();
};

/// One row per contact, sample by sample.
struct ContactTable {
  std::vector<std::int64_t> first{0};    // (samples + 1) first row of each
  std::vector<std::uint64_t> identity;   // (n)
  std::vector<std::int32_t> shapes;      // (n, 2)
  std::vector<std::int32_t> law;         // (n)
  std::vector<double> g_N, point, axes;  // (n) m, (n, 3) m, (n, 9): n, t_1, t_2 one by one
  std::vector<double> force;             // (n, 6) N and N m
  std::vector<std::int8_t> state;        // (n) ContactState

  void clear() { *this = {}; }
  std::size_t bytes() const;
  /// A sample with the mean forces of a step of length h.
  void add(double h, const FoundContacts& found);
};

}  // namespace nsmb
