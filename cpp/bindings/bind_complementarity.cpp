// Submodule complementarity: linear complementarity problems y = A x + b and their solvers.
#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>

#include "nsmb/complementarity/enumeration.hpp"
#include "nsmb/complementarity/infeasibility.hpp"
#include "nsmb/complementarity/lcp.hpp"
#include "nsmb/complementarity/lemke.hpp"
#include "nsmb/complementarity/lemke_sequence.hpp"

namespace py = pybind11;

void bind_friction(py::module_& m);
void bind_sparse_friction(py::module_& m);
void bind_mcp(py::module_& m);

void bind_complementarity(py::module_& m) {
  using namespace nsmb;

  py::enum_<LcpStatus>(m, "LcpStatus", "Status of a solve.")
      .value("NOT_RUN", LcpStatus::NotRun)
      .value("SOLVED", LcpStatus::Solved)
      .value("RAY", LcpStatus::Ray)
      .value("PIVOT_LIMIT", LcpStatus::PivotLimit)
      .value("NO_SOLUTION", LcpStatus::NoSolution)
      .value("INACCURATE", LcpStatus::Inaccurate)
      .value("TOO_LARGE", LcpStatus::TooLarge)
      .value("ITERATION_LIMIT", LcpStatus::IterationLimit)
      .value("STALLED", LcpStatus::Stalled);

  py::class_<LcpResult>(m, "LcpResult", "Result of a solve.")
      .def_readonly("status", &LcpResult::status)
      .def_readonly("x", &LcpResult::x)
      .def_readonly("y", &LcpResult::y)
      .def_readonly("residual", &LcpResult::residual)
      .def_readonly("pivots", &LcpResult::pivots)
      .def_readonly("covering_vectors", &LcpResult::covering_vectors)
      .def_readonly("certificate", &LcpResult::certificate);

  py::class_<EnumerationResult>(m, "EnumerationResult", "Result of an enumeration.")
      .def_readonly("first", &EnumerationResult::first)
      .def_readonly("solutions", &EnumerationResult::solutions)
      .def_readonly("unique", &EnumerationResult::unique);

  m.def(
      "solve_lemke",
      [](const ConstMatrixRef& A, const ConstVectorRef& b, const std::optional<Vector>& x_start,
         int max_pivots, int max_covering_vectors, double accept_residual,
         bool prove_infeasibility) {
        LemkeWorkspace workspace;
        LcpResult result;
        solve_lemke(A, b, {max_pivots, max_covering_vectors, accept_residual, prove_infeasibility},
                    workspace, result, x_start ? &*x_start : nullptr);
        return result;
      },
      py::arg("A"), py::arg("b"), py::arg("x_start") = py::none(), py::arg("max_pivots") = 0,
      py::arg("max_covering_vectors") = 8, py::arg("accept_residual") = 1e-9,
      py::arg("prove_infeasibility") = true, py::call_guard<py::gil_scoped_release>(),
      "Solve y = A x + b, 0 <= x, 0 <= y, xᵀy = 0 by Lemke's algorithm.");

  m.def(
      "solve_enumeration",
      [](const ConstMatrixRef& A, const ConstVectorRef& b, int max_size, double accept_residual) {
        return solve_enumeration(A, b, {max_size, accept_residual});
      },
      py::arg("A"), py::arg("b"), py::arg("max_size") = 16, py::arg("accept_residual") = 1e-9,
      py::call_guard<py::gil_scoped_release>(),
      "Search all complementary cones of a small problem.");

  py::class_<LemkeSequence>(m, "LemkeSequence", "Results of a sequence of problems.")
      .def_readonly("x", &LemkeSequence::x)
      .def_readonly("residual", &LemkeSequence::residual)
      .def_readonly("pivots", &LemkeSequence::pivots)
      .def_readonly("status", &LemkeSequence::status);

  m.def(
      "solve_lemke_sequence",
      [](const ConstMatrixRef& A, const ConstMatrixRef& b, bool warm_start) {
        return solve_lemke_sequence(A, b, LemkeOptions{}, warm_start);
      },
      py::arg("A"), py::arg("b"), py::arg("warm_start") = false,
      py::call_guard<py::gil_scoped_release>(),
      "Solve problems of the same size with one workspace: matrices A side by side, vectors b as "
      "columns.");

  m.def("excluded_size", &excluded_size, py::arg("A"), py::arg("b"), py::arg("z"),
        py::call_guard<py::gil_scoped_release>(),
        "No x >= 0 with a smaller sum of entries has A x + b >= 0; 0: z proves nothing.");
  m.def("is_positive_semidefinite", &is_positive_semidefinite, py::arg("A"),
        py::call_guard<py::gil_scoped_release>(),
        "Return True if A + Aᵀ is positive semidefinite.");

  m.def("natural_residual", &natural_residual, py::arg("A"), py::arg("b"), py::arg("x"),
        py::call_guard<py::gil_scoped_release>(),
        "Return max_i |min(x_i, (A x + b)_i)| / max(1, ‖b‖_∞).");

  bind_friction(m);
  bind_sparse_friction(m);
  bind_mcp(m);
}
