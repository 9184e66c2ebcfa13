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

/// The last step of a phase, and the indicators watched on it.
struct SearchedStep {
  Phase& phase;
  const std::vector<Indicator>& indicators;
  bool starts;           // the step is the first of the phase
  double t_stop, t_end;  // limits of the step, and of the run
};

class EventSearch {
 public:
  EventSearch(const System& system, std::shared_ptr<RootFinder> roots);

  /// Find where an indicator first falls through zero: the fraction of the step, and the number of
  /// the indicator. Return false if there is none.
  bool find(const SearchedStep& step, double& s_event, std::size_t& first);
  /// Return the fraction of the step to examine instead, or > 1 for none. Functions of time do not
  /// limit steps. On a long step, the polynomial of a gap may therefore miss the gap at the end. It
  /// may also have a large error compared with the change of the gap until the event.
  double part_in_doubt(const SearchedStep& step, double s_event, std::size_t first,
                       double gap_tolerance) const;
  /// Return the fraction of that step at which to end it, or > 1 for none.
  double cut() const { return cut_; }
  /// Collect the indicators that fire with the first one at s_event.
  void collect(const SearchedStep& step, double s_event, std::size_t first, Triggers& triggers,
               std::vector<Indicator>& fired) const;
  /// End the step at this event, or at another one that turns out to be earlier.
  StepStatus locate(const SearchedStep& step, double s_event, std::size_t first, Triggers& triggers,
                    std::vector<Indicator>& fired);
  /// Find a short step, to the fraction s, that leaves an instant that does not settle. Return
  /// false if there is none.
  bool find_way_out(const SearchedStep& step, const ContactStates& states,
                    const TransitionOptions& options, double& s);
  /// Return the force elements that switch indefinitely where the step starts. The list is empty
  /// unless only watched functions fire there that fall clearly in every mode.
  std::vector<Index> endless_switches(const SearchedStep& step, const ContactStates& states,
                                      const ElementModes& modes);
  /// Record that the run has left the instant at which it stood.
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
  Vector row_, mirrored_;  // one of its columns, and its mirror image
  std::vector<double> crossings_;
  double cut_ = 0.0;
  long standing_ = 0;  // instants in a row without progress
  int ways_out_ = 0;   // steps in a row that leave such instants
  SwitchCircle circle_;
};

}  // namespace nsmb
