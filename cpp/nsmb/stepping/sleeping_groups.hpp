// Groups of bodies at rest that time steps skip.
#pragma once

#include <vector>

#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_table.hpp"
#include "nsmb/stepping/set_problem.hpp"

namespace nsmb {

/// Sleeping groups of cliques that are connected by contacts. A group falls asleep when all its
/// cliques have been slow for some steps. The bound is a small fraction of the velocity that forces
/// would cause within one step without contacts. A group wakes when something awake touches it, or
/// when forces on one of its cliques change. During sleep q is constant, u is zero, and the last
/// contact forces persist.
class SleepingGroups {
 public:
  SleepingGroups(const Cliques& cliques, Index nu);

  void clear();
  // Save and restore the groups around trial steps.
  void save() { saved_ = state_now(); }
  void restore() { set(saved_); }
  /// Put the same cliques to sleep as in `other`.
  void sleep_as(const SleepingGroups& other) { set(other.state_now()); }
  bool any() const { return !groups_.empty(); }
  /// Number of cliques that sleep.
  Index count() const { return count_; }
  /// Marks of the cliques at rest, or nullptr if there are none.
  const std::vector<char>* at_rest() const { return any() ? &asleep_ : nullptr; }

  /// Wake groups whose forces F (nu) have changed, and return their contacts to the memory.
  void feel(const ConstVectorRef& F, ContactMemory& memory);
  /// Wake groups that are touched. Return false if there are none.
  bool meet(const ContactSet& near, ContactMemory& memory);
  /// Set the velocities (nu) of sleeping groups to zero.
  void hold(VectorRef u) const { hold(groups_, u); }
  /// Return true if the bodies of a contact sleep.
  bool sleeps(const FoundContact& contact) const {
    return contact.cliques[0] >= 0 && asleep_[static_cast<std::size_t>(contact.cliques[0])];
  }

  /// Find groups that have come to rest, from a step that ends with v. Return false if there are
  /// none.
  bool settle(const ContactSet& set, const SetProblem& problem, const Vector& v);
  /// Return the remaining kinetic energy in J of the groups that have come to rest.
  double ripe_energy(const SetProblem& problem, const Vector& v) const;
  /// Set the velocities (nu) of these groups to zero.
  void hold_ripe(VectorRef u) const { hold(ripe_, u); }
  /// Put these groups to sleep under the forces F (nu) at their positions. `found` are the contact
  /// impulses in a step of length h.
  void sleep(const ConstVectorRef& F, double h, const ContactSet& set, const FoundContacts& found,
             const ContactMemory& memory);
  /// Add the contacts of sleeping groups to those of a step of length h.
  void report(double h, FoundContacts& found) const;

 private:
  /// A contact of a sleeping group, with its impulses in a step.
  struct Still {
    FoundContact contact;
    KnownContact known;
    std::array<double, 6> impulses{};
    ContactState state = ContactState::Open;
  };
  struct Group {
    std::vector<Index> cliques;
    std::vector<Still> contacts;
    double h = 0.0;  // s, step length of the impulses
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
  std::vector<int> quiet_;               // (cliques) number of quiet steps
  std::vector<Index> parent_, ripe_of_;  // (cliques) scratch
  Vector F_;                             // (nu) forces on sleeping groups
  Index count_ = 0;
  State saved_;
};

}  // namespace nsmb
