// The order of sweeps: colours of contacts that share nothing, and the data of each contact of the
// most common kind in contiguous memory.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/complementarity/friction_contacts.hpp"
#include "nsmb/complementarity/friction_unit.hpp"

namespace nsmb::internal {

/// A normal and a disc of two rows, on one or two bodies of six rows.
struct SweepRecord {
  Index row = 0;
  Index body[2] = {-1, -1};  // first rows in v; -1: none
  double b[3] = {};
  double A[9] = {};
  double H[2][18] = {};
  CoulombLaw law;
};

/// Colours and records of a system. The colours are kept while its pattern stays the same.
class SweepPlan {
 public:
  /// Set up the plan. `system` must outlive its use.
  void assign(const ContactSystem& system);

  Index colors() const { return static_cast<Index>(first_.size()) - 1; }
  Index begin(Index color) const { return first_[static_cast<std::size_t>(color)]; }
  Index end(Index color) const { return first_[static_cast<std::size_t>(color) + 1]; }
  /// Update the unit at a position of the order, and with it x and v.
  void update(Index place, Vector& x, Vector& v) const;

 private:
  bool is_colored() const;
  void list_users();
  void list_readers();
  void color_units();
  void sort_units(Index colors);
  void set_records();

  const ContactSystem* system_ = nullptr;
  std::vector<Index> order_, first_;  // units colour by colour; (colours + 1)
  std::vector<Index> record_;         // (units) by position; -1: none
  std::vector<SweepRecord> records_;
  // Pattern for which the colours were computed.
  std::vector<Index> start_, inner_;
  std::vector<std::pair<Index, Index>> readers_;  // units of which one needs the other's x_N
  bool split_ = false;
  // Scratch.
  std::vector<Index> users_first_, users_, unit_of_row_, color_, taken_, next_;
  std::vector<std::pair<Index, Index>> found_readers_;
};

}  // namespace nsmb::internal
