#include "bindings/user_events.hpp"

#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"

using nsmb::Vector;

std::vector<std::int8_t> numbers(const nsmb::ContactStates& states) {
  std::vector<std::int8_t> values;
  for (const auto state : states) values.push_back(static_cast<std::int8_t>(state));
  return values;
}

std::vector<std::int8_t> numbers(const nsmb::ElementModes& modes) {
  std::vector<std::int8_t> values;
  for (const auto mode : modes) values.push_back(static_cast<std::int8_t>(mode));
  return values;
}

namespace {

// Wrap a Python function of (t, q, u, x, contact states, modes). It returns a code of its effect,
// and u, x and modes after it.
std::function<nsmb::EffectResult(nsmb::EventInstant&)> effect_hook(const py::object& function) {
  if (function.is_none()) return {};
  using Bytes = std::vector<std::int8_t>;
  using Result = std::tuple<int, Vector, Vector, Bytes>;
  return [f = function.cast<std::function<Result(double, const Vector&, const Vector&,
                                                 const Vector&, const Bytes&, const Bytes&)>>()](
             nsmb::EventInstant& now) {
    const auto [done, u, x, modes] =
        f(now.t, now.q, now.u, now.x, numbers(now.states), numbers(now.modes));
    nsmb::check_size("effect: u", u, now.u.size());
    nsmb::check_size("effect: x", x, now.x.size());
    now.u = u;
    now.x = x;
    for (std::size_t e = 0; e < now.modes.size() && e < modes.size(); ++e) {
      now.modes[e] = static_cast<nsmb::ElementMode>(modes[e]);
    }
    return static_cast<nsmb::EffectResult>(done);
  };
}

}  // namespace

std::vector<nsmb::UserEvent> user_events(const py::list& given) {
  std::vector<nsmb::UserEvent> events;
  for (const py::handle& entry : given) {
    const py::tuple parts = entry.cast<py::tuple>();
    nsmb::UserEvent event;
    event.name = parts[0].cast<std::string>();
    if (!parts[1].is_none()) event.function = told(parts[1].cast<decltype(event.function)>());
    event.direction = parts[2].cast<int>();
    event.times = parts[3].cast<std::vector<double>>();
    event.start = parts[4].cast<double>();
    event.period = parts[5].cast<double>();
    event.effect = effect_hook(parts[6]);
    event.terminal = parts[7].cast<bool>();
    events.push_back(std::move(event));
  }
  return events;
}
