#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/simulator.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/stepping/plastic_lock.hpp"
#include "nsmb/stepping/time_stepping.hpp"

namespace {

using nsmb::OnStepFailure;
using nsmb::RungeKuttaMethod;
using nsmb::SteppingScheme;

class SteppingSimulator final : public Simulator {
 public:
  SteppingSimulator(std::shared_ptr<nsmb::System> system, const nsmb::TimeSteppingOptions& options)
      : Simulator(system, std::make_unique<nsmb::TimeStepping>(*system, options)) {}
};

// Build contacts with a normal and 0 to 2 tangential directions each.
nsmb::CoupledContacts coupled(nsmb::Matrix M, nsmb::Matrix W, nsmb::Vector gamma_free,
                              nsmb::Vector given, const std::vector<nsmb::Index>& tangents,
                              const nsmb::Vector& mu) {
  nsmb::check_size("mu", mu, static_cast<nsmb::Index>(tangents.size()));
  nsmb::CoupledContacts contacts{
      std::move(M), std::move(W), std::move(gamma_free), std::move(given), {}};
  nsmb::Index rows = 0;
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    nsmb::ContactBlock block;
    block.first = rows;
    block.tangents = tangents[k];
    block.mu = mu(static_cast<nsmb::Index>(k));
    rows += block.rows();
    contacts.blocks.push_back(block);
  }
  nsmb::check_size("gamma_free", contacts.gamma_free, rows);
  nsmb::check_size("given", contacts.given, rows);
  nsmb::check_shape("W", contacts.W, contacts.M.rows(), rows);
  return contacts;
}

void bind_plastic_lock(py::module_& m) {
  py::class_<nsmb::PlasticLock>(m, "PlasticLock")
      .def_readonly("change", &nsmb::PlasticLock::change)
      .def_readonly("Lambda", &nsmb::PlasticLock::Lambda)
      .def_readonly("residual", &nsmb::PlasticLock::residual)
      .def_readonly("holds", &nsmb::PlasticLock::holds)
      .def_readonly("certified", &nsmb::PlasticLock::certified);
  py::class_<nsmb::CoupledContacts>(m, "CoupledContacts")
      .def(py::init(&coupled), "M"_a, "W"_a, "gamma_free"_a, "given"_a, "tangents"_a, "mu"_a)
      .def("are_acceptable", &nsmb::are_acceptable, "Lambda"_a, "gamma"_a)
      .def("lock", &nsmb::lock, "Lambda"_a);
}

}  // namespace

void bind_stepping(py::module_& m) {
  py::enum_<SteppingScheme>(m, "SteppingScheme")
      .value("Midpoint", SteppingScheme::Midpoint)
      .value("Hybrid", SteppingScheme::Hybrid)
      .value("EulerPosition", SteppingScheme::EulerPosition)
      .value("Rk4Position", SteppingScheme::Rk4Position)
      .value("Rk4Velocity", SteppingScheme::Rk4Velocity)
      .value("RadauPosition", SteppingScheme::RadauPosition)
      .value("RadauVelocity", SteppingScheme::RadauVelocity);
  py::enum_<RungeKuttaMethod>(m, "RungeKuttaMethod")
      .value("Euler", RungeKuttaMethod::Euler)
      .value("Rk4", RungeKuttaMethod::Rk4)
      .value("Radau", RungeKuttaMethod::Radau);
  py::class_<nsmb::RungeKuttaTableau>(m, "RungeKuttaTableau")
      .def(py::init([](RungeKuttaMethod method) { return nsmb::tableau(method); }), "method"_a)
      .def_readonly("A", &nsmb::RungeKuttaTableau::A)
      .def_readonly("b", &nsmb::RungeKuttaTableau::b)
      .def_readonly("b_q", &nsmb::RungeKuttaTableau::b_q)
      .def_readonly("c", &nsmb::RungeKuttaTableau::c)
      .def_property_readonly("position_weights", &nsmb::RungeKuttaTableau::position_weights);
  bind_plastic_lock(m);
  py::enum_<OnStepFailure>(m, "OnStepFailure")
      .value("Continue", OnStepFailure::Continue)
      .value("Stop", OnStepFailure::Stop);
  const nsmb::TimeSteppingOptions defaults;
  py::class_<SteppingSimulator, Simulator>(m, "TimeStepping")
      .def(py::init([](std::shared_ptr<nsmb::System> system, double step, SteppingScheme scheme,
                       nsmb::ImpactLaw impact_law, double tol, double rtol,
                       OnStepFailure on_failure, std::optional<nsmb::Vector> error, double min_step,
                       nsmb::FrictionMethod solver, nsmb::SparseFrictionMethod sparse_solver,
                       double max_time, long max_iterations, int threads, double gap_tolerance,
                       double start_tolerance, bool sleeping, bool dense_output, double max_memory,
                       std::optional<RungeKuttaMethod> main_integrator, double mixing,
                       long max_outer, bool step_log) {
             nsmb::TimeSteppingOptions o;
             o.step = step;
             o.scheme = scheme;
             o.impact_law = impact_law;
             o.tol = tol;
             o.rtol = rtol;
             o.on_failure = on_failure;
             if (error) o.error = *error;
             o.min_step = min_step;
             o.friction.method = solver;
             o.sparse.method = sparse_solver;
             o.sparse.max_time = max_time;
             o.sparse.max_iterations = max_iterations;
             o.sparse.threads = threads;
             o.gap_tolerance = gap_tolerance;
             o.start_tolerance = start_tolerance;
             o.sleeping = sleeping;
             o.dense_output = dense_output;
             o.max_memory = max_memory;
             o.main_integrator = main_integrator;
             o.mixing = mixing;
             o.max_outer = max_outer;
             o.step_log = step_log;
             return std::make_unique<SteppingSimulator>(std::move(system), o);
           }),
           "system"_a, py::kw_only(), "step"_a, "scheme"_a = defaults.scheme,
           "impact_law"_a = defaults.impact_law, "tol"_a = defaults.tol, "rtol"_a = defaults.rtol,
           "on_failure"_a = defaults.on_failure, "error"_a = py::none(),
           "min_step"_a = defaults.min_step, "solver"_a = defaults.friction.method,
           "sparse_solver"_a = defaults.sparse.method, "max_time"_a = defaults.sparse.max_time,
           "max_iterations"_a = defaults.sparse.max_iterations,
           "threads"_a = defaults.sparse.threads, "gap_tolerance"_a = defaults.gap_tolerance,
           "start_tolerance"_a = defaults.start_tolerance, "sleeping"_a = defaults.sleeping,
           "dense_output"_a = defaults.dense_output, "max_memory"_a = defaults.max_memory,
           "main_integrator"_a = py::none(), "mixing"_a = defaults.mixing,
           "max_outer"_a = defaults.max_outer, "step_log"_a = defaults.step_log);
}
