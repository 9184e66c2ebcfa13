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

  /// From now on M⁻¹W and G are computed for these contacts alone, ascending, other rows and
  /// columns being left as they are; nullptr: for all. A G that never changes is known as a whole.
  void restrict_to(const std::vector<Index>* which) { held_ = is_constant_ ? nullptr : which; }
  /// Contacts that are not asked for keep what they had.
  void update(const ContactKinematics& contacts, MassMatrix& mass, BilateralConstraints& bilateral,
              Delassus& delassus);

 private:
  void list_present(const ContactKinematics& contacts, std::vector<Index>& present) const;
  void list_wanted(const ContactKinematics& contacts, const std::vector<Index>& present);
  void list_rows(const std::vector<Index>& which, std::vector<Index>& rows) const;
  void update_whole(const ContactKinematics& contacts, MassMatrix& mass,
                    BilateralConstraints& bilateral, Delassus& delassus);
  void update_listed(const ContactKinematics& contacts, MassMatrix& mass,
                     BilateralConstraints& bilateral, Delassus& delassus);
  void update_blocks(const ContactKinematics& contacts, MassMatrix& mass, Delassus& delassus);
  void clear_listed(Delassus& delassus);
  void clear_blocks(const std::vector<Index>& present, Delassus& delassus);
  /// Does it have a contact point?
  bool is_used(const ContactKinematics& contacts, Index contact) const {
    return !rows_.is_unilateral(contact) || !std::isinf(contacts.g_N(contact));
  }

  const ContactRows& rows_;
  bool is_constant_;
  bool is_known_ = false;
  const std::vector<Index>* held_ = nullptr;
  std::vector<Index> wanted_;  // contacts whose columns of M⁻¹W and G are computed
  std::vector<Index> wanted_rows_, filled_rows_;
  std::vector<char> is_filled_;  // of each row: its columns may not be zero
  std::vector<char> has_block_;  // of each contact: the same in blocks
  std::vector<char> is_wanted_;  // of each contact
  Matrix W_wanted_, Minv_W_wanted_, G_wanted_;
  Vector free_;  // (nc + nt) G_aa without constraints
};

}  // namespace nsmb
