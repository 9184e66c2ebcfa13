// All contacts of a system as one set: contacts listed in its description, and contacts between
// shapes that may touch anywhere.
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

  /// Return the cliques of the system. Cliques are joined where one contact of the description
  /// moves more than two of them. Without cliques in the description, all velocities form one
  /// clique.
  const Cliques& cliques() const { return own_ ? *own_ : *mechanics_.system().cliques(); }
  /// Return the contact finder, or null if all contacts are listed in the description.
  const ContactFinder* finder() const { return finder_; }

  /// Evaluate the contacts of the description at (t, y) with their contact points there, and store
  /// these points in `state`.
  void look(double t, const ConstVectorRef& y, RunState& state);
  /// Evaluate the contacts of the description with the current contact points.
  void update(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// Find contacts as ContactFinder::find_contacts() does, and add contacts of the description as
  /// they were last evaluated. These are friction-only contacts, and contacts whose gap is at most
  /// `margin`. With step > 0 all of them are added.
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin, double step,
            const std::vector<char>* at_rest, ContactSet& set);
  /// Return the number of contact k of a set: i for contact i of the description, or nc plus its
  /// number among the contacts between shapes.
  Index number(const ContactSet& set, Index k) const;
  const UnilateralContact& law(const FoundContact& contact) const;
  /// Return the coefficient of rolling (drilling) resistance in m.
  double mu_R(const FoundContact& contact) const;
  /// Return the contact whose normal force alone bounds this friction-only contact, or -1.
  Index required_by(const FoundContact& contact) const;
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
