// Interface of a watched quantity: one class for each kind.
#pragma once

#include <limits>
#include <vector>

#include "nsmb/contact_laws/frozen_forces.hpp"
#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/triggers.hpp"

namespace nsmb {

class InstantResolution;
class Quantity;
struct InstantWorkspace;
struct TransitionOptions;

/// A function that is not negative as long as a contact state lasts.
struct Indicator {
  const Quantity* quantity = nullptr;
  Index contact = -1;   // or force element; -1 for the system
  double sign = 1.0;    // direction
  double offset = 0.0;  // tolerance
  Index zeros = 0;      // order of its zero at the start of the phase
  double noise = 0.0;   // of g̈_N for a gap, of the value for a force; smaller values count as zero
};

/// The physical meaning of the values of a quantity.
enum class Measure { Gap, Slip, RestVelocity, Force, Other };

/// The method that locates the zero of a quantity.
enum class Place {
  Root,     // by Newton's method on the motion
  Near,     // any nearby point is sufficient
  EndOfLaw  // the phase determines where the law ends the state
};

/// The state at the start of a phase.
struct PhaseStart {
  const InstantWorkspace& work;
  const InstantResolution& resolution;
};

/// A row of weights of the observables of a contact.
using Weights = Eigen::Matrix<double, 1, kObservables>;

/// A kind of watched quantity, constant and without state, with one object of each kind. To add
/// one, write a class in quantities.cpp and add it to the lists at the end of that file.
class Quantity {
 public:
  virtual ~Quantity() = default;

  /// Add the indicators of contact or force element i, or of the system if i is -1.
  virtual void list(const PhaseStart& start, Index i, std::vector<Indicator>& indicators) const = 0;
  /// Set the tolerance, the noise, and the order of the known zero at the start of the phase.
  virtual void prepare(Indicator& /*indicator*/, const PhaseStart& /*start*/) const {}

  /// Return the weights of the observables of the contact if the value is a sum of these.
  virtual Weights weights(const Indicator& /*indicator*/) const { return Weights::Zero(); }
  virtual double value(const Indicator& indicator, const Observation& observation) const {
    return indicator.offset + weights(indicator).dot(observation.contacts.row(indicator.contact));
  }
  /// Compute the derivative with respect to time. Return false if it is not observed.
  virtual bool slope(const Indicator& /*indicator*/, const Observation& /*observation*/,
                     double& /*slope*/) const {
    return false;
  }
  virtual Measure measure() const { return Measure::Other; }
  virtual Place place() const { return Place::Root; }
  /// Return true if the quantity changes with matrices that are constant in a linear system.
  virtual bool is_of_matrices() const { return false; }
  /// Return true if a contact point may miss its features where the quantity vanishes.
  virtual bool may_pass_beside() const { return false; }
  /// Return the negligible depth below zero where a state starts and ends at one instant.
  virtual double negligible(const Indicator& /*indicator*/, const TransitionOptions& /*options*/,
                            bool /*with_forces*/) const {
    return std::numeric_limits<double>::infinity();
  }

  /// Report the zero of an indicator to the instant.
  virtual void tell(const Indicator& indicator, Triggers& triggers) const = 0;
  /// Return true if a zero only needs a search for candidates, without instant and restart.
  virtual bool only_searches() const { return false; }
  /// Return true if h_y describes how the zero moves with the motion.
  virtual bool is_differentiable() const { return true; }
  virtual bool is_of_element() const { return false; }
};

/// g_N of an open contact.
const Quantity& gap_quantity();

/// List the functions to watch in the contact state that starts at `start`.
void list_indicators(const PhaseStart& start, std::vector<Indicator>& indicators);

inline bool is_gap(const Indicator& i) { return i.quantity->measure() == Measure::Gap; }
inline bool is_slip(const Indicator& i) { return i.quantity->measure() == Measure::Slip; }
inline bool is_force(const Indicator& i) { return i.quantity->measure() == Measure::Force; }
/// Return true if a zero followed by a small negative value is no event.
inline bool may_touch(const Indicator& i) {
  return is_slip(i) || is_force(i) || i.quantity->measure() == Measure::RestVelocity;
}
inline double value(const Indicator& i, const Observation& observation) {
  return i.quantity->value(i, observation);
}

}  // namespace nsmb
