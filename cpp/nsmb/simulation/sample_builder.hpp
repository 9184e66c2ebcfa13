// Conversion of the record of a run in parts to samples and events of the whole system.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/simulation/parted_record.hpp"

namespace nsmb {

class SampleBuilder {
 public:
  SampleBuilder(const System& system, const RunParts& parts, PartedRecord& record,
                WholeState& whole, EventMerger& merger, Trajectory& trajectory)
      : system_(system),
        parts_(parts),
        record_(record),
        whole_(whole),
        merger_(merger),
        trajectory_(trajectory),
        phases_(parts.size()) {}

  /// Turn the whole record into samples, events and states at steps.
  void build();

 private:
  void build_moment(std::size_t m);
  const double* show_view(RunPart& part, std::size_t place);
  void show_states(const RunPart& part, const double* numbers);
  void recall(std::size_t k, std::size_t m);

  const System& system_;
  const RunParts& parts_;
  PartedRecord& record_;
  WholeState& whole_;
  EventMerger& merger_;
  Trajectory& trajectory_;
  std::vector<std::size_t> next_way_;           // for each part, the next one to use
  std::vector<std::unique_ptr<Phase>> phases_;  // for each part, evaluates its ways
  std::vector<std::size_t> view_of_;            // for each part, at the current moment
};

}  // namespace nsmb
