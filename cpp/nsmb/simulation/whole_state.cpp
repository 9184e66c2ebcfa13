#include "nsmb/simulation/whole_state.hpp"

namespace nsmb {

void WholeState::collect(const RunPart& part) {
  const Observation& o = part.run.observation();
  const SystemPart& places = part.places;
  for (std::size_t i = 0; i < part.y.size(); ++i) {
    state_.y(part.y[i]) = part.state(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.contacts.size(); ++i) {
    const Index row = static_cast<Index>(i);
    observation_.contacts.row(places.contacts[i]) = o.contacts.row(row);
    friction_(places.contacts[i]) = part.run.work().sample_friction(row);
  }
  for (std::size_t i = 0; i < part.tangents.size(); ++i) {
    observation_.gamma_T(part.tangents[i]) = o.gamma_T(static_cast<Index>(i));
    observation_.lambda_T(part.tangents[i]) = o.lambda_T(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.constraints.size(); ++i) {
    observation_.lambda_B(places.constraints[i]) = o.lambda_B(static_cast<Index>(i));
  }
  for (std::size_t i = 0; i < places.elements.size(); ++i) {
    const Index row = static_cast<Index>(i);
    observation_.element_gamma(places.elements[i]) = o.element_gamma(row);
    observation_.element_force(places.elements[i]) = o.element_force(row);
  }
}

void WholeState::collect_states(const RunPart& part) {
  const RunState& here = part.run.state();
  const SystemPart& places = part.places;
  for (std::size_t i = 0; i < places.contacts.size(); ++i) {
    const std::size_t c = static_cast<std::size_t>(places.contacts[i]);
    state_.states[c] = here.states[i];
    if (!here.features.slots.empty()) state_.features.slots[c] = here.features.slots[i];
  }
  for (std::size_t i = 0; i < places.elements.size(); ++i) {
    state_.modes[static_cast<std::size_t>(places.elements[i])] = here.modes[i];
  }
}

void WholeState::collect_y(const RunParts& parts, double t) {
  for (const auto& part : parts) {
    part->evaluate(t, part->state);
    for (std::size_t i = 0; i < part->y.size(); ++i) {
      state_.y(part->y[i]) = part->state(static_cast<Index>(i));
    }
  }
}

void WholeState::observe(const RunParts& parts, double t) {
  for (const auto& part : parts) {
    part->observe(t);
    collect(*part);
  }
}

void WholeState::record(const System& system, const RunParts& parts, double t,
                        Trajectory& trajectory) {
  double drive = 0.0;
  for (const auto& part : parts) drive += part->run.work().sample_drive;
  trajectory.add_sample(t, state_.y, observation_, friction_, drive, state_.states, state_.modes);
  if (system.feature_search()) trajectory.add_features(state_.features);
}

}  // namespace nsmb
