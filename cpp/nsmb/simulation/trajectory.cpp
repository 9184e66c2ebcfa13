#include "nsmb/simulation/trajectory.hpp"

namespace nsmb {

namespace {

template <typename Expression>
void append(std::vector<double>& table, const Expression& row) {
  for (Index i = 0; i < row.size(); ++i) table.push_back(row(i));
}

void append(std::vector<std::int8_t>& table, const ContactStates& states) {
  for (const ContactState state : states) table.push_back(static_cast<std::int8_t>(state));
}

void append(std::vector<std::int32_t>& table, const ContactFeature& slot) {
  table.push_back(static_cast<std::int32_t>(slot.first));
  table.push_back(static_cast<std::int32_t>(slot.second));
}

}  // namespace

void Trajectory::clear() { *this = Trajectory{}; }

double Trajectory::size() const {
  std::size_t bytes = 0;
  for (const auto* table : {&t,
                            &y,
                            &g_N,
                            &gamma_N,
                            &lambda_N,
                            &gamma_T,
                            &lambda_T,
                            &friction_loss,
                            &lambda_B,
                            &element_gamma,
                            &element_force,
                            &inputs,
                            &event_t,
                            &event_q,
                            &event_u_minus,
                            &event_u_plus,
                            &event_x,
                            &event_Lambda_N,
                            &event_Lambda_T,
                            &event_Lambda_NC,
                            &event_Lambda_TC,
                            &event_energy_loss,
                            &event_compression_loss,
                            &event_work_N,
                            &event_work_T,
                            &event_friction_loss,
                            &step_start,
                            &step_end,
                            &coefficients}) {
    bytes += table->capacity() * sizeof(double);
  }
  for (const auto* table : {&features, &event_features, &event_user, &step_degree, &step_part}) {
    bytes += table->capacity() * sizeof(std::int32_t);
  }
  for (const auto* table :
       {&state, &element_mode, &event_kind, &event_state_minus, &event_state_plus, &step_state}) {
    bytes += table->capacity();
  }
  return static_cast<double>(bytes + event_contacts.capacity() + event_elements.capacity() +
                             step_offset.capacity() * sizeof(std::int64_t));
}

void Trajectory::rewind() {
  for (auto* table : {&event_t, &event_q, &event_u_minus, &event_u_plus, &event_x, &event_Lambda_N,
                      &event_Lambda_T, &event_Lambda_NC, &event_Lambda_TC, &event_energy_loss,
                      &event_compression_loss, &event_work_N, &event_work_T, &event_friction_loss,
                      &step_start, &step_end, &coefficients}) {
    table->clear();
  }
  for (auto* table : {&event_kind, &event_state_minus, &event_state_plus, &step_state}) {
    table->clear();
  }
  event_user.clear();
  event_contacts.clear();
  event_elements.clear();
  event_features.clear();
  step_offset.clear();
  step_degree.clear();
  step_part.clear();
}

void Trajectory::drop_steps(std::size_t count, Index nc) {
  if (count == 0) return;
  const std::size_t left = step_start.size() - count;
  coefficients.resize(static_cast<std::size_t>(step_offset[left]));
  for (auto* table : {&step_start, &step_end}) table->resize(left);
  step_offset.resize(left);
  step_degree.resize(left);
  step_state.resize(left * static_cast<std::size_t>(nc));
  if (!step_part.empty()) step_part.resize(left);
}

void Trajectory::add_sample(double time, const ConstVectorRef& state_vector,
                            const Observation& observation, const ConstVectorRef& loss, double work,
                            const ContactStates& states, const ElementModes& modes) {
  t.push_back(time);
  append(y, state_vector);
  append(g_N, observation.contacts.col(kGap));
  append(gamma_N, observation.contacts.col(kGammaN));
  append(gamma_T, observation.gamma_T);
  append(lambda_N, observation.contacts.col(kLambdaN));
  append(lambda_T, observation.lambda_T);
  append(friction_loss, loss);
  drive_work.push_back(work);
  append(state, states);
  append(lambda_B, observation.lambda_B);
  append(element_gamma, observation.element_gamma);
  append(element_force, observation.element_force);
  for (const ElementMode mode : modes) element_mode.push_back(static_cast<std::int8_t>(mode));
}

void Trajectory::add_inputs(const ConstVectorRef& values) { append(inputs, values); }

void Trajectory::add_event(double time, const ConstVectorRef& q, const ConstVectorRef& x,
                           const TransitionEvent& event, const ConstVectorRef& loss) {
  event_t.push_back(time);
  event_kind.push_back(static_cast<std::int8_t>(event.kind));
  event_user.push_back(event.user);
  for (const bool involved : event.contacts) event_contacts.push_back(involved ? 1 : 0);
  for (const bool involved : event.elements) event_elements.push_back(involved ? 1 : 0);
  append(event_q, q);
  append(event_x, x);
  append(event_u_minus, event.u_minus);
  append(event_u_plus, event.u_plus);
  append(event_Lambda_N, event.Lambda_N);
  append(event_Lambda_T, event.Lambda_T);
  append(event_Lambda_NC, event.Lambda_NC);
  append(event_Lambda_TC, event.Lambda_TC);
  append(event_state_minus, event.state_minus);
  append(event_state_plus, event.state_plus);
  event_energy_loss.push_back(0.0 - event.energy.change);
  event_compression_loss.push_back(0.0 - event.energy.compression);
  append(event_work_N, event.energy.work_N);
  append(event_work_T, event.energy.work_T);
  append(event_friction_loss, loss);
}

void Trajectory::add_features(const ContactFeatures& now) {
  for (const ContactFeature& slot : now.slots) append(features, slot);
}

void Trajectory::add_event_features(const ContactFeatures& before, const ContactFeatures& now) {
  for (std::size_t c = 0; c < now.slots.size(); ++c) {
    append(event_features, now.slots[c].used() ? now.slots[c] : before.slots[c]);
  }
}

void Trajectory::add_step_states(const ContactStates& states) { append(step_state, states); }

double Trajectory::sample_size(const System& system) {
  const Index nc = system.nc(), ne = system.ne();
  const Index numbers = 2 + system.ny() + 4 * nc + 2 * system.nt() + system.nb() + 2 * ne;
  return static_cast<double>(8 * numbers + nc + ne + (system.has_features() ? 8 * nc : 0));
}

double Trajectory::event_size(const System& system) {
  const Index nc = system.nc();
  const Index numbers = 3 + system.ny() + system.nu() + 5 * nc + 2 * system.nt();
  return static_cast<double>(8 * numbers + 3 * nc + system.ne() +
                             (system.has_features() ? 8 * nc : 0));
}

void Trajectory::add_step(double start, double end, const ConstMatrixRef& series, Index degree,
                          Index rows, const ContactStates& states) {
  step_start.push_back(start);
  step_end.push_back(end);
  step_offset.push_back(static_cast<std::int64_t>(coefficients.size()));
  step_degree.push_back(static_cast<std::int32_t>(degree));
  append(step_state, states);
  for (Index k = 0; k <= degree; ++k) append(coefficients, series.col(k).head(rows));
}

}  // namespace nsmb
