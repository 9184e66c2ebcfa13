// A motion as seen from Python, independent of the method.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/recording.hpp"
#include "nsmb/simulation/simulation.hpp"

/// Used by one thread at a time: the rest of the interface waits for advance() to end.
class Simulator {
 public:
  Simulator(std::shared_ptr<nsmb::System> system, std::unique_ptr<nsmb::Simulation> motion)
      : system_(std::move(system)), motion_(std::move(motion)) {}
  virtual ~Simulator() = default;
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  nsmb::Simulation& idle() {
    if (running_) throw std::runtime_error("this simulator is running in another thread");
    return *motion_;
  }
  const nsmb::System& system() const { return *system_; }

  // Rows are kept (every = 0), dropped, or passed to a function.
  void record(std::size_t every, bool keeps_events, const py::object& function) {
    sink_.reset();
    if (!function.is_none()) sink_ = std::make_shared<PythonSink>(*motion_, function);
    idle().record({every, keeps_events, sink_});
  }
  void pass_on() {
    idle().pass_on();
    raise_kept();
  }
  // Rethrow an exception of the sink where the run ends.
  void raise_kept() {
    if (sink_) sink_->raise_kept();
  }

  class Run {
   public:
    explicit Run(Simulator& simulator) : simulator_(simulator), motion(simulator.idle()) {
      simulator_.running_ = true;
    }
    ~Run() { simulator_.running_ = false; }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Simulator& simulator_;

   public:
    nsmb::Simulation& motion;
  };

 private:
  std::shared_ptr<nsmb::System> system_;
  std::unique_ptr<nsmb::Simulation> motion_;
  bool running_ = false;  // accessed only with the GIL
  std::shared_ptr<PythonSink> sink_;
};
