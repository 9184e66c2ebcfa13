#include <algorithm>
#include <array>

#include "bindings/bindings.hpp"
#include "bindings/recording.hpp"
#include "bindings/simulator.hpp"
#include "bindings/user_events.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/simulation/energies.hpp"
#include "nsmb/simulation/event_driven.hpp"
#include "nsmb/simulation/instant.hpp"
#include "nsmb/simulation/level_crossings.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/section_run.hpp"
#include "nsmb/system/feature_search.hpp"

namespace {

using nsmb::Index;
using nsmb::Simulation;
using nsmb::Vector;

template <typename T>
py::array_t<T> column(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

class EventDrivenSimulator final : public Simulator {
 public:
  EventDrivenSimulator(std::shared_ptr<nsmb::System> system,
                       const nsmb::EventDrivenOptions& options)
      : Simulator(system, std::make_unique<nsmb::EventDriven>(*system, options)) {}
};

// Return a flat table as an array of shape (rows, columns).
template <typename T>
py::array_t<T> table(const std::vector<T>& values, std::size_t rows, Index columns) {
  return py::array_t<T>({static_cast<Index>(rows), columns}, values.data());
}

py::dict events_from(Simulator& simulator, std::size_t first) {
  const nsmb::Recorder& r = simulator.idle().trajectory();
  py::dict d;
  add_columns(r.events, std::max(first, r.gone_events()) - r.gone_events(), d);
  return d;
}

nsmb::DiscreteState discrete_state(const std::vector<int>& states, const std::vector<int>& modes,
                                   const std::vector<std::array<double, 5>>& slots) {
  nsmb::DiscreteState result;
  for (const int state : states) result.states.push_back(static_cast<nsmb::ContactState>(state));
  for (const int mode : modes) result.modes.push_back(static_cast<nsmb::ElementMode>(mode));
  for (const std::array<double, 5>& slot : slots) {
    result.slots.push_back({static_cast<Index>(slot[0]), static_cast<Index>(slot[1]), slot[2],
                            slot[3], slot[4] != 0.0});
  }
  return result;
}

py::dict trajectory(Simulator& simulator) {
  Simulation& sim = simulator.idle();
  py::dict d;
  for (const nsmb::Table* table : sim.trajectory().tables()) add_columns(*table, 0, d);
  if (sim.part_count() > 0) {
    d["part_of_y"] = column(sim.parts_of_y());
    d["part_of_contact"] = column(sim.parts_of_contacts());
  }
  if (simulator.system().feature_search()) d["end_slots"] = slots_of(sim.discrete_state());
  return d;
}

// Return a column of the last sample, without copying the other rows: it is called repeatedly
// during long runs.
py::array last_sample(Simulator& simulator, std::string_view name) {
  const nsmb::SampleTable& samples = simulator.idle().trajectory().samples;
  const std::size_t known = std::min<std::size_t>(samples.rows(), 1);
  for (const nsmb::AnyColumn* column : samples.columns()) {
    if (name != column->name() || !column->is_used()) continue;
    py::array rows = rows_of(*column, samples.rows() - known, known);
    return rows.reshape({rows.size()});
  }
  nsmb::reject("name", "a column of samples", "'" + std::string(name) + "'");
}

// Return the bytes per additional row of each table, and of all stored data.
py::dict sizes(Simulator& simulator) {
  const nsmb::Trajectory& r = simulator.idle().trajectory();
  return py::dict("sample"_a = r.samples.row_bytes(), "event"_a = r.events.row_bytes(),
                  "step"_a = r.steps.row_bytes(), "kept"_a = simulator.idle().kept_bytes());
}

// Return nsmb::VariationRecord, or None if no derivative is computed.
py::object variation(Simulator& simulator) {
  const nsmb::Variation* variation = simulator.idle().variation();
  if (!variation) return py::none();
  const nsmb::VariationRecord& r = variation->record();
  const Index n = simulator.system().ny(), m = n + variation->parameters();
  const std::size_t k = r.t.size();
  py::dict d;
  d["t"] = column(r.t);
  d["is_event"] = column(r.is_event);
  d["factors"] = py::array_t<double>({static_cast<Index>(k), n, m}, r.factors.data());
  d["flows"] = py::array_t<double>({static_cast<Index>(k), n, n}, r.flows.data());
  d["time_factors"] = table(r.time_factors, k, m);
  d["rate"] = table(r.rate, r.rate.size() / static_cast<std::size_t>(n), n);
  d["lost"] = column(r.lost);
  d["note_t"] = column(r.note_t);
  d["note_kind"] = column(r.note_kind);
  d["note_contact"] = column(r.note_contact);
  return d;
}

// Runs without the GIL. At intervals, signals are checked and `monitor` receives the time. An
// exception of either stops the run and is propagated unchanged.
template <typename Move>
std::string run_watched(Simulator& simulator, const py::object& monitor, const Move& move) {
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
  const Simulator::Run run(simulator);
  nsmb::SimulationStatus status;
  try {
    const py::gil_scoped_release release;
    status = move(run.motion, watch);
  } catch (py::error_already_set& error) {
    // Ctrl-C or an exit in a function of the system is not an error of the system.
    if (!error.matches(PyExc_Exception)) run.motion.interrupt();
    throw;
  }
  if (raised) throw py::error_already_set(*raised);
  simulator.raise_kept();
  return std::string(nsmb::to_text(status));
}

std::string advance(Simulator& simulator, double t_end, bool one_event, const py::object& monitor) {
  return run_watched(simulator, monitor, [&](Simulation& sim, const Simulation::Monitor& watch) {
    return sim.advance(t_end, one_event, watch);
  });
}

py::dict iterate(Simulator& simulator, const nsmb::SectionOptions& options,
                 const py::object& monitor) {
  nsmb::SectionPoints points;
  const std::string status =
      run_watched(simulator, monitor, [&](Simulation& sim, const Simulation::Monitor& watch) {
        return nsmb::iterate(sim, options, watch, points);
      });
  const nsmb::System& system = simulator.system();
  const std::size_t m = points.t.size();
  return py::dict("status"_a = status, "t"_a = column(points.t),
                  "y_minus"_a = table(points.y_minus, m, system.ny()),
                  "y_plus"_a = table(points.y_plus, m, system.ny()),
                  "Lambda_N"_a = table(points.Lambda_N, m, system.nc()),
                  "Lambda_T"_a = table(points.Lambda_T, m, system.nt()));
}

// Return crossings in the stored steps, in the format of iterate().
py::dict crossings(Simulator& simulator, Index component, double value, int direction,
                   double t_last) {
  Simulation& run = simulator.idle();
  if (run.part_count() > 0) {
    nsmb::reject("crossings", "an undivided system", "a system divided into parts");
  }
  const Index ny = simulator.system().ny();
  if (component < 0 || component >= ny) {
    nsmb::reject("component", "an index below " + std::to_string(ny), std::to_string(component));
  }
  nsmb::SectionPoints points;
  nsmb::find_crossings(run.trajectory().steps, {component, value, direction}, t_last, points);
  const std::size_t m = points.t.size();
  return py::dict("t"_a = column(points.t), "y_minus"_a = table(points.y_minus, m, ny),
                  "y_plus"_a = table(points.y_plus, m, ny));
}

// Wrap a Python function of the results of compression (Λ_NC, Λ_TC, γ_NC, γ_TC) and of e_N, mu,
// e_T, nu (nc each) of the contacts. It returns these parameters for the expansion phase (8.10).
nsmb::ExpansionParameters expansion_hook(const py::object& function) {
  if (function.is_none()) return {};
  using Parts = std::tuple<Vector, Vector, Vector, Vector>;
  return [f = function.cast<
              std::function<Parts(const Vector&, const Vector&, const Vector&, const Vector&,
                                  const Vector&, const Vector&, const Vector&, const Vector&)>>()](
             const nsmb::ImpactResult& c, std::vector<nsmb::UnilateralContact>& laws) {
    const Index nc = static_cast<Index>(laws.size());
    nsmb::Matrix given(nc, 4);
    for (Index i = 0; i < nc; ++i) {
      const nsmb::UnilateralContact& law = laws[static_cast<std::size_t>(i)];
      given.row(i) << law.e_N, law.mu, law.e_T, law.nu;
    }
    const auto [e_N, mu, e_T, nu] = f(c.Lambda_NC, c.Lambda_TC, c.gamma_NC, c.gamma_TC,
                                      given.col(0), given.col(1), given.col(2), given.col(3));
    nsmb::check_size("expansion: e_N", e_N, nc);
    nsmb::check_size("expansion: mu", mu, nc);
    nsmb::check_size("expansion: e_T", e_T, nc);
    nsmb::check_size("expansion: nu", nu, nc);
    for (Index i = 0; i < nc; ++i) {
      nsmb::UnilateralContact& law = laws[static_cast<std::size_t>(i)];
      law.e_N = e_N(i);
      law.mu = mu(i);
      law.e_T = e_T(i);
      law.nu = nu(i);
      law.curve = nullptr;
      nsmb::check_law("expansion " + std::to_string(i), law);
    }
  };
}

py::dict to_dict(const nsmb::InstantSolution& s) {
  return py::dict("lambda_N"_a = s.law.lambda_N, "lambda_T"_a = s.law.lambda_T,
                  "gammadot_N"_a = s.law.gammadot_N, "gammadot_T"_a = s.law.gammadot_T,
                  "udot"_a = s.udot);
}

// Return W, M⁻¹W and G as in a run, with their features found.
py::dict delassus(const nsmb::System& system, double t, const Vector& y) {
  nsmb::check_size("y", y, system.ny());
  nsmb::Mechanics mechanics(system);
  if (system.feature_search()) {
    const nsmb::ContactStates open(static_cast<std::size_t>(system.nc()));
    mechanics.find_features(t, y, open, 0.0);
  }
  mechanics.update(t, y);
  const auto u = y.segment(system.nq(), system.nu());
  mechanics.measure_rounding(u);
  Vector resolution(system.rows().size());
  mechanics.velocity_resolutions(0.0, resolution);
  const nsmb::Delassus& d = mechanics.delassus;
  return py::dict("W"_a = d.W, "Minv_W"_a = d.Minv_W, "G"_a = d.G,
                  "in_blocks"_a = d.cliques() != nullptr, "gamma_N"_a = mechanics.gamma_N,
                  "gamma_T"_a = mechanics.gamma_T, "free_N"_a = mechanics.free_N,
                  "free_T"_a = mechanics.free_T, "kinetic_energy"_a = mechanics.kinetic_energy(u),
                  "velocity_resolution"_a = resolution);
}

py::dict solve_instant(const nsmb::System& system, double t, const Vector& y,
                       const nsmb::ElementModes& modes, double gap_tolerance, double rest_velocity,
                       Index max_size, const std::optional<Vector>& inputs) {
  nsmb::TransitionOptions options;
  options.gap_tolerance = gap_tolerance;
  options.rest_velocity = rest_velocity;
  const nsmb::InstantResult r = nsmb::solve_instant(
      system, t, y, modes, inputs ? *inputs : system.given_inputs(), options, max_size);
  py::list solutions;
  for (const nsmb::InstantSolution& s : r.solutions) solutions.append(to_dict(s));
  return py::dict("status"_a = r.status, "enumeration"_a = r.enumeration, "roles"_a = r.roles,
                  "residual"_a = r.residual, "found"_a = to_dict(r.found),
                  "solutions"_a = solutions);
}

// Each row of y, modes, inputs and momentum is one state.
py::dict evaluate_energies(const nsmb::System& system, const Vector& t, const nsmb::Matrix& y,
                           const nsmb::Matrix& modes, const std::optional<nsmb::Matrix>& inputs) {
  nsmb::Matrix values = system.given_inputs().replicate(1, t.size());
  if (inputs) values = inputs->transpose();
  const nsmb::Energies e =
      nsmb::evaluate_energies(system, t, y.transpose().eval(), modes.transpose().eval(), values);
  return py::dict("kinetic"_a = e.kinetic, "potential"_a = e.potential, "power"_a = e.power,
                  "element_power"_a = e.element_power, "element_energy"_a = e.element_energy,
                  "momentum"_a = nsmb::Matrix(e.momentum.transpose()));
}

}  // namespace

void bind_simulation(py::module_& m) {
  py::enum_<nsmb::OnInconsistent>(m, "OnInconsistent")
      .value("Stop", nsmb::OnInconsistent::Stop)
      .value("Impact", nsmb::OnInconsistent::Impact);
  const nsmb::EventDrivenOptions defaults;
  py::class_<Simulator>(m, "Simulation")
      .def(
          "reset",
          [](Simulator& s, double t, const Vector& q, const Vector& u, const Vector& x) {
            s.idle().reset(t, q, u, x);
          },
          "t"_a, "q"_a, "u"_a, "x"_a = Vector())
      .def(
          "resume",
          [](Simulator& s, double t, const Vector& q, const Vector& u, const Vector& x,
             const std::vector<int>& states, const std::vector<int>& modes,
             const std::vector<std::array<double, 5>>& slots) {
            s.idle().resume(t, q, u, x, discrete_state(states, modes, slots));
          },
          "t"_a, "q"_a, "u"_a, "x"_a, "states"_a, "modes"_a, "slots"_a)
      .def(
          "set_output_step", [](Simulator& s, double step) { s.idle().set_output_step(step); },
          "step"_a)
      .def(
          "set_output_times",
          [](Simulator& s, std::vector<double> times) {
            s.idle().set_output_times(std::move(times));
          },
          "times"_a)
      .def(
          "watch",
          [](Simulator& s, const py::list& events) { s.idle().watch(user_events(events)); },
          "events"_a)
      .def_property(
          "inputs", [](Simulator& s) { return Vector(s.idle().inputs()); },
          [](Simulator& s, const Vector& values) { s.idle().set_inputs(values); })
      .def(
          "take_over", [](Simulator& s, Simulator& before) { s.idle().take_over(before.idle()); },
          "before"_a)
      .def(
          "begin_as", [](Simulator& s, Simulator& other) { s.idle().begin_as(other.idle()); },
          "other"_a)
      .def_property_readonly("event_count",
                             [](Simulator& s) { return s.idle().trajectory().event_count(); })
      .def_property_readonly("sample_count",
                             [](Simulator& s) { return s.idle().trajectory().sample_count(); })
      .def("advance", &advance, "t_end"_a, "one_event"_a = false, "monitor"_a = py::none())
      .def(
          "iterate",
          [](Simulator& s, long count, double t_max, double period, double t_0, int kind,
             Index contact, bool keep, const py::object& monitor) {
            nsmb::SectionOptions o{period, t_0, {}, contact, count, t_max, keep};
            if (kind >= 0) o.kind = static_cast<nsmb::EventKind>(kind);
            return iterate(s, o, monitor);
          },
          py::kw_only(), "count"_a, "t_max"_a, "period"_a = 0.0, "t_0"_a = 0.0, "kind"_a = -1,
          "contact"_a = -1, "keep"_a = false, "monitor"_a = py::none())
      .def("crossings", &crossings, py::kw_only(), "component"_a, "value"_a, "direction"_a,
           "t_last"_a)
      .def(
          "follow_derivative",
          [](Simulator& s,
             const std::vector<std::tuple<std::shared_ptr<nsmb::System>,
                                          std::shared_ptr<nsmb::System>, double>>& given) {
            std::vector<nsmb::ParameterShift> shifts;
            for (const auto& [plus, minus, distance] : given) {
              shifts.push_back({plus, minus, distance});
            }
            s.idle().follow_derivative(std::move(shifts));
          },
          "shifts"_a)
      .def_property_readonly("variation", &variation)
      .def("forget", [](Simulator& s) { s.idle().forget(); })
      .def("record", &Simulator::record, "every"_a, "keeps_events"_a, "sink"_a = py::none())
      .def("pass_on", &Simulator::pass_on)
      .def_property_readonly("t", [](Simulator& s) { return s.idle().t(); })
      .def_property_readonly("y", [](Simulator& s) { return Vector(s.idle().y()); })
      .def_property_readonly("contact_state",
                             [](Simulator& s) { return column(numbers(s.idle().states())); })
      .def_property_readonly("element_mode",
                             [](Simulator& s) { return column(numbers(s.idle().modes())); })
      .def_property_readonly("part_count", [](Simulator& s) { return s.idle().part_count(); })
      .def_property_readonly("kept_states",
                             [](Simulator& s) {
                               const nsmb::KeptStates kept = s.idle().kept_states();
                               return std::make_pair(kept.count, kept.bytes);
                             })
      .def_property_readonly("status",
                             [](Simulator& s) { return nsmb::to_text(s.idle().status()); })
      .def_property_readonly("message", [](Simulator& s) { return s.idle().message(); })
      .def_property_readonly("statistics", [](Simulator& s) { return statistics(s.idle()); })
      .def("events_from", &events_from, "first"_a)
      .def("last_sample", &last_sample, "name"_a)
      .def_property_readonly("is_paused", [](Simulator& s) { return s.idle().is_paused(); })
      .def_property_readonly("is_undecided", [](Simulator& s) { return s.idle().is_undecided(); })
      .def("trajectory", &trajectory)
      .def_property_readonly("sizes", &sizes);
  py::class_<EventDrivenSimulator, Simulator>(m, "EventDriven")
      .def(py::init([](std::shared_ptr<nsmb::System> system, std::string integrator, double rtol,
                       std::optional<Vector> atol, double max_step, nsmb::ImpactLaw impact_law,
                       double gap_tolerance, double rest_velocity, double start_tolerance,
                       long max_events, long max_events_per_instant, bool dense_output,
                       double max_memory, nsmb::OnInconsistent on_inconsistent,
                       bool check_uniqueness, const py::object& expansion,
                       nsmb::FrictionMethod solver, int facets, bool sliding_compression,
                       std::optional<bool> divide, bool step_log) {
             nsmb::EventDrivenOptions o;
             o.divide = divide;
             o.step_log = step_log;
             o.integrator = std::move(integrator);
             o.rtol = rtol;
             if (atol) o.atol = *atol;
             o.max_step = max_step;
             o.transition = {impact_law,
                             gap_tolerance,
                             rest_velocity,
                             on_inconsistent,
                             check_uniqueness,
                             expansion_hook(expansion),
                             {}};
             o.transition.friction.method = solver;
             o.transition.friction.facets = facets;
             o.transition.sliding_compression = sliding_compression;
             o.start_tolerance = start_tolerance;
             o.max_events = max_events;
             o.max_events_per_instant = max_events_per_instant;
             o.dense_output = dense_output;
             o.max_memory = max_memory;
             return std::make_unique<EventDrivenSimulator>(std::move(system), o);
           }),
           "system"_a, py::kw_only(), "integrator"_a = defaults.integrator,
           "rtol"_a = defaults.rtol, "atol"_a = py::none(), "max_step"_a = defaults.max_step,
           "impact_law"_a = defaults.transition.impact_law,
           "gap_tolerance"_a = defaults.transition.gap_tolerance,
           "rest_velocity"_a = defaults.transition.rest_velocity,
           "start_tolerance"_a = defaults.start_tolerance, "max_events"_a = defaults.max_events,
           "max_events_per_instant"_a = defaults.max_events_per_instant,
           "dense_output"_a = defaults.dense_output, "max_memory"_a = defaults.max_memory,
           "on_inconsistent"_a = defaults.transition.on_inconsistent,
           "check_uniqueness"_a = defaults.transition.check_uniqueness, "expansion"_a = py::none(),
           "solver"_a = nsmb::FrictionMethod::Auto,
           "facets"_a = defaults.transition.friction.facets,
           "sliding_compression"_a = defaults.transition.sliding_compression,
           "divide"_a = defaults.divide, "step_log"_a = defaults.step_log);
  m.def("trajectory_columns", &trajectory_columns);

  m.def(
      "satisfy_constraints",
      [](const nsmb::System& system, double t, Vector y) {
        const bool found = nsmb::satisfy_constraints(system, t, y);
        return std::make_pair(found, y);
      },
      "system"_a, "t"_a, "y"_a);
  m.def("evaluate_energies", &evaluate_energies, "system"_a, "t"_a, "y"_a, "modes"_a,
        "inputs"_a = py::none());
  m.def("delassus", &delassus, "system"_a, "t"_a, "y"_a);
  m.def("solve_instant", &solve_instant, "system"_a, "t"_a, "y"_a, "modes"_a, "gap_tolerance"_a,
        "rest_velocity"_a, "max_size"_a, "inputs"_a = py::none());
}
