// Systems and options as plain JavaScript objects, with the names they have in Python.
#pragma once

#include <emscripten/val.h>

#include "nsmb/simulation/event_driven_options.hpp"
#include "nsmb/system/linear_system.hpp"

namespace nsmb::browser {

/// Build a system from {coordinates, M, K, D, force: {constant, harmonics: [{amplitude, omega,
/// phase}]}, contacts: [{name, w_N, w_T, gap, w_tilde_T, law: {mu, e_N, e_T, nu, curve: {mu_d,
/// v_s}}}]}. Missing entries are zero. Throws std::invalid_argument that names the invalid entry.
LinearSystem system_from(const emscripten::val& description);

/// Build options from {impact_law, on_inconsistent, rtol, max_events}. Defaults are those of the
/// core, except for max_events, 100000, so that a page remains responsive.
EventDrivenOptions options_from(const emscripten::val& given);

/// Return a number of an object, or `usual` if it has none of this name.
double number(const emscripten::val& object, const char* name, double usual);

/// Return the numbers of an array of an object, or (size) zeros if it has none of this name.
Vector numbers(const emscripten::val& object, const char* name, Index size);

}  // namespace nsmb::browser
