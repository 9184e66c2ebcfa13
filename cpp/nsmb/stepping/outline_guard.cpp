#include "nsmb/stepping/outline_guard.hpp"

#include <cmath>

#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/feature_search.hpp"

namespace nsmb {

using namespace tolerances;

OutlineGuard::OutlineGuard(Mechanics& mechanics)
    : mechanics_(mechanics), search_(mechanics.system().feature_search()) {
  bool any = false;
  for (Index i = 0; search_ && i < mechanics.nc(); ++i) any = any || search_->has_outlines(i);
  if (!any) search_ = nullptr;
}

double OutlineGuard::longest(const RunState& from, double h) {
  if (!search_) return h;
  const Index nq = mechanics_.nq();
  return search_->time_to_pass(mechanics_.span().inside(from.t), from.y.head(nq),
                               from.y.segment(nq, mechanics_.nu()), outline_guard::kWay, h,
                               mechanics_.work());
}

bool OutlineGuard::accepts(const RunState& end) {
  if (!search_) return true;
  const OutlineOverlap deepest = search_->deepest_overlap(
      mechanics_.span().inside(end.t), end.y.head(mechanics_.nq()), mechanics_.work());
  const bool deeper = deepest.share > outline_guard::kDeepest && deepest.share > share_;
  share_ = deepest.share;
  contact_ = deepest.contact;
  return !deeper;
}

std::string OutlineGuard::complaint() const {
  return "the outlines of contact '" + mechanics_.system().contacts()[at(contact_)].name +
         "' overlap by " + std::to_string(std::lround(100.0 * share_)) +
         " % of their width. Use a smaller step.";
}

}  // namespace nsmb
