// Tables of the core as NumPy arrays, and Python functions that receive them.
#pragma once

#include "bindings/bindings.hpp"
#include "nsmb/simulation/simulation.hpp"

/// Return `rows` rows of a column from `first` on; for a series, all its numbers.
py::array rows_of(const nsmb::AnyColumn& column, std::size_t first, std::size_t rows);
/// Add the rows of a table from `first` on, column by column.
void add_columns(const nsmb::Table& table, std::size_t first, py::dict& columns);
/// Return table, name, and meaning of the numbers of a row, for every existing column.
py::list trajectory_columns();
/// Return the columns: features of the two contours, contour parameters, validity of the point.
py::array_t<double> slots_of(const nsmb::DiscreteState& discrete);
py::dict statistics(const nsmb::Simulation& sim);

/// A Python function of the rows of a chunk by column, the number of its last steps that are
/// incomplete, and statistics. An exception is stored, and the run stops. A return value of True
/// means that Ctrl-C was pressed during the call.
class PythonSink : public nsmb::Sink {
 public:
  PythonSink(const nsmb::Simulation& sim, py::object function)
      : sim_(sim), function_(std::move(function)) {}

  bool take(const nsmb::Trajectory& rows, const nsmb::Chunk& chunk) override;
  void raise_kept() {
    if (const auto raised = std::move(raised_)) throw py::error_already_set(*raised);
  }

 private:
  const nsmb::Simulation& sim_;
  py::object function_;
  std::unique_ptr<py::error_already_set> raised_;
};
