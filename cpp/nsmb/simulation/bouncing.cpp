#include "nsmb/simulation/bouncing.hpp"

#include <algorithm>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr long kMostSlowImpacts = 100'000;
// Impacts of a block. The slowest ones of two blocks that follow each other show whether they get
// slower: an accumulation with e_N = 0.9 does so by more than this in 50 impacts.
constexpr long kBlock = 2000;

}  // namespace

void Bouncing::clear() {
  slow_ = impacts_of_block_ = 0;
  fastest_of_slow_ = before_slowest_ = 0.0;
  slowest_ = std::numeric_limits<double>::infinity();
}

bool Bouncing::sinks() const { return slow_ >= kMostSlowImpacts; }

void Bouncing::count(const TransitionEvent& impact) {
  last_struck_ = impact.contacts;
  if (++impacts_of_block_ > kBlock) {
    before_slowest_ = slowest_;
    slowest_ = std::numeric_limits<double>::infinity();
    impacts_of_block_ = 1;
  }
  slowest_ = std::min(slowest_, impact.approach);
  if (impact.approach > standstill::kSlowImpact * rest_velocity_) {
    slow_ = 0;
    fastest_of_slow_ = 0.0;
    return;
  }
  ++slow_;
  fastest_of_slow_ = std::max(fastest_of_slow_, impact.approach);
}

std::string Bouncing::endless_contacts(const System& system, double& slowest) const {
  std::string names;
  if (before_slowest_ <= 0.0 || !(slowest_ > standstill::kSlower * before_slowest_)) return names;
  for (std::size_t c = 0; c < last_struck_.size(); ++c) {
    const ContactDescription& contact = system.contacts()[c];
    if (!last_struck_[c]) continue;
    if (contact.law.e_N < 1.0) return {};
    names += (names.empty() ? "'" : ", '") + contact.name + "'";
  }
  slowest = std::min(slowest, slowest_);
  return names;
}

}  // namespace nsmb
