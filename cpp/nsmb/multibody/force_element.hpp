// Force elements between bodies, in addition to joints and contacts: the interface for springs,
// loads, actuators and whole subsystems with their own states.
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

/// A joint coordinate and the velocity that is its rate.
struct JointPlace {
  Index coordinate = -1, velocity = -1;
};

/// An element in a model, with the indices of its markers and joint coordinates in the model.
struct PlacedForce {
  std::string name;
  std::shared_ptr<const ForceElement> element;
  std::vector<Index> markers = {};
  std::vector<JointPlace> joints = {};
};

/// A function of the motion that decides between two modes. It is not negative while the current
/// mode lasts. When it passes through zero, an event is located and the mode changes.
struct WatchedFunction {
  std::string name;
  bool closed = false;       // initial mode, unless the function is negative in it
  double resolution = 1e-9;  // in the unit of the function: values below count as zero
};

class ForceInput;
struct ForceWorkspace;

/// The watched functions of an element with modes.
class ForceSwitches {
 public:
  virtual std::vector<WatchedFunction> watched() const = 0;
  /// Compute the values of the watched functions.
  virtual void watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const = 0;

 protected:
  ~ForceSwitches() = default;
};

/// Input to an evaluation of an element, with its markers and joints numbered as in the element.
class ForceInput {
 public:
  /// Construct the input. `states` holds the element's states followed by its modes, 1 where
  /// closed.
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
  const Vector& inputs;  // of the whole system

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
  /// Return the mode of a watched function: false is open, true is closed. Fixed between events.
  bool is_closed(std::size_t watched) const { return states_[own_ + watched] > 0.5; }

 private:
  const PlacedForce& place_;
  const MarkerStates& markers_;
  const double* q_;
  const double* u_;
  std::span<const double> states_;
  std::size_t own_;
};

/// Receiver of forces on bodies. All contributions are added.
class WrenchSink {
 public:
  virtual ~WrenchSink() = default;
  /// Add a force through the origin of a marker of the element, and a moment, in inertial
  /// components.
  virtual void add(std::size_t marker, const Vector3& force,
                   const Vector3& moment = Vector3::Zero()) = 0;
  /// Add a generalised force on a joint coordinate of the element, N or N m.
  virtual void add_joint(std::size_t joint, double force) = 0;
};

/// Scratch memory of an element, one per thread.
struct ForceWorkspace {
  virtual ~ForceWorkspace() = default;
};

/// A force element, immutable and shared between threads. All methods are const, and scratch data
/// are in the workspace. A model may contain one element several times.
class ForceElement {
 public:
  ForceElement() = default;
  virtual ~ForceElement() = default;
  ForceElement(const ForceElement&) = delete;
  ForceElement& operator=(const ForceElement&) = delete;

  /// Number of markers and joint coordinates it acts on.
  virtual std::size_t markers() const = 0;
  virtual std::size_t joints() const = 0;

  /// Names of its first-order states, ẋ = f, and their initial values.
  virtual std::vector<std::string> states() const { return {}; }
  virtual Vector initial() const { return Vector::Zero(static_cast<Index>(states().size())); }
  /// Return its watched functions, or nullptr if it has no modes.
  virtual const ForceSwitches* switches() const { return nullptr; }
  virtual std::unique_ptr<ForceWorkspace> make_workspace() const {
    return std::make_unique<ForceWorkspace>();
  }

  /// Evaluate wrenches on markers and forces on joints into `out`, and the rates of the states into
  /// `xdot`, which is zero on entry. The result is smooth as long as the modes last.
  virtual void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                        ForceWorkspace& work) const = 0;
  /// Return the entries of ∂ẋ/∂x, for its own states, that may ever be non-zero. Empty: all
  /// entries.
  virtual SparsityPattern rate_pattern() const { return {}; }
  /// Compute derivatives with respect to its states that have a closed form, at given modes. Rows
  /// are force and moment of each marker, forces in joints, and ẋ. Columns are its states and are
  /// zero on entry. Set `known` to 1 for each computed column. The others are computed by finite
  /// differences of the element.
  virtual void state_slopes(const ForceInput& /*in*/, MatrixRef /*slopes*/,
                            std::vector<char>& /*known*/, ForceWorkspace& /*work*/) const {}
  /// Return the energy in J, or NaN if unknown. Without states it depends on time and positions
  /// alone.
  virtual double energy(const ForceInput& in, ForceWorkspace& work) const;
  /// Return a sentence that explains a non-finite value there, or an empty string if none is
  /// available.
  virtual std::string trouble(const ForceInput& /*in*/, ForceWorkspace& /*work*/) const {
    return {};
  }
  /// Return the law of an element that is nothing but a law over the distance of its two markers,
  /// or over its one coordinate. Its derivatives then have a closed form. Otherwise return nullptr.
  /// The element is then differenced by itself or, if it calls user functions, as part of the whole
  /// motion.
  virtual const SignedLaw* law() const { return nullptr; }
  /// Return the longest duration in s of a step that starts or ends there, see StepLimits. Called
  /// only if may_be_stepped_over().
  virtual double longest_step(const ForceInput& /*in*/, ForceWorkspace& /*work*/) const {
    return kInfinity;
  }
  virtual bool may_be_stepped_over() const { return false; }
  /// Return the minimum number of inputs of the system.
  virtual Index least_inputs() const { return 0; }
  /// Return true if it calls a user function. A model with such an element is not divided, since
  /// the dependencies of the function are unknown.
  virtual bool calls_user() const { return false; }
};

inline std::vector<WatchedFunction> watched_of(const ForceElement& element) {
  return element.switches() ? element.switches()->watched() : std::vector<WatchedFunction>{};
}

}  // namespace nsmb
