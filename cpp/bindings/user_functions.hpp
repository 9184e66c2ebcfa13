// Python functions of the user that the core calls.
#pragma once

#include <functional>
#include <utility>

#include "bindings/bindings.hpp"

/// The Python class of nsmb::NoValue, a ValueError; a part of the module `m`.
void bind_no_value(py::module_& m);

/// Throws nsmb::NoValue if that is what a function has raised; returns otherwise.
void pass_no_value(py::error_already_set& error);

/// `function`, which tells the core where it has no value. Whatever else it raises comes out
/// unchanged.
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

/// The same of a Python object, as a function of this signature.
template <class Signature>
std::function<Signature> told(const py::object& function) {
  return told(function.cast<std::function<Signature>>());
}
