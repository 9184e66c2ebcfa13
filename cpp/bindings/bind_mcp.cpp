// Part of submodule complementarity: mixed complementarity problems.
#include <optional>

#include "bindings/bindings.hpp"
#include "nsmb/complementarity/mcp.hpp"
#include "nsmb/complementarity/mcp_enumeration.hpp"
#include "nsmb/core/check.hpp"

namespace {

using nsmb::ConstMatrixRef;
using nsmb::ConstVectorRef;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::McpOptions;
using nsmb::McpResult;
using nsmb::McpWorkspace;
using nsmb::Vector;

// Runs with the GIL, which the callbacks need all the time. Signals are checked before each
// callback. Exceptions of either are propagated unchanged.
McpResult solve_nonlinear(const std::function<Vector(const Vector&)>& F,
                          const std::function<Matrix(const Vector&)>& jacobian,
                          const Vector& x_start, const Vector& lower, const Vector& upper,
                          const McpOptions& options) {
  const Index n = x_start.size();
  const auto check_signals = [] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  nsmb::McpFunction function;
  function.value = [&](const ConstVectorRef& x, nsmb::VectorRef value) {
    check_signals();
    const Vector returned = F(x);
    nsmb::check_size("F(x)", returned, n);
    value = returned;
  };
  function.jacobian = [&](const ConstVectorRef& x, nsmb::MatrixRef J) {
    check_signals();
    const Matrix returned = jacobian(x);
    nsmb::check_shape("jacobian(x)", returned, n, n);
    J = returned;
  };
  McpWorkspace workspace;
  McpResult result;
  nsmb::solve_mcp_nonlinear(function, lower, upper, x_start, options, workspace, result);
  return result;
}

}  // namespace

void bind_mcp(py::module_& m) {
  using nsmb::McpEnumerationResult;

  py::class_<McpOptions>(m, "McpOptions", "Limits and tolerances.")
      .def(py::init<>())
      .def_readwrite("max_pivots", &McpOptions::max_pivots)
      .def_readwrite("max_crash_steps", &McpOptions::max_crash_steps)
      .def_readwrite("max_restarts", &McpOptions::max_restarts)
      .def_readwrite("max_proximal_steps", &McpOptions::max_proximal_steps)
      .def_readwrite("fall_back", &McpOptions::fall_back)
      .def_readwrite("max_iterations", &McpOptions::max_iterations)
      .def_readwrite("accept_residual", &McpOptions::accept_residual);

  py::class_<McpResult>(m, "McpResult", "Result of a solve.")
      .def(py::init<>())
      .def_readonly("status", &McpResult::status)
      .def_readonly("x", &McpResult::x)
      .def_readonly("F", &McpResult::F)
      .def_readonly("residual", &McpResult::residual)
      .def_readonly("iterations", &McpResult::iterations)
      .def_readonly("pivots", &McpResult::pivots)
      .def_readonly("restarts", &McpResult::restarts)
      .def_readonly("evaluations", &McpResult::evaluations);

  py::class_<McpEnumerationResult>(m, "McpEnumerationResult", "Result of an enumeration.")
      .def_readonly("first", &McpEnumerationResult::first)
      .def_readonly("solutions", &McpEnumerationResult::solutions)
      .def_readonly("complete", &McpEnumerationResult::complete);

  py::class_<McpWorkspace>(m, "McpWorkspace", "Scratch memory, kept between solves.")
      .def(py::init<>());

  m.def(
      "solve_mcp",
      [](const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
         const ConstVectorRef& upper, const McpOptions& options, McpWorkspace& workspace,
         McpResult& result, const std::optional<Vector>& x_start) {
        nsmb::solve_mcp(A, b, lower, upper, options, workspace, result,
                        x_start ? &*x_start : nullptr);
      },
      "A"_a, "b"_a, "lower"_a, "upper"_a, "options"_a, "workspace"_a, "result"_a,
      "x_start"_a = py::none(), py::call_guard<py::gil_scoped_release>(),
      "Solve the mixed complementarity problem for F = A x + b.");

  m.def(
      "solve_mcp_enumeration",
      [](const ConstMatrixRef& A, const ConstVectorRef& b, const ConstVectorRef& lower,
         const ConstVectorRef& upper, int max_pieces, double accept_residual) {
        return nsmb::solve_mcp_enumeration(A, b, lower, upper, {max_pieces, accept_residual});
      },
      "A"_a, "b"_a, "lower"_a, "upper"_a, "max_pieces"_a = 60000, "accept_residual"_a = 1e-9,
      py::call_guard<py::gil_scoped_release>(), "Search all pieces of a small problem.");

  m.def("count_mcp_pieces", &nsmb::count_mcp_pieces, "lower"_a, "upper"_a,
        "Return the number of pieces of the bounds.");
  m.def("mcp_residual", &nsmb::mcp_residual, "F"_a, "b"_a, "lower"_a, "upper"_a, "x"_a,
        "Return max_i |x_i - mid(l_i, x_i - F_i, u_i)| / max(1, ‖b‖_∞).");
  m.def("solve_mcp_nonlinear", &solve_nonlinear, "F"_a, "jacobian"_a, "x_start"_a, "lower"_a,
        "upper"_a, "options"_a, "Solve for a nonlinear F.");
}
