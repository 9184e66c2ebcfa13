// Destination of the rows of a run: they are kept, passed on in chunks, or dropped.
#pragma once

#include <memory>

#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

/// Rows that are passed on together: samples from the first one on, and all events and steps.
struct Chunk {
  std::size_t first_sample = 0;  // earlier ones have been passed on already, and stay
  std::size_t first_found = 0;   // likewise, for contacts that were found
  std::size_t pending_steps =
      0;  // number of last steps, of parts, that are incomplete and may still change
};

class Sink {
 public:
  virtual ~Sink() = default;
  /// Take rows. Return false to stop the run.
  virtual bool take(const Trajectory& rows, const Chunk& chunk) = 0;
};

/// Settings of a run that does not keep all rows.
struct Passing {
  std::size_t every = 0;  // rows passed on together, fewer if they are large; 0 keeps all rows
  bool keeps_events = false;
  std::shared_ptr<Sink> sink;  // if null, rows are dropped
};

/// A trajectory that can pass on its rows. The first and the last sample always stay.
class Recorder : public Trajectory {
 public:
  using Trajectory::Trajectory;

  void set(Passing passing) { passing_ = std::move(passing); }
  const Passing& passing() const { return passing_; }
  /// Return true if rows are passed on.
  bool passes() const { return passing_.every > 0; }
  /// Return true if `to_come` more rows complete a chunk.
  bool is_full(std::size_t to_come) const;
  /// Pass on all rows. If the sink wants to stop the run, return false and pass on nothing.
  bool pass_on(std::size_t pending_steps);

  /// Counts of the whole run, including rows that were passed on.
  std::size_t sample_count() const { return samples.rows() + gone_samples_; }
  std::size_t event_count() const { return events.rows() + gone_events_; }
  std::size_t gone_events() const { return gone_events_; }

  void clear();
  void take(Recorder& other);

 private:
  Passing passing_;
  std::size_t passed_ = 0;  // number of samples that stay but have been passed on
  std::size_t gone_samples_ = 0, gone_events_ = 0;
  std::size_t kept_ = 0;  // bytes of the samples that stay, and of their contacts
};

}  // namespace nsmb
