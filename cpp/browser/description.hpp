// Systems and options as plain JavaScript objects, with the names they have in Python.
#pragma once

#include <emscripten/val.h>

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/system/linear_system.hpp"

namespace nsmb::browser {

/// {coordinates, M, K, D, force: {constant, harmonics: [{amplitude, omega, phase}]}, contacts:
/// [{name, w_N, w_T, gap, w_tilde_T, law: {mu, e_N, e_T, nu, curve: {mu_d, v_s}}}]}; what is
/// missing is zero. Throws std::invalid_argument naming what is wrong.
LinearSystem system_from(const emscripten::val& description);

/// {impact_law, on_inconsistent, rtol, max_events}; what is missing is as in the core, but for
/// max_events, 100000, so that a page answers.
EventDrivenOptions options_from(const emscripten::val& given);

/// A number of an object, or `usual` where it has none of this name.
double number(const emscripten::val& object, const char* name, double usual);

/// The numbers of an array of an object; (size) zeros where it has none of this name.
Vector numbers(const emscripten::val& object, const char* name, Index size);

}  // namespace nsmb::browser
