#include "nsmb/complementarity/friction_judge.hpp"

#include <algorithm>
#include <limits>

namespace nsmb::internal {

FrictionJudge::FrictionJudge(const OriginalFriction& original, const ContactSystem& system,
                             const SparseFrictionOptions& options, SparseFrictionResult& result)
    : original_(original), system_(system), options_(options), result_(result) {
  // Vectors are not cleared but keep their storage.
  result.status = SparseFrictionStatus::Inaccurate;
  result.iterations = result.outer_iterations = result.factorizations = 0;
  result.used = SparseFrictionMethod::Auto;
  result.seconds = {};
  result.residual = std::numeric_limits<double>::infinity();
  result.x.setZero(original.problem().rows());
  original.evaluate(result.x, result.y, result.v);
}

bool FrictionJudge::offer(const Vector& scaled, SparseFrictionMethod method) {
  system_.to_original(scaled, x_);
  original_.evaluate(x_, y_, v_);
  residual_ = original_.residual(x_, y_);
  if (residual_ < result_.residual) {
    result_.residual = residual_;
    result_.x.swap(x_);
    result_.y.swap(y_);
    result_.v.swap(v_);
    result_.used = method;
  }
  if (residual_ > options_.tol) return false;
  result_.status = SparseFrictionStatus::Solved;
  return true;
}

// A solution remains solved while it is polished.
void FrictionJudge::stop(SparseFrictionStatus why) {
  stopped_ = true;
  if (!is_solved()) result_.status = why;
}

bool FrictionJudge::must_stop() {
  if (stopped_) return true;
  const Clock::time_point now = Clock::now();
  if (options_.max_time > 0.0 &&
      std::chrono::duration<double>(now - start_).count() > options_.max_time) {
    stop(SparseFrictionStatus::TimeLimit);
  } else if (options_.keep_going && now - asked_ > std::chrono::milliseconds(50)) {
    asked_ = now;
    if (!options_.keep_going()) stop(SparseFrictionStatus::Interrupted);
  }
  return stopped_;
}

bool FrictionJudge::may_iterate() {
  if (options_.max_iterations > 0 && result_.iterations >= options_.max_iterations) {
    if (!stopped_) stop(SparseFrictionStatus::IterationLimit);
    return false;
  }
  ++result_.iterations;
  return true;
}

double FrictionJudge::time_left(double most) const {
  if (options_.max_time <= 0.0) return most;
  return std::clamp(options_.max_time - seconds(), 0.0, most);
}

}  // namespace nsmb::internal
