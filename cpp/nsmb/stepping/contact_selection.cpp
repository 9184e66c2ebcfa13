#include "nsmb/stepping/contact_selection.hpp"

#include <algorithm>
#include <cmath>

namespace nsmb {

ContactSelection::ContactSelection(Mechanics& mechanics, ContactModel& model, double gap_tolerance)
    : mechanics_(mechanics), model_(model), gap_tolerance_(gap_tolerance) {}

void ContactSelection::find(double t, const ConstVectorRef& q, const ConstVectorRef& u, double rest,
                            const std::vector<char>* at_rest) {
  search(t, q, u, gap_tolerance_, rest, at_rest);
}

void ContactSelection::search(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              double margin, double rest, const std::vector<char>* at_rest) {
  rest_ = rest;
  at_rest_ = at_rest;
  forced_ = 0.0;
  model_.find(t, q, u, margin, rest, at_rest, near_);
  chosen_.resize(near_.contacts.size());
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const FoundContact& contact = near_.contacts[k];
    chosen_[k] = !contact.normal || (contact.moves && contact.g_N <= gap_tolerance_);
  }
}

void ContactSelection::find_held(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& change, double rest, double theta,
                                 double reach, const ContactMemory& memory,
                                 const std::vector<char>* at_rest) {
  search(t, q, u, gap_tolerance_ + 2.0 * reach, 0.0, at_rest);
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const FoundContact& contact = near_.contacts[k];
    if (!contact.normal) continue;
    const double forced = std::abs(rate(contact, 0, change)) + std::abs(rate(contact, 1, change));
    forced_ = std::max(forced_, forced);
    if (chosen_[k] || !contact.moves || !memory.is_pair_held(contact)) continue;
    const double gamma = approach(contact, u);
    // g_N at the end of the step, (1 - θ) h γ_k + θ h γ_{k+1} from here.
    const double nearest = contact.g_N + rest * ((1.0 - theta) / theta * gamma - forced);
    chosen_[k] = std::abs(gamma) <= forced && nearest < gap_tolerance_;
  }
}

// What a clique adds to γ_N.
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

// The plane of a contact reaches further than the shapes do: both are asked, gap and shapes.
bool ContactSelection::add_passed(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
  const auto closes = [&](std::size_t k) {
    const FoundContact& contact = near_.contacts[k];
    return !chosen_[k] && contact.moves && contact.g_N + rest_ * approach(contact, u) < 0.0;
  };
  std::size_t first = 0;
  while (first < chosen_.size() && !closes(first)) ++first;
  if (first == chosen_.size()) return false;
  model_.update(t, q, u);
  model_.find(t, q, u, 0.0, 0.0, at_rest_, at_end_);
  passed_.clear();
  for (const FoundContact& contact : at_end_.contacts) {
    passed_.emplace_back(contact.shape_1, contact.shape_2);
  }
  std::sort(passed_.begin(), passed_.end());
  bool any = false;
  for (std::size_t k = first; k < chosen_.size(); ++k) {
    const std::pair pair(near_.contacts[k].shape_1, near_.contacts[k].shape_2);
    if (!std::binary_search(passed_.begin(), passed_.end(), pair) || !closes(k)) continue;
    chosen_[k] = true;
    any = true;
  }
  return any;
}

void ContactSelection::take(ContactSet& set) const {
  set.clear();
  set.entries = near_.entries;
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    if (!chosen_[k]) continue;
    FoundContact contact = near_.contacts[k];
    const auto row = near_.w_tilde.begin() + contact.first_row;
    contact.first_row = set.rows();
    set.w_tilde.insert(set.w_tilde.end(), row, row + contact.rows);
    set.contacts.push_back(contact);
  }
}

}  // namespace nsmb
