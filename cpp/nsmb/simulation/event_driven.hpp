// Event-driven motion: smooth phases with frozen contact state, joined by instants.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nsmb/simulation/parted_run.hpp"
#include "nsmb/simulation/simulation.hpp"
#include "nsmb/simulation/single_run.hpp"

namespace nsmb {

/// An event-driven simulation of a system, in parts or as a whole.
class EventDriven final : public Simulation {
 public:
  /// Throws std::invalid_argument for options out of range. `system` must outlive this object.
  EventDriven(const System& system, const EventDrivenOptions& options);

  void set_inputs(const ConstVectorRef& values) override;
  Vector inputs() const override { return single_ ? single_->inputs() : system_.given_inputs(); }
  void take_over(Simulation& before) override;
  void follow_derivative(std::vector<ParameterShift> shifts) override;
  const Variation* variation() const override { return single_ ? single_->variation() : nullptr; }
  void watch(std::vector<UserEvent> events) override;
  void begin_as(Simulation& other) override;
  std::size_t part_count() const override { return parted_ ? parted_->part_count() : 0; }
  std::vector<std::int32_t> parts_of_y() const override;
  std::vector<std::int32_t> parts_of_contacts() const override;

 private:
  void unite();

  const EventDrivenOptions options_;
  const std::shared_ptr<RootFinder> roots_;
  // The run by its type. One of the two is null.
  SingleRun* single_ = nullptr;
  PartedRun* parted_ = nullptr;
};

}  // namespace nsmb
