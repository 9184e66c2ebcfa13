// Groups of bodies at rest that steps leave out.
#pragma once

#include <vector>

#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_table.hpp"
#include "nsmb/stepping/set_problem.hpp"

namespace nsmb {

/// A group are cliques that touch each other, one by one. It sleeps when all of them have been
/// slower, for some steps, than a small part of what forces would make of them within one step
/// without contacts; it wakes when something awake touches one of them, or forces on one of them
/// change. While it sleeps q stays, u is zero, and contacts carry what they carried last.
class SleepingGroups {
 public:
  SleepingGroups(const Cliques& cliques, Index nu);

  void clear();
  // Where steps are tried: as it is, and was then.
  void save() { saved_ = state_now(); }
  void restore() { set(saved_); }
  /// Those of the same cliques that sleep there.
  void sleep_as(const SleepingGroups& other) { set(other.state_now()); }
  bool any() const { return !groups_.empty(); }
  /// Cliques that sleep.
  Index count() const { return count_; }
  /// (cliques) those at rest; nullptr: none.
  const std::vector<char>* at_rest() const { return any() ? &asleep_ : nullptr; }

  /// Groups whose forces F (nu) have changed wake; their contacts go back to the memory.
  void feel(const ConstVectorRef& F, ContactMemory& memory);
  /// Groups that are touched wake. False: there are none.
  bool meet(const ContactSet& near, ContactMemory& memory);
  /// Velocities (nu) of those that sleep are zero.
  void hold(VectorRef u) const { hold(groups_, u); }
  /// Whether what it moves sleeps.
  bool sleeps(const FoundContact& contact) const {
    return contact.cliques[0] >= 0 && asleep_[static_cast<std::size_t>(contact.cliques[0])];
  }

  /// Looks at the step that ends with v, all contacts of which carry what `found` says: which
  /// groups have come to rest. False: none.
  bool settle(const ContactSet& set, const SetProblem& problem, const Vector& v);
  /// J, what is left of their motion.
  double ripe_energy(const SetProblem& problem, const Vector& v) const;
  /// Velocities (nu) of those are zero.
  void hold_ripe(VectorRef u) const { hold(ripe_, u); }
  /// Puts those to sleep, under forces F (nu) where they lie, with what contacts carried in a step
  /// of length h.
  void sleep(const ConstVectorRef& F, double h, const ContactSet& set, const FoundContacts& found,
             const ContactMemory& memory);
  /// Adds contacts of those that sleep to a step of length h, from number `first` on.
  void report(double h, FoundContacts& found) const;

 private:
  /// A contact of a group, with impulses of a step.
  struct Still {
    FoundContact contact;
    KnownContact known;
    std::array<double, 6> impulses{};
    ContactState state = ContactState::Open;
  };
  struct Group {
    std::vector<Index> cliques;
    std::vector<Still> contacts;
    double h = 0.0;  // s, of their impulses
  };

  struct State {
    std::vector<Group> groups;
    std::vector<char> asleep;
    std::vector<Index> group_of;
    std::vector<int> quiet;
    Vector F;
    Index count = 0;
  };

  State state_now() const { return {groups_, asleep_, group_of_, quiet_, F_, count_}; }
  void set(const State& state);
  void hold(const std::vector<Group>& groups, VectorRef u) const;
  Index root(Index clique);
  void join(const ContactSet& set, const SetProblem& problem);
  void wake(std::size_t group, ContactMemory& memory);

  const Cliques& cliques_;
  std::vector<Group> groups_, ripe_;
  std::vector<char> asleep_;             // (cliques)
  std::vector<Index> group_of_;          // (cliques) -1: awake
  std::vector<int> quiet_;               // (cliques) steps
  std::vector<Index> parent_, ripe_of_;  // (cliques) scratch
  Vector F_;                             // (nu) of those that sleep
  Index count_ = 0;
  State saved_;
};

}  // namespace nsmb
