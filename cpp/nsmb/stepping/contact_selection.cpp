#include "nsmb/stepping/contact_selection.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

ContactSelection::ContactSelection(Mechanics& mechanics, ContactModel& model, double gap_tolerance)
    : mechanics_(mechanics),
      model_(model),
      gap_tolerance_(gap_tolerance),
      end_(mechanics.system()) {}

void ContactSelection::find(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& change, double h, const ContactMemory& memory,
                            const std::vector<char>* at_rest) {
  rest_ = middle::kPlace * h;
  at_rest_ = at_rest;
  forced_ = 0.0;
  // Contacts farther away than forces closed in the last step are not searched.
  const double reach = rest_ * memory.forced(h);
  u_free_ = u + change;
  model_.find(t, q, u_free_, gap_tolerance_ + 2.0 * reach, rest_, at_rest, near_);
  chosen_.resize(near_.contacts.size());
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const FoundContact& contact = near_.contacts[k];
    const bool touches = contact.normal && contact.moves && contact.g_N <= gap_tolerance_;
    // Friction below a normal force is chosen with it.
    chosen_[k] = touches || (!contact.normal && model_.required_by(contact) < 0);
    if (!contact.normal) continue;
    const double forced = std::abs(rate(contact, 0, change)) + std::abs(rate(contact, 1, change));
    forced_ = std::max(forced_, forced);
    if (chosen_[k] || !contact.moves || !memory.is_pair_held(contact)) continue;
    const double gamma = approach(contact, u);
    const double nearest = contact.g_N + rest_ * (gamma - forced);
    chosen_[k] = std::abs(gamma) <= forced && nearest < gap_tolerance_;
  }
}

// The contribution of one clique to γ_N.
double ContactSelection::rate(const FoundContact& contact, std::size_t side,
                              const ConstVectorRef& u) const {
  if (contact.cliques[side] < 0) return 0.0;
  double gamma = 0.0;
  const double* entry = near_.entries.data() + contact.first_entry[side];
  for (const VelocityRange& range : model_.cliques().members(contact.cliques[side])) {
    for (Index k = range.first; k < range.first + range.size; ++k, entry += contact.rows) {
      gamma += *entry * u(k);
    }
  }
  return gamma;
}

// γ_N = w_Nᵀu + w̃_N
double ContactSelection::approach(const FoundContact& contact, const ConstVectorRef& u) const {
  return near_.w_tilde[static_cast<std::size_t>(contact.first_row)] + rate(contact, 0, u) +
         rate(contact, 1, u);
}

bool ContactSelection::closes(std::size_t k, const ConstVectorRef& u) const {
  const FoundContact& contact = near_.contacts[k];
  return !chosen_[k] && contact.moves && contact.g_N + rest_ * approach(contact, u) < 0.0;
}

bool ContactSelection::any_closes(const ConstVectorRef& u) const {
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (closes(k, u)) return true;
  }
  return false;
}

// The tangent plane of a contact extends beyond the shapes. A neighbouring wall may seem passed
// where its shape has no surface. The same contact is therefore evaluated at the end, too.
bool ContactSelection::add_passed(double t, const ConstVectorRef& y) {
  const auto q = y.head(mechanics_.nq()), u = y.segment(mechanics_.nq(), mechanics_.nu());
  if (!any_closes(u)) return false;
  const ContactFeatures features = mechanics_.contacts.features;
  end_.features = features;
  model_.look(t, y, end_);
  model_.find(t, q, u, 0.0, 0.0, at_rest_, at_end_);
  mechanics_.contacts.features = features;
  passed_.clear();
  for (const FoundContact& contact : at_end_.contacts) {
    if (contact.g_N < -gap_tolerance_) passed_.push_back(contact.identity);
  }
  std::sort(passed_.begin(), passed_.end());
  bool any = false;
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const ContactIdentity identity = near_.contacts[k].identity;
    if (!closes(k, u) || !std::binary_search(passed_.begin(), passed_.end(), identity)) continue;
    chosen_[k] = true;
    any = true;
  }
  return any;
}

// The features in contact change while a pair rolls, so pairs are compared instead.
double ContactSelection::passed(double t, const ConstVectorRef& y, const ContactSet& asked) {
  const auto q = y.head(mechanics_.nq()), u = y.segment(mechanics_.nq(), mechanics_.nu());
  pairs_.clear();
  for (const FoundContact& contact : asked.contacts) {
    pairs_.emplace_back(contact.shape_1, contact.shape_2);
  }
  std::sort(pairs_.begin(), pairs_.end());
  model_.update(t, q, u);
  model_.find(t, q, u, 0.0, 0.0, nullptr, at_end_);
  double deepest = 0.0;
  for (const FoundContact& contact : at_end_.contacts) {
    const std::pair shapes(contact.shape_1, contact.shape_2);
    const bool was_asked = std::binary_search(pairs_.begin(), pairs_.end(), shapes);
    if (contact.normal && contact.moves && !was_asked) deepest = std::max(deepest, -contact.g_N);
  }
  return deepest;
}

void ContactSelection::take(ContactSet& set) const {
  set.clear();
  set.entries = near_.entries;
  const auto is_chosen = [&](Index named) {
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      if (chosen_[k] && near_.contacts[k].named == named) return true;
    }
    return false;
  };
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const Index required = model_.required_by(near_.contacts[k]);
    if (required >= 0 ? !is_chosen(required) : !chosen_[k]) continue;
    FoundContact contact = near_.contacts[k];
    const auto row = near_.w_tilde.begin() + contact.first_row;
    contact.first_row = set.rows();
    set.w_tilde.insert(set.w_tilde.end(), row, row + contact.rows);
    set.contacts.push_back(contact);
  }
}

}  // namespace nsmb
