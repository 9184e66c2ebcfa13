// Contact problems with friction discs; a part of the submodule complementarity.
#include <optional>

#include "bindings/bindings.hpp"
#include "nsmb/complementarity/friction_solver.hpp"

void bind_friction(py::module_& m) {
  using namespace nsmb;

  py::enum_<FrictionMethod>(m, "FrictionMethod", "Solver of a friction problem.")
      .value("AUTO", FrictionMethod::Auto)
      .value("NEWTON", FrictionMethod::Newton)
      .value("AUGMENTED_LAGRANGIAN", FrictionMethod::AugmentedLagrangian)
      .value("GAUSS_SEIDEL", FrictionMethod::GaussSeidel)
      .value("LCP", FrictionMethod::Lcp);

  py::class_<FrictionDisc>(m, "FrictionDisc", "A disc of friction forces.")
      .def(py::init(
               [](Index first, Index dim, Index normal, double mu, double bound, double aspect) {
                 return FrictionDisc{first, dim, normal, mu, bound, aspect};
               }),
           "first"_a, "dim"_a, "normal"_a, "mu"_a, "bound"_a, "aspect"_a);

  py::class_<FrictionRows>(m, "FrictionRows", "Kinds of the rows of a friction problem.")
      .def(py::init([](std::vector<Index> normals, std::vector<FrictionDisc> discs) {
             return FrictionRows{std::move(normals), std::move(discs)};
           }),
           "normals"_a, "discs"_a);

  py::class_<FrictionResult>(m, "FrictionResult", "Result of a solve.")
      .def_readonly("status", &FrictionResult::status)
      .def_readonly("x", &FrictionResult::x)
      .def_readonly("y", &FrictionResult::y)
      .def_readonly("residual", &FrictionResult::residual)
      .def_readonly("iterations", &FrictionResult::iterations)
      .def_readonly("outer_iterations", &FrictionResult::outer_iterations)
      .def_readonly("used", &FrictionResult::used);

  py::class_<FrictionWorkspace>(m, "FrictionWorkspace",
                                "Scratch memory that several solves may share.")
      .def(py::init<>());

  m.def(
      "solve_friction",
      [](const ConstMatrixRef& A, const ConstVectorRef& b, const FrictionRows& rows,
         FrictionMethod method, const std::optional<Vector>& x_start, int max_iterations,
         double accept_residual, double scale, double r, int facets, int max_enumeration,
         FrictionWorkspace* workspace) {
        std::optional<FrictionWorkspace> own;
        if (workspace == nullptr) workspace = &own.emplace();
        FrictionResult result;
        const FrictionOptions options{method, max_iterations, accept_residual, scale,
                                      r,      facets,         max_enumeration};
        solve_friction(A, b, rows, options, *workspace, result, x_start ? &*x_start : nullptr);
        return result;
      },
      "A"_a, "b"_a, "rows"_a, "method"_a = FrictionMethod::Auto, "x_start"_a = py::none(),
      "max_iterations"_a = 0, "accept_residual"_a = 1e-10, "scale"_a = 0.0, "r"_a = 0.0,
      "facets"_a = 64, "max_enumeration"_a = 16, "workspace"_a = py::none(),
      py::call_guard<py::gil_scoped_release>(), "Solve a contact problem with friction discs.");

  m.def("friction_residual", &friction_residual, "A"_a, "b"_a, "rows"_a, "x"_a, "scale"_a = 0.0,
        py::call_guard<py::gil_scoped_release>(),
        "Return the largest violation of the contact laws.");

  m.def(
      "project_disc",
      [](const FrictionDisc& disc, double radius, const Vector& x) {
        Vector projected = x;
        project_disc(disc, radius, projected.data());
        return projected;
      },
      "disc"_a, "radius"_a, "x"_a, "Project onto a disc in the metric in which it is round.");
}
