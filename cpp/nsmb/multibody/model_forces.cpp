// Force elements of a model: one loop over all elements for wrenches and rates, one for watched
// functions, one for energies.
#include <algorithm>
#include <cmath>

#include "nsmb/multibody/dynamics.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

namespace {

/// Sink for the bodies of the tree, with forces on single velocities stored separately.
class TreeSink final : public WrenchSink {
 public:
  TreeSink(const ModelDescription& model, const PlacedForce& place, ModelWorkspace& work)
      : model_(model), place_(place), work_(work) {}

  void add(std::size_t marker, const Vector3& force, const Vector3& moment) override {
    const auto m = static_cast<std::size_t>(place_.markers[marker]);
    apply_force(*model_.tree, model_.markers[m].body, work_.markers[m].r, force, moment,
                work_.tree);
  }
  void add_joint(std::size_t joint, double force) override {
    work_.joint_forces.emplace_back(place_.joints[joint].velocity, force);
  }

 private:
  const ModelDescription& model_;
  const PlacedForce& place_;
  ModelWorkspace& work_;
};

/// Sink that only checks whether all values are finite.
class FiniteSink final : public WrenchSink {
 public:
  void add(std::size_t /*marker*/, const Vector3& force, const Vector3& moment) override {
    is_finite = is_finite && force.allFinite() && moment.allFinite();
  }
  void add_joint(std::size_t /*joint*/, double force) override {
    is_finite = is_finite && std::isfinite(force);
  }

  bool is_finite = true;
};

}  // namespace

Vector ModelSystem::initial_states() const {
  Vector x(nx_own());
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const ForceElement& element = *model_.forces[k].element;
    const StatePlaces& place = state_places_[k];
    x.segment(place.first, place.own) = element.initial();
    Index mode = place.first + place.own;
    for (const WatchedFunction& watched : watched_of(element))
      x(mode++) = watched.closed ? 1.0 : 0.0;
  }
  return x;
}

SparsityPattern ModelSystem::rate_pattern() const {
  SparsityPattern pattern;
  pattern.begin.push_back(0);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const SparsityPattern rates = model_.forces[k].element->rate_pattern();
    const StatePlaces& place = state_places_[k];
    for (Index j = 0; j < place.own + place.modes; ++j) {
      const bool is_known = !rates.begin.empty();
      if (j < place.own && !is_known) {
        for (Index i = 0; i < place.own; ++i) pattern.rows.push_back(place.first + i);
      } else if (j < place.own) {
        for (Index e = rates.begin[at(j)]; e < rates.begin[at(j + 1)]; ++e) {
          pattern.rows.push_back(place.first + rates.rows[at(e)]);
        }
      }
      pattern.begin.push_back(static_cast<Index>(pattern.rows.size()));
    }
  }
  return pattern;
}

ForceInput ModelSystem::input(std::size_t k, double t, const ConstVectorRef& q,
                              const ConstVectorRef& u, const ConstVectorRef& x,
                              const ModelWorkspace& work) const {
  const StatePlaces& place = state_places_[k];
  return ForceInput(t, model_.forces[k], work.markers, q, u,
                    {x.data() + place.first, static_cast<std::size_t>(place.own + place.modes)},
                    static_cast<std::size_t>(place.own), work.inputs());
}

void ModelSystem::evaluate_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                  const ConstVectorRef& x, ModelWorkspace& work) const {
  work.tree.clear_applied();
  work.joint_forces.clear();
  work.knows_rates = false;
  work.xdot.setZero();
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const PlacedForce& force = model_.forces[k];
    TreeSink sink(model_, force, work);
    force.element->evaluate(input(k, t, q, u, x, work), sink,
                            work.xdot.segment(state_places_[k].first, state_places_[k].own),
                            *work.elements[k]);
  }
  work.x = x;
  work.knows_rates = true;
}

double ModelSystem::longest_step(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  double longest = kInfinity;
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const ForceElement& element = *model_.forces[k].element;
    if (!element.may_be_stepped_over()) continue;
    // Only positions and velocities are needed.
    longest = std::min(longest, element.longest_step(input(k, t, q, u, w.x, w), *w.elements[k]));
  }
  return longest;
}

std::string ModelSystem::trouble(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& x, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const ForceElement& element = *model_.forces[k].element;
    const ForceInput in = input(k, t, q, u, x, w);
    FiniteSink sink;
    Vector xdot = Vector::Zero(state_places_[k].own);
    element.evaluate(in, sink, xdot, *w.elements[k]);
    if (sink.is_finite && xdot.allFinite()) continue;
    const std::string why = element.trouble(in, *w.elements[k]);
    const std::string name = "force element '" + model_.forces[k].name + "': ";
    if (!why.empty()) return name + why;
    return name + (sink.is_finite ? "the rate of a state" : "its force") + " is not finite";
  }
  return {};
}

// (3.11) with the applied forces of (3.12)-(3.15).
void ModelSystem::forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                         const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  evaluate_forces(t, q, u, x, w);
  nsmb::forces(*model_.tree, w.tree, h);
  for (const auto& [velocity, force] : w.joint_forces) h(velocity) += force;
}

void ModelSystem::gyroscopic_forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                    VectorRef h, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  nsmb::forces(*model_.tree, w.tree, h, TreeForces::Gyroscopic);
}

void ModelSystem::loads(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                        const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  evaluate_forces(t, q, u, x, w);
  nsmb::forces(*model_.tree, w.tree, h, TreeForces::Loads);
  for (const auto& [velocity, force] : w.joint_forces) h(velocity) += force;
}

void ModelSystem::state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              const ConstVectorRef& x, VectorRef xdot,
                              SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  if (!w.knows_rates || w.x != x) evaluate_forces(t, q, u, x, w);
  xdot = w.xdot;
}

void ModelSystem::watch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                        const ConstVectorRef& x, VectorRef values, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const StatePlaces& place = state_places_[k];
    if (place.modes == 0) continue;
    model_.forces[k].element->switches()->watch(
        input(k, t, q, u, x, w), values.segment(place.watched, place.modes), *w.elements[k]);
  }
}

// Energies that depend on states are part of state_energy().
double ModelSystem::potential_energy(double t, const ConstVectorRef& q,
                                     SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q);
  double V = nsmb::potential_energy(*model_.tree, w.tree);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    if (state_places_[k].own + state_places_[k].modes > 0) continue;
    V += model_.forces[k].element->energy(input(k, t, q, w.velocities(), w.x, w), *w.elements[k]);
  }
  return V;
}

double ModelSystem::state_energy(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                                 const ConstVectorRef& x, SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  double V = 0.0;
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    if (state_places_[k].own + state_places_[k].modes == 0) continue;
    V += model_.forces[k].element->energy(input(k, t, q, u, x, w), *w.elements[k]);
  }
  return V;
}

}  // namespace nsmb
