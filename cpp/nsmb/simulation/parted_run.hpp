// Run of a system with independent parts. Each part has its own steps, and an event restarts only
// its own part. The parts advance in turn, in the order of time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nsmb/simulation/sample_builder.hpp"

namespace nsmb {

class PartedRun : public Run {
 public:
  PartedRun(const System& system, const EventDrivenOptions& options, std::vector<SystemPart> parts,
            const std::shared_ptr<RootFinder>& roots);

  void reset(double t, const ConstVectorRef& q, const ConstVectorRef& u,
             const ConstVectorRef& x) override;
  void forget() override;
  DiscreteState discrete_state() const override {
    return {state_.states, state_.modes, state_.features.slots};
  }
  /// Complete the trajectory with what was recorded since the last call, and return it.
  const Recorder& trajectory() override;
  bool pass_on() override;
  SimulationStatistics statistics() const override;
  KeptStates kept_states() const override;
  double kept_bytes() const override;
  bool is_reset() const override { return is_reset_; }
  bool has_begun() const override { return begun_; }

  std::size_t part_count() const { return parts_.size(); }
  std::vector<std::int32_t> parts_of_y() const;
  std::vector<std::int32_t> parts_of_contacts() const;

 private:
  SimulationStatus go(double t_end, bool one_event, const Monitor& monitor) override;
  void lose_phase() override { is_decided_ = false; }
  void complete_samples() override;
  std::size_t rows_to_come() const override { return record_->samples + record_->events; }
  void resume_at(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& x, const DiscreteState& discrete) override;

  void begin_at(double t);
  SimulationStatus begin();
  SimulationStatus move(double t_end, bool one_event, const Monitor& monitor);
  SimulationStatus prepare(double t_end);
  SimulationStatus take_steps(bool& event);
  SimulationStatus decide();
  bool keep_events();
  SimulationStatus fail(const RunPart& part, SimulationStatus status);
  SimulationStatus check_limits();
  void merge_first_events();
  void record_grid(double t_new, bool include_end);
  void record_sample();
  void show_pending_steps();
  void restart_record();

  const EventDrivenOptions options_;
  RunParts parts_;
  std::vector<double> ends_;        // end times of the pending steps
  std::vector<std::size_t> idle_;   // parts without a pending step
  std::vector<std::size_t> taken_;  // parts whose steps end at the current instant
  bool is_reset_ = false, begun_ = false;
  bool is_decided_ = true;  // false after a call of advance() that ended in an exception
  WholeState whole_;
  EventMerger merger_;
  std::unique_ptr<PartedRecord> record_;
  std::unique_ptr<SampleBuilder> builder_;
  bool shows_ = false;           // incomplete steps are shown,
  std::size_t shown_steps_ = 0;  // this many at the end of the trajectory
};

}  // namespace nsmb
