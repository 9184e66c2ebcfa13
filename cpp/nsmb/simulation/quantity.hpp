// One kind of watched quantity: all that anybody asks about it, in one class.
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
  Index contact = -1;   // or force element; -1: the system
  double sign = 1.0;    // direction
  double offset = 0.0;  // tolerance
  Index zeros = 0;      // order of its zero at the start of the phase
  double noise = 0.0;   // gap: of g̈_N, forces: of their value; what never exceeds it is zero
};

/// What the values of a quantity measure.
enum class Measure { Gap, Slip, RestVelocity, Force, Other };

/// How the place of its zero is known.
enum class Place {
  Root,     // by Newton's method on the motion
  Near,     // anywhere near will do
  EndOfLaw  // the phase asks the law where it ends
};

/// What a phase begins with.
struct PhaseStart {
  const InstantWorkspace& work;
  const InstantResolution& resolution;
};

/// A row of weights of the observables of a contact.
using Weights = Eigen::Matrix<double, 1, kObservables>;

/// Constant, without state: there is one object of each kind. A new one is a class in
/// quantities.cpp and its line in the lists at the end of that file.
class Quantity {
 public:
  virtual ~Quantity() = default;

  /// Adds what is to be watched at contact or force element i, -1: of the system.
  virtual void list(const PhaseStart& start, Index i, std::vector<Indicator>& indicators) const = 0;
  /// Tolerance, noise, and the order of the zero that is known where the phase begins.
  virtual void prepare(Indicator& /*indicator*/, const PhaseStart& /*start*/) const {}

  /// Of observables of its contact, if it is a sum of them.
  virtual Weights weights(const Indicator& /*indicator*/) const { return Weights::Zero(); }
  virtual double value(const Indicator& indicator, const Observation& observation) const {
    return indicator.offset + weights(indicator).dot(observation.contacts.row(indicator.contact));
  }
  /// Its derivative by time, if it is observed.
  virtual bool slope(const Indicator& /*indicator*/, const Observation& /*observation*/,
                     double& /*slope*/) const {
    return false;
  }
  virtual Measure measure() const { return Measure::Other; }
  virtual Place place() const { return Place::Root; }
  /// It changes with matrices that are constant in a linear system.
  virtual bool is_of_matrices() const { return false; }
  /// A point may go by where it vanishes.
  virtual bool may_pass_beside() const { return false; }
  /// How far below zero is nothing yet, where a state begins and ends at one instant.
  virtual double negligible(const Indicator& /*indicator*/, const TransitionOptions& /*options*/,
                            bool /*with_forces*/) const {
    return std::numeric_limits<double>::infinity();
  }

  /// Its zero, for what an instant decides.
  virtual void tell(const Indicator& indicator, Triggers& triggers) const = 0;
  /// All it needs is a search for candidates: no instant, no restart.
  virtual bool only_searches() const { return false; }
  /// Its zero moves with the motion as h_y says.
  virtual bool is_differentiable() const { return true; }
  virtual bool is_of_element() const { return false; }
};

/// g_N of an open contact.
const Quantity& gap_quantity();

/// The functions to watch in the contact state that begins at `start`.
void list_indicators(const PhaseStart& start, std::vector<Indicator>& indicators);

inline bool is_gap(const Indicator& i) { return i.quantity->measure() == Measure::Gap; }
inline bool is_slip(const Indicator& i) { return i.quantity->measure() == Measure::Slip; }
inline bool is_force(const Indicator& i) { return i.quantity->measure() == Measure::Force; }
/// Does zero with a small negative value behind it mean nothing?
inline bool may_touch(const Indicator& i) {
  return is_slip(i) || is_force(i) || i.quantity->measure() == Measure::RestVelocity;
}
inline double value(const Indicator& i, const Observation& observation) {
  return i.quantity->value(i, observation);
}

}  // namespace nsmb
