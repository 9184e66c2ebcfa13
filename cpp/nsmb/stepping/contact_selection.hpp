// Selection of the contacts near a step that take part in it.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_model.hpp"

namespace nsmb {

/// A workspace that selects the contacts of a step. These are contacts that touch at its middle,
/// and contacts of previously closed pairs that the step may close again. On request, contacts that
/// are passed by the end of the step are added.
class ContactSelection {
 public:
  ContactSelection(Mechanics& mechanics, ContactModel& model, double gap_tolerance);

  /// Select contacts at (t, q), the middle of a step of length h, for the velocities u there.
  /// Contacts of a pair with a held contact in the last step are also selected if forces could
  /// close them by the end of the step. The criterion uses their gap and their rate of approach.
  /// `change` (nu) is the change of the velocities by forces. The shares of both bodies are added,
  /// since other bodies may hold either of them. This keeps contacts on curved paths, which open in
  /// the middle, and contacts at rest, which creep with the residual velocities of solvers. Pairs
  /// of cliques that are both marked in `at_rest` are skipped.
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u,
            const ConstVectorRef& change, double h, const ContactMemory& memory,
            const std::vector<char>* at_rest);
  /// Return the largest speed in m/s at which forces close one of the nearby contacts.
  double forced() const { return forced_; }
  /// Return true if a nearby contact that is not selected would close by the end of the step. The
  /// gap in the middle of the step is extrapolated with the rate at velocities u.
  bool any_closes(const ConstVectorRef& u) const;
  /// Add contacts that are passed at (t, y), the end of the step. Return false if there are none.
  bool add_passed(double t, const ConstVectorRef& y);
  /// Return the largest penetration in m at (t, y) among pairs without a contact in `asked`.
  double passed(double t, const ConstVectorRef& y, const ContactSet& asked);
  /// Copy the selected contacts to `set`, with consecutive rows.
  void take(ContactSet& set) const;
  /// All contacts found, near or touching.
  const ContactSet& near() const { return near_; }

 private:
  double rate(const FoundContact& contact, std::size_t side, const ConstVectorRef& u) const;
  bool closes(std::size_t k, const ConstVectorRef& u) const;
  double approach(const FoundContact& contact, const ConstVectorRef& u) const;

  Mechanics& mechanics_;
  ContactModel& model_;
  const double gap_tolerance_;
  double rest_ = 0.0, forced_ = 0.0;
  const std::vector<char>* at_rest_ = nullptr;
  ContactSet near_, at_end_;
  RunState end_;              // scratch
  std::vector<char> chosen_;  // (contacts of near_)
  Vector u_free_;             // (nu) scratch
  std::vector<ContactIdentity> passed_;
  std::vector<std::pair<Index, Index>> pairs_;  // pairs of shapes
};

}  // namespace nsmb
