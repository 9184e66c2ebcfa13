// All contacts of a system as one set: those of its description, and those of shapes that touch
// anywhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/step_place.hpp"
#include "nsmb/system/contact_finder.hpp"

namespace nsmb {

class ContactModel {
 public:
  ContactModel(Mechanics& mechanics, double gap_tolerance);

  /// Those of the system, joined where one contact of the description moves more than two; of one
  /// that knows none, all velocities are one.
  const Cliques& cliques() const { return own_ ? *own_ : *mechanics_.system().cliques(); }
  /// Null: there are contacts of the description alone.
  const ContactFinder* finder() const { return finder_; }

  /// Contacts of the description at (t, y), with their contact points there, which `state` gets.
  void look(double t, const ConstVectorRef& y, RunState& state);
  /// The same with the contact points there are.
  void update(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// As ContactFinder::find_contacts(), and of the description, where it was last looked at:
  /// friction alone, and contacts whose gap is at most `margin`, with step > 0 all.
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin, double step,
            const std::vector<char>* at_rest, ContactSet& set);
  /// Of contact k of a set: i of the description, or nc + its number among those of shapes.
  Index number(const ContactSet& set, Index k) const;
  const UnilateralContact& law(const FoundContact& contact) const;
  /// Resistance to rolling and drilling, m.
  double mu_R(const FoundContact& contact) const;
  double mu_D(const FoundContact& contact) const;

 private:
  void add_named(Index i, ContactSet& set) const;
  Index pair_of(Index i) const;
  ContactIdentity identity_of(Index i) const;
  bool rests(Index i, const std::vector<char>& at_rest) const;

  Mechanics& mechanics_;
  const ContactFinder* finder_;
  std::unique_ptr<const Cliques> own_;
  StepPlace place_;
};

}  // namespace nsmb
