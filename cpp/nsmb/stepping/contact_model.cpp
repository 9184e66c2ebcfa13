#include "nsmb/stepping/contact_model.hpp"

#include <algorithm>
#include <numeric>

#include "nsmb/system/feature_search.hpp"

namespace nsmb {

namespace {

// Cliques of a system, joined where one contact moves more than two. Null if nothing is joined.
std::unique_ptr<const Cliques> joined_cliques(const System& system) {
  std::vector<Index> of_velocity(at(system.nu()), 0);
  std::vector<std::vector<Index>> contacts(at(system.nc()), {0});
  const Cliques* known = system.cliques();
  bool as_they_are = known;
  std::vector<Index> leader(known ? at(known->count()) : 0);
  std::iota(leader.begin(), leader.end(), Index{0});
  for (Index i = 0; known && i < system.nc(); ++i) {
    const std::vector<Index>& own = known->of_contact(i);
    contacts[at(i)].clear();
    for (const Index clique : own) {
      contacts[at(i)].push_back(known->members(clique).front().first);
    }
    if (own.size() <= 2) continue;
    as_they_are = false;
    const Index first = leader[at(own.front())];
    for (const Index clique : own) {
      std::replace(leader.begin(), leader.end(), Index{leader[at(clique)]}, first);
    }
  }
  if (as_they_are) return nullptr;
  for (Index k = 0; known && k < system.nu(); ++k) {
    of_velocity[at(k)] = leader[at(known->of_velocity(k))];
  }
  return std::make_unique<const Cliques>(of_velocity, contacts);
}

}  // namespace

ContactModel::ContactModel(Mechanics& mechanics, double gap_tolerance)
    : mechanics_(mechanics),
      finder_(mechanics.system().contact_finder()),
      own_(joined_cliques(mechanics.system())),
      place_(mechanics, gap_tolerance) {}

void ContactModel::look(double t, const ConstVectorRef& y, RunState& state) {
  if (mechanics_.nc() > 0) place_.look(t, y, state);
}

void ContactModel::update(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  if (mechanics_.nc() == 0) return;
  mechanics_.system().contact_kinematics(mechanics_.span().inside(t), q, u, mechanics_.contacts,
                                         mechanics_.work());
}

void ContactModel::find(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin,
                        double step, const std::vector<char>* at_rest, ContactSet& set) {
  if (finder_) {
    finder_->find_contacts(mechanics_.span().inside(t), q, u, margin, step, at_rest, set,
                           mechanics_.work());
  } else {
    set.clear();
  }
  const ContactKinematics& contacts = mechanics_.contacts;
  for (Index i = 0; i < mechanics_.nc(); ++i) {
    if (at_rest && rests(i, *at_rest)) continue;
    const Index with_gap =
        mechanics_.rows().is_unilateral(i) ? i : mechanics_.rows().required_by(i);
    if (with_gap >= 0) {
      if (!contacts.is_valid(with_gap)) continue;
      if (!(step > 0.0) && !(contacts.g_N(with_gap) <= margin)) continue;
    }
    add_named(i, set);
  }
}

// The same rule as for two shapes, each of which is fixed or at rest.
bool ContactModel::rests(Index i, const std::vector<char>& at_rest) const {
  const std::vector<Index>& own = cliques().of_contact(i);
  return std::all_of(own.begin(), own.end(), [&](Index clique) { return at_rest[at(clique)]; });
}

void ContactModel::add_named(Index i, ContactSet& set) const {
  const ContactRows& rows = mechanics_.rows();
  const ContactKinematics& from = mechanics_.contacts;
  FoundContact contact;
  contact.identity = identity_of(i);
  contact.named = i;
  contact.shape_1 = contact.shape_2 = -2 - pair_of(i);
  contact.normal = rows.is_unilateral(i);
  contact.tangents = rows.dim(i);
  contact.rows = contact.tangents + (contact.normal ? 1 : 0);
  contact.first_row = set.rows();
  contact.g_N = from.g_N(i);
  contact.bound = from.bound(i);
  contact.moves = !contact.normal || from.W_N.col(i).any();
  const std::vector<Index>& own = cliques().of_contact(i);
  for (std::size_t side = 0; side < own.size(); ++side) {
    contact.cliques[side] = own[side];
    contact.first_entry[side] = static_cast<Index>(set.entries.size());
    for (const VelocityRange& range : cliques().members(own[side])) {
      for (Index k = range.first; k < range.first + range.size; ++k) {
        if (contact.normal) set.entries.push_back(from.W_N(k, i));
        for (Index d = 0; d < contact.tangents; ++d) {
          set.entries.push_back(from.W_T(k, rows.tangent(i) + d));
        }
      }
    }
  }
  if (contact.normal) set.w_tilde.push_back(from.w_tilde_N(i));
  for (Index d = 0; d < contact.tangents; ++d) {
    set.w_tilde.push_back(from.w_tilde_T(rows.tangent(i) + d));
  }
  set.contacts.push_back(contact);
}

// Slots of contours are reused, so contacts are identified by their features.
Index ContactModel::pair_of(Index i) const {
  const FeatureSearch* search = mechanics_.system().feature_search();
  return search ? search->pair_of(i) : i;
}

ContactIdentity ContactModel::identity_of(Index i) const {
  const Index pair = pair_of(i);
  const std::vector<ContactFeature>& slots = mechanics_.contacts.features.slots;
  ContactIdentity identity = at(pair);
  if (!slots[at(i)].used()) return identity + at(i - pair);
  // Both ends of two flush edges have the same features.
  std::size_t before = 0;
  for (Index k = pair; k < i; ++k) before += slots[at(k)].same(slots[at(i)]) ? 1 : 0;
  for (const std::size_t part : {at(slots[at(i)].first), at(slots[at(i)].second), before}) {
    identity = (identity ^ (identity >> 29)) * 0x9E3779B97F4A7C15ull + part + 1;
  }
  return identity;
}

Index ContactModel::number(const ContactSet& set, Index k) const {
  const std::vector<FoundContact>& all = set.contacts;
  if (all[at(k)].named >= 0) return all[at(k)].named;
  const auto is_found = [](const FoundContact& contact) { return contact.named < 0; };
  return mechanics_.nc() + std::count_if(all.begin(), all.begin() + k, is_found);
}

const UnilateralContact& ContactModel::law(const FoundContact& contact) const {
  if (contact.named >= 0) return mechanics_.laws[at(contact.named)];
  return finder_->surface_laws()[at(contact.law)];
}

Index ContactModel::required_by(const FoundContact& contact) const {
  return contact.named < 0 ? -1 : mechanics_.rows().required_by(contact.named);
}

double ContactModel::mu_R(const FoundContact& contact) const {
  return contact.named >= 0 ? 0.0 : finder_->surface_laws()[at(contact.law)].mu_R;
}

double ContactModel::mu_D(const FoundContact& contact) const {
  return contact.named >= 0 ? 0.0 : finder_->surface_laws()[at(contact.law)].mu_D;
}

}  // namespace nsmb
