#include "nsmb/stepping/touch_budget.hpp"

namespace nsmb {

namespace {

// Each touch cuts about three steps, so this allows some hundred touches.
constexpr int kMostCuts = 1000;

}  // namespace

double TouchBudget::length(double t, double h, double longest) {
  spent_ = false;
  if (!(longest < h)) return h;
  if (cuts_ == 0 || !(t - begin_ < step_)) {
    begin_ = t;
    cuts_ = 0;
  }
  if (cuts_ < kMostCuts) {
    ++cuts_;
    return longest;
  }
  spent_ = true;
  return h;
}

}  // namespace nsmb
