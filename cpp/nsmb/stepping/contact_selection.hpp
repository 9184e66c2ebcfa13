// Which of the contacts near a step belong to it.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_model.hpp"

namespace nsmb {

/// Workspace. All contacts that touch where a step looks, and those of pairs that have been closed,
/// which the step may close again; on request those that are passed at its end, too.
class ContactSelection {
 public:
  ContactSelection(Mechanics& mechanics, ContactModel& model, double gap_tolerance);

  /// At (t, q), the middle of a step of length h, with the velocities u there. Of two bodies with
  /// a closed contact in the last step those belong to it that approach no faster, and are no
  /// farther away, than forces close until its end, with a change of velocities `change` (nu) where
  /// either body is held by others: what bends has opened in the middle, and solvers leave
  /// velocities by which contacts at rest creep. Pairs of cliques that are `at_rest` are left out.
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u,
            const ConstVectorRef& change, double h, const ContactMemory& memory,
            const std::vector<char>* at_rest);
  /// m/s, the fastest that forces close one of those near by.
  double forced() const { return forced_; }
  /// Whether one that is near closes until the end of the step, by its gap and its rate at its
  /// middle with velocities u.
  bool any_closes(const ConstVectorRef& u) const;
  /// Those passed at (t, y), the end of the step. False: none.
  bool add_passed(double t, const ConstVectorRef& y);
  /// m, how deep pairs are passed at (t, y), of which `asked` has no contact.
  double passed(double t, const ConstVectorRef& y, const ContactSet& asked);
  /// Those that belong to the step, with rows of their own.
  void take(ContactSet& set) const;
  /// All of them, near or touching.
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
  std::vector<char> chosen_;  // of near_
  Vector u_free_;             // (nu) scratch
  std::vector<ContactIdentity> passed_;
  std::vector<std::pair<Index, Index>> pairs_;  // of shapes
};

}  // namespace nsmb
