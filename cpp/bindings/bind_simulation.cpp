#include "bindings/bindings.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace {

using nsmb::EventDriven;
using nsmb::Index;
using nsmb::Vector;

template <typename T>
py::array_t<T> column(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

// A flat table as an array of shape (rows, columns).
template <typename T>
py::array_t<T> table(const std::vector<T>& values, std::size_t rows, Index columns) {
  return py::array_t<T>({static_cast<Index>(rows), columns}, values.data());
}

py::dict trajectory(const EventDriven& sim, const nsmb::System& system) {
  const nsmb::Trajectory& r = sim.trajectory();
  const Index nq = system.nq(), nu = system.nu(), nc = system.nc();
  const std::size_t n = r.t.size(), m = r.event_t.size(), steps = r.step_start.size();
  py::dict d;
  d["t"] = column(r.t);
  d["y"] = table(r.y, n, nq + nu);
  d["g_N"] = table(r.g_N, n, nc);
  d["gamma_N"] = table(r.gamma_N, n, nc);
  d["gamma_T"] = table(r.gamma_T, n, nc);
  d["lambda_N"] = table(r.lambda_N, n, nc);
  d["lambda_T"] = table(r.lambda_T, n, nc);
  d["friction_loss"] = table(r.friction_loss, n, nc);
  d["contact_state"] = table(r.state, n, nc);
  d["event_t"] = column(r.event_t);
  d["event_kind"] = column(r.event_kind);
  d["event_contacts"] = table(r.event_contacts, m, nc);
  d["event_q"] = table(r.event_q, m, nq);
  d["event_u_minus"] = table(r.event_u_minus, m, nu);
  d["event_u_plus"] = table(r.event_u_plus, m, nu);
  d["event_Lambda_N"] = table(r.event_Lambda_N, m, nc);
  d["event_Lambda_T"] = table(r.event_Lambda_T, m, nc);
  d["event_state_minus"] = table(r.event_state_minus, m, nc);
  d["event_state_plus"] = table(r.event_state_plus, m, nc);
  d["event_energy_loss"] = column(r.event_energy_loss);
  d["event_friction_loss"] = table(r.event_friction_loss, m, nc);
  d["step_start"] = column(r.step_start);
  d["step_end"] = column(r.step_end);
  d["step_offset"] = column(r.step_offset);
  d["step_degree"] = column(r.step_degree);
  d["step_state"] = table(r.step_state, steps, nc);
  d["coefficients"] = column(r.coefficients);
  return d;
}

py::dict statistics(const EventDriven& sim) {
  const nsmb::SimulationStatistics s = sim.statistics();
  return py::dict("steps"_a = s.integrator.steps, "rejected_steps"_a = s.integrator.rejected,
                  "rhs_evaluations"_a = s.integrator.rhs_evaluations,
                  "jacobian_evaluations"_a = s.integrator.jacobian_evaluations,
                  "restarts"_a = s.integrator.restarts, "events"_a = s.events,
                  "impacts"_a = s.impacts, "contact_problems"_a = s.contact_problems,
                  "dependent_impacts"_a = s.dependent_impacts, "impact_loss"_a = s.impact_loss,
                  "friction_loss"_a = s.friction_loss, "rest_loss"_a = s.rest_loss,
                  "rests"_a = s.rests, "largest_residual"_a = s.largest_residual);
}

// Runs without the GIL; now and then signals are looked at and `monitor` is told the time. What
// either raises stops the run and comes out unchanged.
std::string advance(EventDriven& sim, double t_end, bool one_event, const py::object& monitor) {
  std::unique_ptr<py::error_already_set> raised;
  const auto watch = [&](double t) {
    const py::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!monitor.is_none()) monitor(t);
      return true;
    } catch (py::error_already_set& error) {
      raised = std::make_unique<py::error_already_set>(error);
      return false;
    }
  };
  nsmb::SimulationStatus status;
  {
    const py::gil_scoped_release release;
    status = sim.advance(t_end, one_event, watch);
  }
  if (raised) throw py::error_already_set(*raised);
  return std::string(nsmb::to_text(status));
}

}  // namespace

void bind_simulation(py::module_& m) {
  const nsmb::EventDrivenOptions defaults;
  py::class_<EventDriven>(m, "EventDriven")
      .def(py::init([](std::shared_ptr<nsmb::System> system, std::string integrator, double rtol,
                       std::optional<Vector> atol, double max_step, nsmb::ImpactLaw impact_law,
                       double gap_tolerance, double rest_velocity, double start_tolerance,
                       long max_events, long max_events_per_instant, bool dense_output) {
             nsmb::EventDrivenOptions o;
             o.integrator = std::move(integrator);
             o.rtol = rtol;
             if (atol) o.atol = *atol;
             o.max_step = max_step;
             o.transition = {impact_law, gap_tolerance, rest_velocity};
             o.start_tolerance = start_tolerance;
             o.max_events = max_events;
             o.max_events_per_instant = max_events_per_instant;
             o.dense_output = dense_output;
             return std::make_unique<EventDriven>(*system, std::move(o));
           }),
           py::keep_alive<1, 2>(), "system"_a, py::kw_only(), "integrator"_a = defaults.integrator,
           "rtol"_a = defaults.rtol, "atol"_a = py::none(), "max_step"_a = defaults.max_step,
           "impact_law"_a = defaults.transition.impact_law,
           "gap_tolerance"_a = defaults.transition.gap_tolerance,
           "rest_velocity"_a = defaults.transition.rest_velocity,
           "start_tolerance"_a = defaults.start_tolerance, "max_events"_a = defaults.max_events,
           "max_events_per_instant"_a = defaults.max_events_per_instant,
           "dense_output"_a = defaults.dense_output)
      .def("reset", &EventDriven::reset, "t"_a, "q"_a, "u"_a)
      .def("set_output_step", &EventDriven::set_output_step, "step"_a)
      .def("advance", &advance, "t_end"_a, "one_event"_a = false, "monitor"_a = py::none())
      .def_property_readonly("t", &EventDriven::t)
      .def_property_readonly("y", &EventDriven::y)
      .def_property_readonly("contact_state",
                             [](const EventDriven& sim) {
                               std::vector<std::int8_t> states;
                               for (const auto s : sim.states()) {
                                 states.push_back(static_cast<std::int8_t>(s));
                               }
                               return column(states);
                             })
      .def_property_readonly("observables", &EventDriven::observables)
      .def_property_readonly("status",
                             [](const EventDriven& sim) { return nsmb::to_text(sim.status()); })
      .def_property_readonly("message", &EventDriven::message)
      .def_property_readonly("statistics", &statistics)
      .def("trajectory", &trajectory, "system"_a);
}
