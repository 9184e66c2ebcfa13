// What all sparse solvers report to: the best point so far, the clock, and who may stop them.
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

  /// Judge a scaled point from the original data and keep it if it is the best; true: it solves.
  bool offer(const Vector& scaled, SparseFrictionMethod method);
  /// Of the point offered last.
  double residual() const { return residual_; }
  double best() const { return result_.residual; }
  double tol() const { return options_.tol; }
  bool is_solved() const { return result_.status == SparseFrictionStatus::Solved; }

  /// Whether time is up or somebody wants it to end; remembers why.
  bool must_stop();
  bool was_stopped() const { return stopped_; }
  /// One more iteration; false: the limit is reached.
  bool may_iterate();

  SparseFrictionResult& result() { return result_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Seconds left, at most `most`.
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

/// Counts the seconds of a method while it lives.
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
