// W, M⁻¹W and G of a system at one (t, q).
#pragma once

#include <cmath>
#include <vector>

#include "nsmb/contact_laws/delassus.hpp"
#include "nsmb/simulation/bilateral_constraints.hpp"
#include "nsmb/simulation/mass_matrix.hpp"

namespace nsmb {

/// Fills a Delassus from the directions of contacts, M at its last factorise() and constraints at
/// their last update.
class DelassusAssembly {
 public:
  /// `is_constant`: G never changes.
  DelassusAssembly(const ContactRows& rows, bool is_constant)
      : rows_(rows), is_constant_(is_constant) {}

  /// From now on W, M⁻¹W and G are computed for these contacts alone, their other rows and columns
  /// of M⁻¹W and G being left as they are; nullptr: for all.
  void restrict_to(const std::vector<bool>* which) { needed_ = which; }
  void update(const ContactKinematics& contacts, MassMatrix& mass, BilateralConstraints& bilateral,
              Delassus& delassus);

 private:
  bool lists_used(const ContactKinematics& contacts);
  void fill(Index row);
  void update_used(MassMatrix& mass, BilateralConstraints& bilateral, Delassus& delassus);
  void update_needed(MassMatrix& mass, BilateralConstraints& bilateral, Delassus& delassus);
  void update_blocks(const ContactKinematics& contacts, MassMatrix& mass, Delassus& delassus);
  void leave_unused(const ContactKinematics& contacts, Delassus& delassus);
  /// Does it have a contact point?
  bool is_used(const ContactKinematics& contacts, Index contact) const {
    return !rows_.is_unilateral(contact) || !std::isinf(contacts.g_N(contact));
  }
  bool is_needed(Index contact) const {
    return !needed_ || (*needed_)[static_cast<std::size_t>(contact)];
  }

  const ContactRows& rows_;
  bool is_constant_;
  bool is_known_ = false;
  const std::vector<bool>* needed_ = nullptr;  // (nc)
  std::vector<Index> needed_rows_, used_rows_, filled_rows_;
  std::vector<char> is_filled_;  // of each row: its columns of M⁻¹W and G may not be zero
  std::vector<char> has_block_;  // of each contact: the same in blocks
  Matrix W_used_, Minv_W_used_, G_used_;
  Vector free_;  // (nc + nt) G_aa without constraints
};

}  // namespace nsmb
