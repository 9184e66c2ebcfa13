// Common first include of all binding files.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>

namespace py = pybind11;
using namespace pybind11::literals;

/// Keep machine code alive for objects that may be destroyed in a thread without the GIL.
inline std::shared_ptr<const void> keep_alive(py::object code) {
  return {new py::object(std::move(code)), [](const void* kept) {
            const py::gil_scoped_acquire gil;
            delete static_cast<const py::object*>(kept);
          }};
}

void bind_complementarity(py::module_& m);
void bind_geometry(py::module_& m);
void bind_integration(py::module_& m);
void bind_system(py::module_& m);
void bind_compiled_system(py::module_& m);
void bind_linear_system(py::module_& m);
void bind_contact_laws(py::module_& m);
void bind_simulation(py::module_& m);
void bind_stepping(py::module_& m);
void bind_multibody(py::module_& m);
void bind_force_elements(py::module_& m);
void bind_gears(py::module_& m);
void bind_elastic_foundation(py::module_& m);
void bind_model(py::module_& m);
