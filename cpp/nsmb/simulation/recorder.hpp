// Where the rows of a run go while it goes on: they stay, are handed on in chunks, or are dropped.
#pragma once

#include <memory>

#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

/// Rows that go on together: samples from the first one on, and all events and steps.
struct Chunk {
  std::size_t first_sample = 0;  // those before it have gone on already, and stay
  std::size_t first_found = 0;   // likewise, of contacts that were found
  std::size_t pending_steps =
      0;  // the last steps, of parts, that are not complete: they may change
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// False: the run is to be left.
  virtual bool take(const Trajectory& rows, const Chunk& chunk) = 0;
};

/// What stays of a run whose rows do not all stay.
struct Passing {
  std::size_t every = 0;  // so many rows go on together, or fewer large ones; 0: all rows stay
  bool keeps_events = false;
  std::shared_ptr<Sink> sink;  // none: rows are dropped
};

/// The first and the last sample always stay.
class Recorder : public Trajectory {
 public:
  using Trajectory::Trajectory;

  void set(Passing passing) { passing_ = std::move(passing); }
  const Passing& passing() const { return passing_; }
  /// Whether rows go on at all.
  bool passes() const { return passing_.every > 0; }
  /// Whether so many rows more make a chunk.
  bool is_full(std::size_t to_come) const;
  /// All that has come goes on; false: the sink wants the run to be left, and nothing has gone.
  bool pass_on(std::size_t pending_steps);

  /// Of the whole run: rows that stay here, and others.
  std::size_t sample_count() const { return samples.rows() + gone_samples_; }
  std::size_t event_count() const { return events.rows() + gone_events_; }
  std::size_t gone_events() const { return gone_events_; }

  void clear();
  void take(Recorder& other);

 private:
  Passing passing_;
  std::size_t passed_ = 0;  // of the samples that stay: those that have gone on
  std::size_t gone_samples_ = 0, gone_events_ = 0;
  std::size_t kept_ = 0;  // bytes of the samples that stay, and of their contacts
};

}  // namespace nsmb
