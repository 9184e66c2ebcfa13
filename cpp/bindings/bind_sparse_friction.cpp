// Any number of contacts with friction; part of the submodule complementarity.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "nsmb/complementarity/friction_sparse_solver.hpp"
#include "nsmb/core/check.hpp"

namespace {

using nsmb::ContactBlock;
using nsmb::Index;
using nsmb::SparseFrictionProblem;
using nsmb::SparseMatrix;
using nsmb::Vector;

using Integers = Eigen::Array<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Numbers = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Ints = Eigen::VectorXi;

/// Convert compressed columns after a check of the indices. Entries may be unsorted and repeated.
SparseMatrix matrix_of(const char* name, Index rows, Index cols, const Vector& data,
                       const Ints& indices, const Ints& starts) {
  if (starts.size() != cols + 1 || starts[0] != 0 || starts[cols] != data.size() ||
      indices.size() != data.size()) {
    nsmb::reject(name, "consistent compressed-column arrays", "inconsistent lengths");
  }
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(data.size()));
  for (Index j = 0; j < cols; ++j) {
    if (starts[j + 1] < starts[j])
      nsmb::reject(name, "ascending starts of columns", "descending starts");
    for (Index k = starts[j]; k < starts[j + 1]; ++k) {
      if (indices[k] < 0 || indices[k] >= rows) {
        nsmb::reject(name, "row indices in [0, " + std::to_string(rows) + ")",
                     std::to_string(indices[k]));
      }
      entries.emplace_back(indices[k], j, data[k]);
    }
  }
  SparseMatrix matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// counts: normal, tangents, rolling, drilling, free, normal_of; numbers: mu, bound, aspect, mu_R,
/// mu_D.
std::vector<ContactBlock> blocks_of(const Integers& counts, const Numbers& numbers) {
  std::vector<ContactBlock> blocks(static_cast<std::size_t>(counts.rows()));
  Index first = 0;
  for (Index k = 0; k < counts.rows(); ++k) {
    ContactBlock& block = blocks[static_cast<std::size_t>(k)];
    block = {first,         counts(k, 0) != 0, counts(k, 1),  counts(k, 2),
             counts(k, 3),  counts(k, 4),      counts(k, 5),  numbers(k, 0),
             numbers(k, 1), numbers(k, 2),     numbers(k, 3), numbers(k, 4)};
    first += block.rows();
  }
  return blocks;
}

using Arrays = std::tuple<Index, Index, Vector, Ints, Ints>;

SparseMatrix matrix_of(const char* name, const Arrays& a) {
  return matrix_of(name, std::get<0>(a), std::get<1>(a), std::get<2>(a), std::get<3>(a),
                   std::get<4>(a));
}

SparseFrictionProblem problem_of(const std::optional<Arrays>& M, const std::optional<Arrays>& H,
                                 const std::optional<Vector>& f, const std::optional<Arrays>& W,
                                 Vector w, const Integers& counts, const Numbers& numbers) {
  SparseFrictionProblem problem;
  if (M) problem.M = matrix_of("M", *M);
  if (H) problem.H = matrix_of("H", *H);
  if (f) problem.f = *f;
  if (W) problem.W = matrix_of("W", *W);
  problem.w = std::move(w);
  problem.blocks = blocks_of(counts, numbers);
  nsmb::check_sparse_friction(problem);
  return problem;
}

// Runs without the GIL. Signals are checked at intervals; their exceptions are propagated
// unchanged.
nsmb::SparseFrictionResult solve(const SparseFrictionProblem& problem,
                                 nsmb::SparseFrictionOptions options,
                                 const std::optional<Vector>& x_start,
                                 nsmb::SparseFrictionWorkspace* workspace) {
  std::unique_ptr<py::error_already_set> raised;
  options.keep_going = [&raised] {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() == 0) return true;
    raised = std::make_unique<py::error_already_set>();
    return false;
  };
  std::optional<nsmb::SparseFrictionWorkspace> own;
  if (workspace == nullptr) workspace = &own.emplace();
  nsmb::SparseFrictionResult result;
  {
    const py::gil_scoped_release release;
    nsmb::solve_sparse_friction(problem, options, *workspace, result,
                                x_start ? &*x_start : nullptr);
  }
  if (raised) throw py::error_already_set(*raised);
  return result;
}

}  // namespace

void bind_sparse_friction(py::module_& m) {
  using namespace nsmb;

  py::enum_<SparseFrictionMethod>(m, "SparseFrictionMethod", "Solver of a sparse friction problem.")
      .value("AUTO", SparseFrictionMethod::Auto)
      .value("GAUSS_SEIDEL", SparseFrictionMethod::GaussSeidel)
      .value("PROJECTED_GRADIENT", SparseFrictionMethod::ProjectedGradient)
      .value("ADMM", SparseFrictionMethod::Admm)
      .value("NEWTON", SparseFrictionMethod::Newton)
      .value("DENSE", SparseFrictionMethod::Dense)
      .value("INTERIOR_POINT", SparseFrictionMethod::InteriorPoint);

  py::enum_<SparseFrictionStatus>(m, "SparseFrictionStatus", "Status of a solve.")
      .value("SOLVED", SparseFrictionStatus::Solved)
      .value("TIME_LIMIT", SparseFrictionStatus::TimeLimit)
      .value("ITERATION_LIMIT", SparseFrictionStatus::IterationLimit)
      .value("INACCURATE", SparseFrictionStatus::Inaccurate)
      .value("INTERRUPTED", SparseFrictionStatus::Interrupted);

  py::class_<SparseFrictionProblem>(m, "SparseFrictionProblem", "Data of a sparse problem.")
      .def(py::init(&problem_of), "M"_a, "H"_a, "f"_a, "W"_a, "w"_a, "counts"_a, "numbers"_a);

  py::class_<SparseFrictionResult>(m, "SparseFrictionResult", "Result of a solve.")
      .def_readonly("status", &SparseFrictionResult::status)
      .def_readonly("x", &SparseFrictionResult::x)
      .def_readonly("y", &SparseFrictionResult::y)
      .def_readonly("v", &SparseFrictionResult::v)
      .def_readonly("residual", &SparseFrictionResult::residual)
      .def_readonly("iterations", &SparseFrictionResult::iterations)
      .def_readonly("outer_iterations", &SparseFrictionResult::outer_iterations)
      .def_readonly("factorizations", &SparseFrictionResult::factorizations)
      .def_readonly("used", &SparseFrictionResult::used)
      .def_readonly("seconds", &SparseFrictionResult::seconds);

  py::class_<SparseFrictionWorkspace>(m, "SparseFrictionWorkspace",
                                      "Scratch memory that several solves may share.")
      .def(py::init<>());

  m.def(
      "solve_sparse_friction",
      [](const SparseFrictionProblem& problem, SparseFrictionMethod method, double tol,
         double impulse_scale, double scale, double max_time, long max_iterations, int threads,
         const std::optional<Vector>& x_start, SparseFrictionWorkspace* workspace) {
        SparseFrictionOptions options;
        options.method = method;
        options.tol = tol;
        options.measure = {impulse_scale, scale};
        options.max_time = max_time;
        options.max_iterations = max_iterations;
        options.threads = threads;
        return solve(problem, std::move(options), x_start, workspace);
      },
      "problem"_a, "method"_a = SparseFrictionMethod::Auto, "tol"_a = 1e-8, "impulse_scale"_a = 1.0,
      "scale"_a = 0.0, "max_time"_a = 0.0, "max_iterations"_a = 0, "threads"_a = 1,
      "x_start"_a = py::none(), "workspace"_a = py::none(),
      "Solve a sparse contact problem with friction.");

  m.def(
      "sparse_friction_residual",
      [](const SparseFrictionProblem& problem, const Vector& x, double impulse_scale,
         double scale) { return sparse_friction_residual(problem, x, {impulse_scale, scale}); },
      "problem"_a, "x"_a, "impulse_scale"_a = 1.0, "scale"_a = 0.0,
      py::call_guard<py::gil_scoped_release>(), "Evaluate the natural map of a sparse problem.");
}
