#include "nsmb/stepping/sleeping_groups.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Number of consecutive quiet steps before a group sleeps.
constexpr int kQuietSteps = 20;

}  // namespace

SleepingGroups::SleepingGroups(const Cliques& cliques, Index nu)
    : cliques_(cliques),
      asleep_(at(cliques_.count()), 0),
      group_of_(at(cliques_.count()), -1),
      quiet_(at(cliques_.count()), 0),
      parent_(at(cliques_.count()), -1),
      ripe_of_(at(cliques_.count()), -1),
      F_(Vector::Zero(nu)) {}

void SleepingGroups::clear() {
  groups_.clear();
  ripe_.clear();
  std::fill(asleep_.begin(), asleep_.end(), 0);
  std::fill(group_of_.begin(), group_of_.end(), -1);
  std::fill(quiet_.begin(), quiet_.end(), 0);
  count_ = 0;
}

void SleepingGroups::set(const State& state) {
  groups_ = state.groups;
  asleep_ = state.asleep;
  group_of_ = state.group_of;
  quiet_ = state.quiet;
  F_ = state.F;
  count_ = state.count;
}

void SleepingGroups::wake(std::size_t group, ContactMemory& memory) {
  for (const Still& still : groups_[group].contacts) {
    memory.recall(still.contact, still.known, groups_[group].h);
  }
  for (const Index clique : groups_[group].cliques) {
    asleep_[at(clique)] = 0;
    group_of_[at(clique)] = -1;
    quiet_[at(clique)] = 0;
    --count_;
  }
  if (group + 1 < groups_.size()) {
    groups_[group] = std::move(groups_.back());
    for (const Index clique : groups_[group].cliques) {
      group_of_[at(clique)] = static_cast<Index>(group);
    }
  }
  groups_.pop_back();
}

void SleepingGroups::feel(const ConstVectorRef& F, ContactMemory& memory) {
  for (std::size_t g = groups_.size(); g-- > 0;) {
    const auto changes = [&](Index clique) {
      double change = 0.0, size = 0.0;
      for (const VelocityRange& r : cliques_.members(clique)) {
        change += (F.segment(r.first, r.size) - F_.segment(r.first, r.size)).squaredNorm();
        size += F_.segment(r.first, r.size).squaredNorm();
      }
      return !(std::sqrt(change) <= sleeping::kSameForce * std::sqrt(size));
    };
    const std::vector<Index>& members = groups_[g].cliques;
    if (std::any_of(members.begin(), members.end(), changes)) wake(g, memory);
  }
}

bool SleepingGroups::meet(const ContactSet& near, ContactMemory& memory) {
  bool any = false;
  for (const FoundContact& contact : near.contacts) {
    for (const Index clique : contact.cliques) {
      if (clique < 0 || group_of_[at(clique)] < 0) continue;
      wake(at(group_of_[at(clique)]), memory);
      any = true;
    }
  }
  return any;
}

void SleepingGroups::hold(const std::vector<Group>& groups, VectorRef u) const {
  for (const Group& group : groups) {
    for (const Index clique : group.cliques) {
      for (const VelocityRange& r : cliques_.members(clique)) u.segment(r.first, r.size).setZero();
    }
  }
}

Index SleepingGroups::root(Index clique) {
  while (parent_[at(clique)] != clique) {
    parent_[at(clique)] = parent_[at(parent_[at(clique)])];
    clique = parent_[at(clique)];
  }
  return clique;
}

void SleepingGroups::join(const ContactSet& set, const SetProblem& problem) {
  for (const Index clique : problem.touched()) parent_[at(clique)] = clique;
  for (const FoundContact& contact : set.contacts) {
    if (contact.cliques[0] < 0 || contact.cliques[1] < 0) continue;
    const Index a = root(contact.cliques[0]), b = root(contact.cliques[1]);
    if (a != b) parent_[at(std::max(a, b))] = std::min(a, b);
  }
}

// A group is as quiet as its least quiet clique. Surfaces with prescribed motion keep it awake.
bool SleepingGroups::settle(const ContactSet& set, const SetProblem& problem, const Vector& v) {
  ripe_.clear();
  bool any = false;
  std::size_t next = 0;
  for (Index clique = 0; clique < cliques_.count(); ++clique) {
    const std::vector<Index>& touched = problem.touched();
    const bool is_touched = next < touched.size() && touched[next] == clique;
    if (is_touched) ++next;
    const double bound = sleeping::kQuiet * sleeping::kQuiet;
    const bool is_quiet =
        is_touched && problem.energy(clique, v) <= bound * problem.energy_of_forces(clique);
    quiet_[at(clique)] = is_quiet ? quiet_[at(clique)] + 1 : 0;
    any = any || quiet_[at(clique)] >= kQuietSteps;
  }
  if (!any) return false;
  for (const FoundContact& contact : set.contacts) {
    for (Index row = contact.first_row; row < contact.first_row + contact.rows; ++row) {
      if (set.w_tilde[at(row)] != 0.0 && contact.cliques[0] >= 0)
        quiet_[at(contact.cliques[0])] = 0;
    }
  }
  join(set, problem);
  for (const Index clique : problem.touched()) ripe_of_[at(clique)] = 0;
  for (const Index clique : problem.touched()) {
    if (quiet_[at(clique)] < kQuietSteps) ripe_of_[at(root(clique))] = -1;
  }
  for (const Index clique : problem.touched()) {
    const Index first = root(clique);
    if (ripe_of_[at(first)] < 0) continue;
    if (first == clique) {
      ripe_of_[at(first)] = static_cast<Index>(ripe_.size());
      ripe_.emplace_back();
    }
    ripe_[at(ripe_of_[at(first)])].cliques.push_back(clique);
  }
  return !ripe_.empty();
}

double SleepingGroups::ripe_energy(const SetProblem& problem, const Vector& v) const {
  double sum = 0.0;
  for (const Group& group : ripe_) {
    for (const Index clique : group.cliques) sum += 0.5 * problem.energy(clique, v);
  }
  return sum;
}

void SleepingGroups::sleep(const ConstVectorRef& F, double h, const ContactSet& set,
                           const FoundContacts& found, const ContactMemory& memory) {
  for (Group& group : ripe_) {
    for (const Index clique : group.cliques) {
      asleep_[at(clique)] = 1;
      group_of_[at(clique)] = static_cast<Index>(groups_.size());
      ++count_;
      for (const VelocityRange& r : cliques_.members(clique)) {
        F_.segment(r.first, r.size) = F.segment(r.first, r.size);
      }
    }
    group.h = h;
    groups_.push_back(std::move(group));
  }
  ripe_.clear();
  for (std::size_t k = 0; k < set.contacts.size(); ++k) {
    const FoundContact& contact = set.contacts[k];
    if (!sleeps(contact)) continue;
    Still still{contact, {}, found.impulses[k], found.states[k]};
    if (const KnownContact* known = memory.find(contact.identity)) still.known = *known;
    groups_[at(group_of_[at(contact.cliques[0])])].contacts.push_back(still);
  }
}

void SleepingGroups::report(double h, FoundContacts& found) const {
  for (const Group& group : groups_) {
    for (const Still& still : group.contacts) {
      found.contacts.push_back(still.contact);
      found.impulses.push_back(still.impulses);
      for (double& impulse : found.impulses.back()) impulse *= h / group.h;
      found.states.push_back(still.state);
    }
  }
}

}  // namespace nsmb
