#include "bindings/bindings.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace {

using nsmb::EventDriven;
using nsmb::Index;
using nsmb::Vector;

// A flat table as an array of shape (rows, columns); columns < 0: one-dimensional.
template <typename T>
py::array_t<T> table(const std::vector<T>& values, Index columns = -1) {
  if (columns < 0) return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
  const Index rows = columns > 0 ? static_cast<Index>(values.size()) / columns : 0;
  return py::array_t<T>({rows, columns}, values.data());
}

py::dict trajectory(const EventDriven& sim, const nsmb::System& system) {
  const nsmb::Trajectory& r = sim.trajectory();
  const Index nq = system.nq(), nu = system.nu(), nc = system.nc();
  py::dict d;
  d["t"] = table(r.t);
  d["y"] = table(r.y, nq + nu);
  d["g_N"] = table(r.g_N, nc);
  d["gamma_N"] = table(r.gamma_N, nc);
  d["gamma_T"] = table(r.gamma_T, nc);
  d["lambda_N"] = table(r.lambda_N, nc);
  d["lambda_T"] = table(r.lambda_T, nc);
  d["friction_loss"] = table(r.friction_loss, nc);
  d["contact_state"] = table(r.state, nc);
  d["event_t"] = table(r.event_t);
  d["event_kind"] = table(r.event_kind);
  d["event_contacts"] = table(r.event_contacts, nc);
  d["event_q"] = table(r.event_q, nq);
  d["event_u_minus"] = table(r.event_u_minus, nu);
  d["event_u_plus"] = table(r.event_u_plus, nu);
  d["event_Lambda_N"] = table(r.event_Lambda_N, nc);
  d["event_Lambda_T"] = table(r.event_Lambda_T, nc);
  d["event_state_minus"] = table(r.event_state_minus, nc);
  d["event_state_plus"] = table(r.event_state_plus, nc);
  d["event_energy_loss"] = table(r.event_energy_loss);
  d["event_friction_loss"] = table(r.event_friction_loss, nc);
  d["step_start"] = table(r.step_start);
  d["step_end"] = table(r.step_end);
  d["step_offset"] = table(r.step_offset);
  d["step_degree"] = table(r.step_degree);
  d["step_state"] = table(r.step_state, nc);
  d["coefficients"] = table(r.coefficients);
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
                               return table(states);
                             })
      .def_property_readonly("observables", &EventDriven::observables)
      .def_property_readonly("status",
                             [](const EventDriven& sim) { return nsmb::to_text(sim.status()); })
      .def_property_readonly("message", &EventDriven::message)
      .def_property_readonly("statistics", &statistics)
      .def("trajectory", &trajectory, "system"_a);
}
