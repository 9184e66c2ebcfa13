#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nsmb/core/check.hpp"
#include "nsmb/integration/bernstein.hpp"
#include "nsmb/integration/integrator.hpp"
#include "nsmb/integration/sparse_newton.hpp"

namespace py = pybind11;

namespace {

using nsmb::ConstVectorRef;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::MatrixRef;
using nsmb::Vector;
using nsmb::VectorRef;

/// An OdeProblem made of Python callables. They receive their own arrays.
class PythonProblem final : public nsmb::OdeProblem {
 public:
  PythonProblem(Index dimension, py::function rhs, py::object jacobian, py::object project,
                nsmb::SparsityPattern pattern)
      : dimension_(dimension),
        rhs_(std::move(rhs)),
        jacobian_(std::move(jacobian)),
        project_(std::move(project)),
        pattern_(std::move(pattern)) {}

  Index dimension() const override { return dimension_; }

  void rhs(double t, const ConstVectorRef& y, VectorRef ydot) override {
    const auto value = rhs_(t, Vector(y)).cast<Vector>();
    nsmb::check_size("rhs(t, y)", value, dimension_);
    ydot = value;
  }

  bool jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) override {
    if (jacobian_.is_none()) return false;
    const auto value = jacobian_(t, Vector(y)).cast<Matrix>();
    nsmb::check_shape("jacobian(t, y)", value, dimension_, dimension_);
    dfdy = value;
    return true;
  }

  nsmb::SparsityPattern jacobian_pattern() override { return pattern_; }

  bool project(double t, VectorRef y) override {
    if (project_.is_none()) return false;
    const py::object moved = project_(t, Vector(y));
    if (moved.is_none()) return false;
    const auto value = moved.cast<Vector>();
    nsmb::check_size("project(t, y)", value, dimension_);
    y = value;
    return true;
  }

 private:
  Index dimension_;
  py::function rhs_;
  py::object jacobian_;
  py::object project_;
  nsmb::SparsityPattern pattern_;
};

nsmb::LinearSolver linear_solver(const std::string& name) {
  if (name == "auto") return nsmb::LinearSolver::Automatic;
  if (name == "dense") return nsmb::LinearSolver::Dense;
  if (name == "sparse") return nsmb::LinearSolver::Sparse;
  nsmb::reject("linear_solver", "'auto', 'dense' or 'sparse'", "'" + name + "'");
}

class PythonIntegrator {
 public:
  PythonIntegrator(const std::string& method, py::function rhs, double t, const Vector& y,
                   double rtol, Vector atol, py::object jacobian, py::object project,
                   double initial_step, double max_step,
                   const std::optional<std::pair<std::vector<Index>, std::vector<Index>>>& pattern,
                   const std::string& solver)
      : problem_(y.size(), std::move(rhs), std::move(jacobian), std::move(project),
                 pattern ? nsmb::SparsityPattern{pattern->first, pattern->second}
                         : nsmb::SparsityPattern{}),
        integrator_(nsmb::make_integrator(method, problem_,
                                          {.rtol = rtol,
                                           .atol = std::move(atol),
                                           .initial_step = initial_step,
                                           .max_step = max_step,
                                           .linear_solver = linear_solver(solver)})) {
    integrator_->restart(t, y);
  }

  nsmb::Integrator& operator*() { return *integrator_; }

 private:
  PythonProblem problem_;
  std::unique_ptr<nsmb::Integrator> integrator_;
};

}  // namespace

void bind_integration(py::module_& m) {
  m.doc() = "Smooth initial value problems: the motion between two events.";

  py::enum_<nsmb::StepStatus>(m, "StepStatus")
      .value("OK", nsmb::StepStatus::Ok)
      .value("STEP_TOO_SMALL", nsmb::StepStatus::StepTooSmall)
      .value("RHS_NOT_FINITE", nsmb::StepStatus::RhsNotFinite)
      .value("SOLVER_FAILURE", nsmb::StepStatus::SolverFailure);

  using Self = PythonIntegrator;
  py::class_<Self>(m, "Integrator", "y' = rhs(t, y), one step at a time.")
      .def(py::init<const std::string&, py::function, double, const Vector&, double, Vector,
                    py::object, py::object, double, double,
                    const std::optional<std::pair<std::vector<Index>, std::vector<Index>>>&,
                    const std::string&>(),
           py::arg("method"), py::arg("rhs"), py::arg("t"), py::arg("y"), py::arg("rtol"),
           py::arg("atol"), py::arg("jacobian") = py::none(), py::arg("project") = py::none(),
           py::arg("initial_step") = 0.0,
           py::arg("max_step") = std::numeric_limits<double>::infinity(),
           py::arg("pattern") = py::none(), py::arg("linear_solver") = "auto")
      .def(
          "restart", [](Self& self, double t, const Vector& y) { (*self).restart(t, y); },
          py::arg("t"), py::arg("y"), "Restart at (t, y) with the current step size.")
      .def(
          "set_atol", [](Self& self, const Vector& atol) { (*self).set_atol(atol); },
          py::arg("atol"), "Set the absolute tolerances of the next steps.")
      .def(
          "step", [](Self& self, double t_stop) { return (*self).step(t_stop); }, py::arg("t_stop"),
          "Take one accepted step, at most to t_stop.")
      .def(
          "redo", [](Self& self, double t_end) { return (*self).redo(t_end); }, py::arg("t_end"),
          "Replace the last step by one that ends at t_end.")
      .def(
          "interpolate",
          [](Self& self, double t) {
            Vector y((*self).y().size());
            (*self).interpolate(t, y);
            return y;
          },
          py::arg("t"), "Evaluate the last step at t, t_old <= t <= self.t.")
      .def_property_readonly("t_old", [](Self& self) { return (*self).t_old(); })
      .def_property_readonly("t", [](Self& self) { return (*self).t(); })
      .def_property_readonly("y", [](Self& self) { return Vector((*self).y()); })
      .def_property_readonly("name", [](Self& self) { return std::string((*self).name()); })
      .def_property_readonly("message", [](Self& self) { return (*self).message(); })
      .def_property_readonly("statistics", [](Self& self) {
        const nsmb::IntegratorStatistics s = (*self).statistics();
        py::dict result;
        result["steps"] = s.steps;
        result["rejected"] = s.rejected;
        result["rhs_evaluations"] = s.rhs_evaluations;
        result["jacobian_evaluations"] = s.jacobian_evaluations;
        result["restarts"] = s.restarts;
        return result;
      });

  m.def(
      "colour_columns",
      [](std::vector<Index> begin, std::vector<Index> rows) {
        const auto n = static_cast<Index>(begin.size()) - 1;
        const nsmb::SparsityPattern pattern{std::move(begin), std::move(rows)};
        return nsmb::colour_columns(nsmb::with_diagonal(pattern, n)).colour;
      },
      py::arg("begin"), py::arg("rows"),
      "Return the colours of the columns of a pattern with its diagonal.");
  m.def(
      "sparse_solve",
      [](std::vector<Index> begin, std::vector<Index> rows, const Vector& values, Vector x) {
        const auto n = static_cast<Index>(begin.size()) - 1;
        nsmb::check_size("values", values, static_cast<Index>(rows.size()));
        nsmb::check_size("b", x, n);
        nsmb::SparseLu lu({std::move(begin), std::move(rows)});
        const bool is_regular = lu.factorise(values.data());
        if (is_regular) lu.solve(x.data());
        return std::tuple(is_regular, x, lu.entries());
      },
      py::arg("begin"), py::arg("rows"), py::arg("values"), py::arg("b"),
      "Return whether A is regular, x = A^-1 b, and the number of entries of its factors.");
  m.def(
      "first_crossing",
      [](const Vector& c) {
        if (c.size() == 0) nsmb::reject("c", "at least one coefficient", "none");
        return nsmb::RootFinder(c.size() - 1).first_crossing(c);
      },
      py::arg("c"),
      "Return the first s in (0, 1] at which sum c_i s^i becomes negative, or a value > 1 if there "
      "is none.");
}
