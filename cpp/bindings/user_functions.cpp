#include "bindings/user_functions.hpp"

#include "nsmb/core/no_value.hpp"

namespace {

// Lives as long as the interpreter; accessed only with the GIL.
PyObject* no_value = nullptr;

}  // namespace

void bind_no_value(py::module_& m) {
  no_value = py::register_exception<nsmb::NoValue>(m, "NoValue", PyExc_ValueError).ptr();
}

void pass_no_value(py::error_already_set& error) {
  const py::gil_scoped_acquire gil;
  if (error.matches(no_value)) throw nsmb::NoValue(py::str(error.value()).cast<std::string>());
}
