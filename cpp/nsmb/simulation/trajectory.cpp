#include "nsmb/simulation/trajectory.hpp"

#include <initializer_list>

namespace nsmb {

namespace {

void add_slot(Column<std::int32_t>& features, const ContactFeature& slot) {
  features.add(static_cast<std::int32_t>(slot.first));
  features.add(static_cast<std::int32_t>(slot.second));
}

}  // namespace

void StepTable::use_solver_columns(bool used) {
  for (AnyColumn* column : std::initializer_list<AnyColumn*>{&residual, &status, &iterations}) {
    column->use(used);
  }
}

void StepTable::use_log(bool used) {
  order.use(used);
  seconds.use(used);
}

void StepTable::add_log(int of_method, double spent) {
  order.add(static_cast<std::int8_t>(of_method));
  seconds.add(spent);
}

void StepTable::add(double from, double to, const ConstMatrixRef& series, Index power, Index rows) {
  start.add(from);
  end.add(to);
  offset.add(gone_ + static_cast<std::int64_t>(coefficients.size()));
  degree.add(static_cast<std::int32_t>(power));
  for (Index k = 0; k <= power; ++k) coefficients.add_row(series.col(k).head(rows));
}

void StepTable::take_part(const StepTable& steps, std::int32_t of) {
  const auto before = gone_ + static_cast<std::int64_t>(coefficients.size());
  start.insert(steps.start);
  end.insert(steps.end);
  degree.insert(steps.degree);
  order.insert(steps.order);
  seconds.insert(steps.seconds);
  for (std::size_t k = 0; k < steps.rows(); ++k) {
    offset.add(before + steps.offset[k]);
    part.add(of);
  }
  coefficients.insert(steps.coefficients);
}

void StepTable::drop_last(std::size_t count) {
  if (count == 0) return;
  const std::size_t left = rows() - count;
  const auto place = static_cast<std::size_t>(offset[left] - gone_);
  coefficients.drop(place, coefficients.size() - place);
  drop(left, count);
}

void StepTable::drop_all() {
  gone_ += static_cast<std::int64_t>(coefficients.size());
  clear();
}

void StepTable::forget() {
  release();
  gone_ = 0;
}

void StepTable::take(StepTable& other) {
  Table::take(other);
  gone_ = other.gone_;
}

void Trajectory::clear() {
  samples.release();
  events.release();
  steps.forget();
  found.release();
}

void Trajectory::use_found() {
  samples.found.use(true);
  found.use_all(true);
}

std::size_t Trajectory::found_rows(std::size_t count) const {
  std::size_t rows = 0;
  if (!samples.found.is_used()) return rows;
  for (std::size_t k = 0; k < count; ++k) rows += static_cast<std::size_t>(samples.found[k]);
  return rows;
}

void Trajectory::take(Trajectory& other) {
  samples.take(other.samples);
  events.take(other.events);
  steps.take(other.steps);
  found.take(other.found);
}

double Trajectory::size() const {
  return static_cast<double>(samples.bytes() + events.bytes() + steps.bytes() + found.bytes());
}

std::size_t Trajectory::filled_bytes() const {
  return samples.filled_bytes() + events.filled_bytes() + steps.filled_bytes() +
         found.filled_bytes();
}

void Trajectory::rewind() {
  events.clear();
  steps.clear();
}

void Trajectory::add_sample(double time, const ConstVectorRef& state_vector,
                            const Observation& observation, const ConstVectorRef& loss, double work,
                            const ContactStates& states, const ElementModes& modes) {
  samples.t.add(time);
  samples.y.add_row(state_vector);
  samples.g_N.add_row(observation.contacts.col(kGap));
  samples.gamma_N.add_row(observation.contacts.col(kGammaN));
  samples.gamma_T.add_row(observation.gamma_T);
  samples.lambda_N.add_row(observation.contacts.col(kLambdaN));
  samples.lambda_T.add_row(observation.lambda_T);
  samples.friction_loss.add_row(loss);
  samples.drive_work.add(work);
  samples.contact_state.add_row(states);
  samples.lambda_B.add_row(observation.lambda_B);
  samples.element_gamma.add_row(observation.element_gamma);
  samples.element_force.add_row(observation.element_force);
  samples.element_mode.add_row(modes);
}

void Trajectory::add_event(double time, const ConstVectorRef& q, const ConstVectorRef& x,
                           const TransitionEvent& event, const ConstVectorRef& loss) {
  events.t.add(time);
  events.kind.add(static_cast<std::int8_t>(event.kind));
  events.user.add(event.user);
  events.contacts.add_row(event.contacts);
  events.elements.add_row(event.elements);
  events.q.add_row(q);
  events.x.add_row(x);
  events.u_minus.add_row(event.u_minus);
  events.u_plus.add_row(event.u_plus);
  events.Lambda_N.add_row(event.Lambda_N);
  events.Lambda_T.add_row(event.Lambda_T);
  events.Lambda_NC.add_row(event.Lambda_NC);
  events.Lambda_TC.add_row(event.Lambda_TC);
  events.state_minus.add_row(event.state_minus);
  events.state_plus.add_row(event.state_plus);
  events.energy_loss.add(0.0 - event.energy.change);
  events.compression_loss.add(0.0 - event.energy.compression);
  events.drive_work.add(event.energy.drive);
  events.work_N.add_row(event.energy.work_N);
  events.work_T.add_row(event.energy.work_T);
  events.friction_loss.add_row(loss);
}

void Trajectory::add_features(const ContactFeatures& now) {
  for (const ContactFeature& slot : now.slots) add_slot(samples.features, slot);
}

void Trajectory::add_event_features(const ContactFeatures& before, const ContactFeatures& now) {
  for (std::size_t c = 0; c < now.slots.size(); ++c) {
    add_slot(events.features, now.slots[c].used() ? now.slots[c] : before.slots[c]);
  }
}

}  // namespace nsmb
