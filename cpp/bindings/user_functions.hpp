// Python functions of the user that the core calls.
#pragma once

#include <functional>
#include <utility>

#include "bindings/bindings.hpp"

/// Register the Python class of nsmb::NoValue, a ValueError, in the module `m`.
void bind_no_value(py::module_& m);

/// Throw nsmb::NoValue if that is what a function has raised; return otherwise.
void pass_no_value(py::error_already_set& error);

/// Wrap `function` such that a missing value is reported to the core. Other exceptions are
/// propagated unchanged.
template <class Result, class... Arguments>
std::function<Result(Arguments...)> told(std::function<Result(Arguments...)> function) {
  if (!function) return function;
  return [function = std::move(function)](Arguments... arguments) -> Result {
    try {
      return function(std::forward<Arguments>(arguments)...);
    } catch (py::error_already_set& error) {
      pass_no_value(error);
      throw;
    }
  };
}

/// Wrap a Python object in the same way, as a function of this signature.
template <class Signature>
std::function<Signature> told(const py::object& function) {
  return told(function.cast<std::function<Signature>>());
}
