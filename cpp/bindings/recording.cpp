#include "bindings/recording.hpp"

#include <algorithm>
#include <array>

namespace {

py::dtype type_of(const nsmb::AnyColumn& column) {
  const std::string_view type = column.type();
  if (type == "f8") return py::dtype::of<double>();  // predefined in NumPy
  if (type == "i1") return py::dtype::of<std::int8_t>();
  return py::dtype(std::string(type));
}

}  // namespace

py::array rows_of(const nsmb::AnyColumn& column, std::size_t first, std::size_t rows) {
  const auto width = static_cast<std::size_t>(column.width());
  if (column.per() == nsmb::Per::Series) rows = column.size();
  std::vector<std::size_t> shape{rows};
  if (column.per() != nsmb::Per::Row && column.per() != nsmb::Per::Series) shape.push_back(width);
  return {type_of(column), shape, column.number(first * width)};
}

void add_columns(const nsmb::Table& table, std::size_t first, py::dict& columns) {
  const std::size_t rows = std::max(table.rows(), first) - first;
  for (const nsmb::AnyColumn* column : table.columns()) {
    if (column->is_used()) columns[column->name()] = rows_of(*column, first, rows);
  }
}

py::list trajectory_columns() {
  const nsmb::Trajectory declared{nsmb::RowSizes{}};
  const std::array<const char*, 4> names{"sample", "event", "step", "found"};
  py::list columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (const nsmb::AnyColumn* column : declared.tables()[k]->columns()) {
      columns.append(py::make_tuple(names[k], column->name(), nsmb::to_text(column->per())));
    }
  }
  return columns;
}

py::array_t<double> slots_of(const nsmb::DiscreteState& discrete) {
  std::vector<double> numbers;
  for (const nsmb::ContactFeature& slot : discrete.slots) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(slot.first), static_cast<double>(slot.second), slot.sigma_1,
                    slot.sigma_2, slot.valid ? 1.0 : 0.0});
  }
  const auto rows = static_cast<py::ssize_t>(discrete.slots.size());
  return py::array_t<double>({rows, py::ssize_t{5}}, numbers.data());
}

py::dict statistics(const nsmb::Simulation& sim) {
  const nsmb::SimulationStatistics s = sim.statistics();
  return py::dict(
      "steps"_a = s.integrator.steps, "rejected_steps"_a = s.integrator.rejected,
      "rhs_evaluations"_a = s.integrator.rhs_evaluations,
      "jacobian_evaluations"_a = s.integrator.jacobian_evaluations,
      "restarts"_a = s.integrator.restarts, "events"_a = s.events, "impacts"_a = s.impacts,
      "contact_problems"_a = s.counts.contact_problems,
      "dependent_impacts"_a = s.counts.dependent_impacts,
      "dependent_contacts"_a = s.counts.dependent_contacts,
      "ambiguous_accelerations"_a = s.counts.ambiguous_accelerations,
      "nonunique_problems"_a = s.counts.nonunique_problems,
      "impacts_without_collision"_a = s.counts.impacts_without_collision,
      "energy_gains"_a = s.counts.energy_gains, "largest_energy_gain"_a = s.counts.largest_gain,
      "impact_loss"_a = s.impact_loss, "friction_loss"_a = s.friction_loss,
      "drive_work"_a = s.drive_work, "rest_loss"_a = s.rest_loss, "rests"_a = s.rests,
      "largest_residual"_a = s.counts.largest_residual, "solver_iterations"_a = s.solver_iterations,
      "missed_steps"_a = s.missed_steps, "locked_steps"_a = s.locked_steps,
      "coarse_steps"_a = s.coarse_steps, "asleep"_a = s.asleep, "steps_asleep"_a = s.steps_asleep);
}

bool PythonSink::take(const nsmb::Trajectory& rows, const nsmb::Chunk& chunk) {
  const py::gil_scoped_acquire gil;
  try {
    py::dict columns;
    add_columns(rows.samples, chunk.first_sample, columns);
    add_columns(rows.events, 0, columns);
    add_columns(rows.steps, 0, columns);
    add_columns(rows.found, chunk.first_found, columns);
    const py::object pressed = function_(columns, chunk.pending_steps, statistics(sim_));
    if (pressed.is(py::bool_(true))) PyErr_SetInterrupt();  // after delivery of the rows
    return true;
  } catch (const py::error_already_set& error) {
    raised_ = std::make_unique<py::error_already_set>(error);
    return false;
  }
}
