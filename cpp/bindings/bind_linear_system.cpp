#include "bindings/bindings.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/core/no_value.hpp"
#include "nsmb/system/linear_system.hpp"

namespace {

using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

// Wrap a Python function t -> (nu) that adds to the force of a linear system.
std::function<void(double, nsmb::VectorRef)> user_force(const py::object& function) {
  if (function.is_none()) return {};
  return [f = told<Vector(double)>(function)](double t, nsmb::VectorRef h) {
    const Vector value = f(t);
    nsmb::check_size("force.user(t)", value, h.size());
    nsmb::check_value("force.user(t)", value);
    h += value;
  };
}

nsmb::LinearForce make_force(Vector constant, Vector ramp,
                             const std::vector<nsmb::HarmonicForce>& harmonics,
                             const py::object& user, Vector ends, Matrix constants, Matrix ramps,
                             Matrix inputs) {
  return {std::move(constant),
          std::move(ramp),
          harmonics,
          user_force(user),
          {std::move(ends), std::move(constants), std::move(ramps)},
          std::move(inputs)};
}

}  // namespace

void bind_linear_system(py::module_& m) {
  py::class_<nsmb::LinearForceElement>(m, "LinearForceElement")
      .def(py::init(
               [](const nsmb::ForceElementDescription& law, Vector w, double gap, double w_tilde) {
                 return nsmb::LinearForceElement{law, std::move(w), gap, w_tilde};
               }),
           "law"_a, "w"_a, "gap"_a, "w_tilde"_a);

  py::class_<nsmb::HarmonicForce>(m, "HarmonicForce")
      .def(py::init([](Vector cosine, Vector sine, double omega) {
             return nsmb::HarmonicForce{std::move(cosine), std::move(sine), omega};
           }),
           "cosine"_a, "sine"_a, "omega"_a);

  py::class_<nsmb::LinearForce>(m, "LinearForce")
      .def(py::init(&make_force), "constant"_a, "ramp"_a, "harmonics"_a, "user"_a,
           "ends"_a = Vector(), "constants"_a = Matrix(), "ramps"_a = Matrix(),
           "inputs"_a = Matrix());

  py::class_<nsmb::LinearContact>(m, "LinearContact")
      .def(py::init([](std::string name, Vector w_N, Matrix w_T, double gap, double w_tilde_N,
                       Vector w_tilde_T, const nsmb::UnilateralContact& law, nsmb::ContactKind kind,
                       Index normal, double bound) {
             return nsmb::LinearContact{std::move(name),
                                        std::move(w_N),
                                        std::move(w_T),
                                        gap,
                                        w_tilde_N,
                                        std::move(w_tilde_T),
                                        law,
                                        kind,
                                        normal,
                                        bound};
           }),
           "name"_a, "w_N"_a, "w_T"_a, "gap"_a, "w_tilde_N"_a, "w_tilde_T"_a, "law"_a,
           "kind"_a = nsmb::ContactKind::Unilateral, "normal"_a = -1, "bound"_a = 0.0);

  py::class_<nsmb::LinearStates>(m, "LinearStates")
      .def(py::init([](std::vector<std::string> names, const Matrix& A, const Matrix& Q,
                       const Matrix& U, const Matrix& C, const nsmb::LinearForce& drive) {
             return nsmb::LinearStates{std::move(names), A, Q, U, C, drive};
           }),
           "names"_a, "A"_a, "Q"_a, "U"_a, "C"_a, "drive"_a);

  py::class_<nsmb::LinearSystem, nsmb::System, std::shared_ptr<nsmb::LinearSystem>>(m,
                                                                                    "LinearSystem")
      .def(py::init([](std::vector<std::string> coordinates, const Matrix& M, const Matrix& K,
                       const Matrix& D, const nsmb::LinearForce& force,
                       const std::vector<nsmb::LinearContact>& contacts,
                       const std::vector<nsmb::LinearForceElement>& elements,
                       const nsmb::Discontinuities& discontinuities,
                       const nsmb::LinearStates& states,
                       std::vector<nsmb::InputDescription> inputs) {
             return std::make_shared<nsmb::LinearSystem>(std::move(coordinates), M, K, D, force,
                                                         contacts, elements, discontinuities,
                                                         states, std::move(inputs));
           }),
           "coordinates"_a, "M"_a, "K"_a, "D"_a, "force"_a, "contacts"_a,
           "elements"_a = std::vector<nsmb::LinearForceElement>{},
           "discontinuities"_a = nsmb::Discontinuities(), "states"_a = nsmb::LinearStates{},
           "inputs"_a = std::vector<nsmb::InputDescription>{});
}
