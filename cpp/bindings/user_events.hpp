// Events defined by the user in Python.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/bindings.hpp"
#include "nsmb/simulation/user_events.hpp"

std::vector<std::int8_t> numbers(const nsmb::ContactStates& states);
std::vector<std::int8_t> numbers(const nsmb::ElementModes& modes);

/// Convert events given as tuples (name, function, direction, times, start, period, effect,
/// terminal).
std::vector<nsmb::UserEvent> user_events(const py::list& given);
