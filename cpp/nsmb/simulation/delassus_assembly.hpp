// W, M⁻¹W and G of a system at one (t, q).
#pragma once

#include <cmath>
#include <vector>

#include "nsmb/contact_laws/delassus.hpp"
#include "nsmb/simulation/bilateral_constraints.hpp"
#include "nsmb/simulation/mass_matrix.hpp"

namespace nsmb {

/// The assembly of a Delassus from the directions of contacts, M at its last factorise() and
/// constraints at their last update.
class DelassusAssembly {
 public:
  /// Set `is_constant` if G never changes.
  DelassusAssembly(const ContactRows& rows, bool is_constant)
      : rows_(rows), is_constant_(is_constant) {}

  /// Compute M⁻¹W and G only for these contacts from now on (ascending; nullptr: for all). Other
  /// rows and columns are left unchanged. A constant G is always computed as a whole.
  void restrict_to(const std::vector<Index>* which) { held_ = is_constant_ ? nullptr : which; }
  /// Update W, M⁻¹W and G. Contacts that are not requested keep their values.
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
  /// Return true if the contact, or the one that presses it, has a contact point or needs none.
  bool is_used(const ContactKinematics& contacts, Index contact) const {
    const Index required = rows_.required_by(contact);
    const Index with_gap = required >= 0 ? required : contact;
    return !rows_.is_unilateral(with_gap) || !std::isinf(contacts.g_N(with_gap));
  }

  const ContactRows& rows_;
  bool is_constant_;
  bool is_known_ = false;
  const std::vector<Index>* held_ = nullptr;
  std::vector<Index> wanted_;  // contacts whose columns of M⁻¹W and G are computed
  std::vector<Index> wanted_rows_, filled_rows_;
  std::vector<char> is_filled_;  // by row: its columns may be nonzero
  std::vector<char> has_block_;  // by contact: the same in blocks
  std::vector<char> is_wanted_;  // by contact
  Matrix W_wanted_, Minv_W_wanted_, G_wanted_;
  Vector free_;  // (nc + nt) G_aa without constraints
};

}  // namespace nsmb
