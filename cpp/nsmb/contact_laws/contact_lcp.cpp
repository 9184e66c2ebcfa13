#include "nsmb/contact_laws/contact_lcp.hpp"

namespace nsmb {

namespace {

// 2^12 cones cost some milliseconds, and are asked for only where Lemke gave up.
constexpr Index kLargestEnumeration = 12;

}  // namespace

ContactLcp::Slot& ContactLcp::slot(Index n) {
  Slot& slot = slots_[n];
  slot.A.setZero(n, n);
  slot.b.setZero(n);
  return slot;
}

void ContactLcp::solve(Slot& slot) {
  solve_lemke(slot.A, slot.b, LemkeOptions{}, slot.workspace, slot.result);
  if (slot.result.status == LcpStatus::Solved || slot.b.size() > kLargestEnumeration) return;
  const int pivots = slot.result.pivots;
  const int covering_vectors = slot.result.covering_vectors;
  slot.result = solve_enumeration(slot.A, slot.b).first;
  slot.result.pivots = pivots;
  slot.result.covering_vectors = covering_vectors;
}

}  // namespace nsmb
