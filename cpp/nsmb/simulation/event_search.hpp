// The first event of a step, and what fires with it.
#pragma once

#include <memory>
#include <vector>

#include "nsmb/integration/bernstein.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/switch_circle.hpp"
#include "nsmb/simulation/tolerances.hpp"
#include "nsmb/simulation/transition_options.hpp"
#include "nsmb/simulation/triggers.hpp"

namespace nsmb {

/// The last step of a phase, and what is watched on it.
struct SearchedStep {
  Phase& phase;
  const std::vector<Indicator>& indicators;
  bool starts;           // it is the first of the phase
  double t_stop, t_end;  // how far it could go, and the run
};

class EventSearch {
 public:
  EventSearch(const System& system, std::shared_ptr<RootFinder> roots);

  /// Where an indicator first falls through zero: the part of the step, and its number.
  bool find(const SearchedStep& step, double& s_event, std::size_t& first);
  /// The part of the step to look at instead, > 1: none. Functions of time do not limit steps: the
  /// polynomial of a gap over a long one may miss its end, or be wrong by much of what the gap does
  /// until the event.
  double part_in_doubt(const SearchedStep& step, double s_event, std::size_t first,
                       double gap_tolerance) const;
  /// The part of that step to end it at, > 1: none.
  double cut() const { return cut_; }
  /// What fires with the first one at s_event.
  void collect(const SearchedStep& step, double s_event, std::size_t first, Triggers& triggers,
               std::vector<Indicator>& fired) const;
  /// End the step there, or where something else turns out to be earlier.
  StepStatus locate(const SearchedStep& step, double s_event, std::size_t first, Triggers& triggers,
                    std::vector<Indicator>& fired);
  /// From an instant that does not settle, to its part s.
  bool find_way_out(const SearchedStep& step, const ContactStates& states,
                    const TransitionOptions& options, double& s);
  /// What fires where the step begins is nothing but watched functions of force elements, which
  /// fall clearly in every mode: the elements, where that is known.
  std::vector<Index> endless_switches(const SearchedStep& step, const ContactStates& states,
                                      const ElementModes& modes);
  /// The run has left the place at which it stood.
  void leave() {
    standing_ = ways_out_ = 0;
    circle_.forget();
  }

 private:
  double crossing_of(const SearchedStep& step, std::size_t k, double limit);
  double fall_of(const SearchedStep& step, const Indicator& indicator, double s);
  double last_fall(double a, double b);
  std::size_t passed_over(const SearchedStep& step, double s_event, double reached,
                          std::size_t first);
  std::size_t fallen_before(const SearchedStep& step, double s_event, double reached,
                            std::size_t first);
  bool ends_at_zero(const SearchedStep& step, Index k) const;
  bool is_clear_switch(const Indicator& indicator, Index k) const;
  bool passes_beside(const SearchedStep& step, Index contact, double s,
                     const ConstVectorRef& c) const;

  const System& system_;
  std::shared_ptr<RootFinder> roots_;
  Matrix coefficients_;    // indicators on the step, (degree + 1, indicators)
  Vector row_, mirrored_;  // one of its columns, and as seen backwards
  std::vector<double> crossings_;
  double cut_ = 0.0;
  long standing_ = 0;  // instants in a row without a way ahead
  int ways_out_ = 0;   // steps that lead away from there, in a row
  SwitchCircle circle_;
};

}  // namespace nsmb
