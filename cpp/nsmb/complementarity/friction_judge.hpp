// Common record of all sparse solvers: the best point so far, the clock, and the stopping criteria.
#pragma once

#include <chrono>

#include "nsmb/complementarity/friction_contacts.hpp"
#include "nsmb/complementarity/friction_sparse_solver.hpp"

namespace nsmb::internal {

class FrictionJudge {
 public:
  using Clock = std::chrono::steady_clock;

  FrictionJudge(const OriginalFriction& original, const ContactSystem& system,
                const SparseFrictionOptions& options, SparseFrictionResult& result);

  /// Evaluate a scaled point from the original data and keep it if it is the best. Return true if
  /// it solves the problem.
  bool offer(const Vector& scaled, SparseFrictionMethod method);
  /// Return the residual of the point offered last.
  double residual() const { return residual_; }
  double best() const { return result_.residual; }
  double tol() const { return options_.tol; }
  bool is_solved() const { return result_.status == SparseFrictionStatus::Solved; }

  /// Return true if time is up or the caller requests a stop, and record the reason.
  bool must_stop();
  bool was_stopped() const { return stopped_; }
  /// Count one more iteration. Return false if the limit is reached.
  bool may_iterate();

  SparseFrictionResult& result() { return result_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Return the seconds left, at most `most`.
  double time_left(double most) const;

 private:
  void stop(SparseFrictionStatus why);

  const OriginalFriction& original_;
  const ContactSystem& system_;
  const SparseFrictionOptions& options_;
  SparseFrictionResult& result_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point asked_ = start_;
  Vector x_, y_, v_;
  double residual_ = 0.0;
  bool stopped_ = false;
};

/// Adds the lifetime of this object to the seconds of a method.
class MethodClock {
 public:
  MethodClock(SparseFrictionResult& result, SparseFrictionMethod method)
      : result_(result), method_(method) {}
  ~MethodClock() {
    const auto now = FrictionJudge::Clock::now();
    result_.seconds[static_cast<std::size_t>(method_)] +=
        std::chrono::duration<double>(now - start_).count();
  }
  MethodClock(const MethodClock&) = delete;
  MethodClock& operator=(const MethodClock&) = delete;

 private:
  SparseFrictionResult& result_;
  SparseFrictionMethod method_;
  FrictionJudge::Clock::time_point start_ = FrictionJudge::Clock::now();
};

}  // namespace nsmb::internal
