#include "nsmb/stepping/join_rows.hpp"

namespace nsmb {

namespace {

Index size_of(const RowSizes& sizes, Per per) { return sizes[static_cast<std::size_t>(per)]; }

template <typename T>
void add_row(const Column<T>& from, std::size_t row, Column<T>& to) {
  const T* values = from.row(row);
  for (Index k = 0; k < from.width(); ++k) to.add(values[k]);
}

void add_losses(const Column<double>& from, std::size_t row, const Vector& before,
                Column<double>& to) {
  const double* values = from.row(row);
  for (Index k = 0; k < from.width(); ++k) to.add(values[k] + before(k));
}

// Return the loss by impacts up to a sample. The first of several samples at an instant excludes
// the impacts at that instant.
double loss_until(const Trajectory& rows, std::size_t sample) {
  const double t = rows.samples.t[sample];
  const bool first = sample == 0 || rows.samples.t[sample - 1] < t;
  const bool last = sample + 1 == rows.samples.rows() || rows.samples.t[sample + 1] > t;
  double loss = 0.0;
  for (std::size_t k = 0; k < rows.events.rows(); ++k) {
    const double when = rows.events.t[k];
    if (when < t || (when == t && (!first || last))) loss += rows.events.energy_loss[k];
  }
  return loss;
}

void append_samples(const SampleTable& s, const Trajectory& rows, const Losses& before,
                    std::size_t skip, SampleTable& to) {
  for (std::size_t k = skip; k < s.rows(); ++k) {
    to.t.add(s.t[k]);
    for (const auto column :
         {&SampleTable::y, &SampleTable::g_N, &SampleTable::gamma_N, &SampleTable::gamma_T,
          &SampleTable::lambda_N, &SampleTable::lambda_T, &SampleTable::lambda_B,
          &SampleTable::element_gamma, &SampleTable::element_force, &SampleTable::inputs}) {
      add_row(s.*column, k, to.*column);
    }
    add_row(s.contact_state, k, to.contact_state);
    add_row(s.element_mode, k, to.element_mode);
    add_row(s.features, k, to.features);
    add_losses(s.friction_loss, k, before.friction, to.friction_loss);
    to.impact_loss.add(before.impact + loss_until(rows, k));
    to.drive_work.add(before.drive + s.drive_work[k]);
    to.displaced_work.add(before.displaced);
    if (to.found.is_used()) to.found.add(0);
  }
}

void append_events(const EventTable& e, const Losses& before, EventTable& to) {
  to.t.insert(e.t);
  to.kind.insert(e.kind);
  to.user.insert(e.user);
  to.contacts.insert(e.contacts);
  to.elements.insert(e.elements);
  to.state_minus.insert(e.state_minus);
  to.state_plus.insert(e.state_plus);
  to.features.insert(e.features);
  for (const auto column :
       {&EventTable::q, &EventTable::u_minus, &EventTable::u_plus, &EventTable::x,
        &EventTable::Lambda_N, &EventTable::Lambda_T, &EventTable::Lambda_NC,
        &EventTable::Lambda_TC, &EventTable::energy_loss, &EventTable::compression_loss,
        &EventTable::drive_work, &EventTable::work_N, &EventTable::work_T}) {
    (to.*column).insert(e.*column);
  }
  for (std::size_t k = 0; k < e.rows(); ++k) {
    add_losses(e.friction_loss, k, before.friction, to.friction_loss);
  }
}

void append_steps(const StepTable& s, Index ny, StepTable& to) {
  for (std::size_t k = 0; k < s.rows(); ++k) {
    const Index degree = s.degree[k];
    const Eigen::Map<const Matrix> series(s.coefficients.data() + s.offset[k], ny, degree + 1);
    to.add(s.start[k], s.end[k], series, degree, ny);
    add_row(s.state, k, to.state);
    add_row(s.mode, k, to.mode);
    to.residual.add(0.0);
    to.status.add(0);
    to.iterations.add(0);
    if (to.seconds.is_used()) {
      to.add_log(s.order.empty() ? 0 : s.order[k], s.seconds.empty() ? 0.0 : s.seconds[k]);
    }
  }
}

}  // namespace

void append_rows(const Trajectory& rows, const Losses& before, std::size_t skip,
                 const RowSizes& sizes, Trajectory& whole) {
  append_samples(rows.samples, rows, before, skip, whole.samples);
  append_events(rows.events, before, whole.events);
  append_steps(rows.steps, size_of(sizes, Per::Component), whole.steps);
}

}  // namespace nsmb
