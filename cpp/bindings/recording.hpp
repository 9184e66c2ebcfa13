// Tables of the core as arrays of NumPy, and functions of Python that take them.
#pragma once

#include "bindings/bindings.hpp"
#include "nsmb/simulation/simulation.hpp"

/// `rows` rows of a column from `first` on; of a series, all its numbers.
py::array rows_of(const nsmb::AnyColumn& column, std::size_t first, std::size_t rows);
/// Rows of a table from `first` on, column by column.
void add_columns(const nsmb::Table& table, std::size_t first, py::dict& columns);
/// Table, name, and what a row has numbers for, of every column there is.
py::list trajectory_columns();
/// Columns: features of the two contours, contour parameters, whether the point is valid.
py::array_t<double> slots_of(const nsmb::Standing& standing);
py::dict statistics(const nsmb::Simulation& sim);

/// A Python function of the rows of a chunk by column, how many of its last steps are not complete,
/// and statistics. What it raises is kept, and the run left. True: Ctrl-C came while it took them.
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
