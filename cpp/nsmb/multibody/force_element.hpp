// What acts between bodies besides joints and contacts: the seam for springs, loads, actuators and
// whole subsystems with states of their own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nsmb/core/sparsity.hpp"
#include "nsmb/multibody/force_law.hpp"
#include "nsmb/multibody/marker_states.hpp"

namespace nsmb {

class ForceElement;

/// A coordinate of a joint and the velocity that is its rate.
struct JointPlace {
  Index coordinate = -1, velocity = -1;
};

/// An element in a model: which of the model's markers and joint coordinates are its own.
struct PlacedForce {
  std::string name;
  std::shared_ptr<const ForceElement> element;
  std::vector<Index> markers = {};
  std::vector<JointPlace> joints = {};
};

/// A function of the motion that decides between two modes: not negative while the present one
/// lasts. Where it passes through zero an event is located, and the mode is the other one.
struct WatchedFunction {
  std::string name;
  bool closed = false;       // mode at the start, unless the function is negative in it
  double resolution = 1e-9;  // in its unit: values below count as zero
};

class ForceInput;
struct ForceWorkspace;

/// Of an element with modes of its own.
class ForceSwitches {
 public:
  virtual std::vector<WatchedFunction> watched() const = 0;
  /// Values of the watched functions.
  virtual void watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const = 0;

 protected:
  ~ForceSwitches() = default;
};

/// What an element is evaluated at. Markers and joints are numbered as the element has them.
class ForceInput {
 public:
  /// `states`: those of the element, then its modes, 1 where the function is closed.
  ForceInput(double time, const PlacedForce& place, const MarkerStates& markers,
             const ConstVectorRef& q, const ConstVectorRef& u, std::span<const double> states,
             std::size_t own, const Vector& input_values)
      : t(time),
        inputs(input_values),
        place_(place),
        markers_(markers),
        q_(q.data()),
        u_(u.data()),
        states_(states),
        own_(own) {}

  const double t;
  const Vector& inputs;  // those of the whole system

  std::size_t markers() const { return place_.markers.size(); }
  std::size_t joints() const { return place_.joints.size(); }
  const MarkerKinematics& marker(std::size_t k) const {
    return markers_[static_cast<std::size_t>(place_.markers[k])];
  }
  double q(std::size_t joint) const { return q_[place_.joints[joint].coordinate]; }
  double u(std::size_t joint) const { return u_[place_.joints[joint].velocity]; }
  /// The element's own states.
  std::span<const double> x() const { return states_.first(own_); }
  double x(std::size_t k) const { return states_[k]; }
  std::size_t modes() const { return states_.size() - own_; }
  /// The mode of a watched function: false is open, true closed. Frozen between events.
  bool is_closed(std::size_t watched) const { return states_[own_ + watched] > 0.5; }

 private:
  const PlacedForce& place_;
  const MarkerStates& markers_;
  const double* q_;
  const double* u_;
  std::span<const double> states_;
  std::size_t own_;
};

/// Takes what acts on the bodies; everything adds up.
class WrenchSink {
 public:
  virtual ~WrenchSink() = default;
  /// Force through the origin of a marker of the element, and moment, in inertial components.
  virtual void add(std::size_t marker, const Vector3& force,
                   const Vector3& moment = Vector3::Zero()) = 0;
  /// Generalised force on a joint coordinate of the element, N or N m.
  virtual void add_joint(std::size_t joint, double force) = 0;
};

/// Scratch memory of an element, one per thread.
struct ForceWorkspace {
  virtual ~ForceWorkspace() = default;
};

/// Immutable and shared between threads: all methods are const, what they compute with is in the
/// workspace. One element may stand at several places of a model.
class ForceElement {
 public:
  ForceElement() = default;
  virtual ~ForceElement() = default;
  ForceElement(const ForceElement&) = delete;
  ForceElement& operator=(const ForceElement&) = delete;

  /// How many markers and joint coordinates it acts on.
  virtual std::size_t markers() const = 0;
  virtual std::size_t joints() const = 0;

  /// Names of its first-order states, ẋ = f, and where they start.
  virtual std::vector<std::string> states() const { return {}; }
  virtual Vector initial() const { return Vector::Zero(static_cast<Index>(states().size())); }
  /// nullptr: it has no modes.
  virtual const ForceSwitches* switches() const { return nullptr; }
  virtual std::unique_ptr<ForceWorkspace> make_workspace() const {
    return std::make_unique<ForceWorkspace>();
  }

  /// Wrenches on markers and forces on joints go to `out`, the rates of the states to `xdot`, which
  /// comes as zeros. Smooth as long as the modes last.
  virtual void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                        ForceWorkspace& work) const = 0;
  /// Entries of ∂ẋ/∂x, of its own states, that may differ from zero at any time; empty: any may.
  virtual SparsityPattern rate_pattern() const { return {}; }
  /// Derivatives by its states that it has in closed form, its modes given: rows are force and
  /// moment of each marker, forces in joints, ẋ; columns, which come as zeros, its states. `known`
  /// becomes 1 where one is; by the others the element is varied.
  virtual void state_slopes(const ForceInput& /*in*/, MatrixRef /*slopes*/,
                            std::vector<char>& /*known*/, ForceWorkspace& /*work*/) const {}
  /// J; NaN: not known. Of an element without states a function of time and places alone.
  virtual double energy(const ForceInput& in, ForceWorkspace& work) const;
  /// Why it has no finite value there, in words; empty: it does not know.
  virtual std::string trouble(const ForceInput& /*in*/, ForceWorkspace& /*work*/) const {
    return {};
  }
  /// Where it is a law over the distance of its two markers or over its one coordinate and nothing
  /// else: its derivatives are in closed form then. nullptr: for those of the motion the element is
  /// varied by itself, or where it calls the user the motion as a whole.
  virtual const SignedLaw* law() const { return nullptr; }
  /// s, how long a step that begins or ends there may be, see StepLimits; only asked of elements
  /// that say they may be stepped over.
  virtual double longest_step(const ForceInput& /*in*/, ForceWorkspace& /*work*/) const {
    return kInfinity;
  }
  virtual bool may_be_stepped_over() const { return false; }
  /// How many inputs the system has at least.
  virtual Index least_inputs() const { return 0; }
  /// A function of the user is called, of which nothing is known: a model with one stays whole.
  virtual bool calls_user() const { return false; }
};

inline std::vector<WatchedFunction> watched_of(const ForceElement& element) {
  return element.switches() ? element.switches()->watched() : std::vector<WatchedFunction>{};
}

}  // namespace nsmb
