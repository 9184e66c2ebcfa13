#include "nsmb/simulation/bouncing.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr long kMostSlowImpacts = 100'000;
// Number of impacts in a block. The slowest impacts of two successive blocks show whether impacts
// become slower. In an accumulation with e_N = 0.9 they do so by more than this in 50 impacts.
constexpr long kBlock = 2000;
// Number of blocks, each like the one before, that indicate an endless cycle.
constexpr int kSteadyBlocks = 2;

}  // namespace

void Bouncing::clear(double t) {
  block_start_ = t_ = t;
  slow_ = impacts_of_block_ = 0;
  steady_blocks_ = 0;
  lost_ = exchanged_ = pace_ = 0.0;
  fastest_of_slow_ = before_slowest_ = 0.0;
  slowest_ = std::numeric_limits<double>::infinity();
}

bool Bouncing::sinks() const { return slow_ >= kMostSlowImpacts; }

void Bouncing::end_block(double t) {
  const double pace = (t - block_start_) / static_cast<double>(kBlock);
  const bool steady = std::abs(pace - pace_) <= standstill::kSamePace * pace_;
  steady_blocks_ = steady && lost_ <= standstill::kNoLoss * exchanged_ ? steady_blocks_ + 1 : 0;
  pace_ = pace;
  block_start_ = t;
  lost_ = exchanged_ = 0.0;
}

bool Bouncing::repeats(long max_events, double t_end) const {
  return slow_ == 0 && steady_blocks_ >= kSteadyBlocks &&
         t_end - t_ > standstill::kFarTooMany * static_cast<double>(max_events) * pace_;
}

void Bouncing::count(const TransitionEvent& impact, double t) {
  last_struck_ = impact.contacts;
  t_ = t;
  lost_ -= impact.energy.change;
  exchanged_ += impact.Lambda_N.sum() * impact.approach;
  if (++impacts_of_block_ > kBlock) {
    end_block(t);
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

std::string Bouncing::last_struck(const System& system) const {
  std::string names;
  for (std::size_t c = 0; c < last_struck_.size(); ++c) {
    if (last_struck_[c]) names += (names.empty() ? "'" : ", '") + system.contacts()[c].name + "'";
  }
  return names;
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
