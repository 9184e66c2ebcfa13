#include <cstdint>

#include "bindings/bindings.hpp"
#include "bindings/compiled_functions.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/flat_force.hpp"
#include "nsmb/multibody/law_forces.hpp"

namespace {

using nsmb::CallbackForce;
using nsmb::CompiledForce;
using nsmb::ForceElement;
using nsmb::Matrix;
using nsmb::Vector;

// (name, closed at the start, resolution) of each event function.
using Watched = std::vector<std::tuple<std::string, bool, double>>;

nsmb::ForceInterface interface_of(std::size_t markers, std::size_t joints,
                                  std::vector<std::string> states, Vector initial,
                                  const Watched& watched, std::vector<std::string> limits = {}) {
  nsmb::ForceInterface interface{markers, joints,           std::move(states), std::move(initial),
                                 {},      std::move(limits)};
  for (const auto& [name, closed, resolution] : watched) {
    interface.watched.push_back({name, closed, resolution});
  }
  return interface;
}

using Evaluate = std::function<std::tuple<Matrix, Vector, Vector>(double, const Matrix&,
                                                                  const Vector&, const Vector&)>;
using Watch = std::function<Vector(double, const Matrix&, const Vector&, const Vector&)>;
using Energy = std::function<double(double, const Matrix&, const Vector&, const Vector&)>;

CallbackForce::Functions functions_of(Evaluate evaluate, Watch watch, Energy energy) {
  using At = CallbackForce::At;
  CallbackForce::Functions functions;
  functions.evaluate = [evaluate = told(std::move(evaluate))](const At& at) {
    auto [wrenches, joints, xdot] = evaluate(at.t, at.markers, at.joints, at.states);
    return CallbackForce::Values{std::move(wrenches), std::move(joints), std::move(xdot)};
  };
  if (watch) {
    functions.watch = [watch = told(std::move(watch))](const At& at) {
      return watch(at.t, at.markers, at.joints, at.states);
    };
  }
  if (energy) {
    functions.energy = [energy = told(std::move(energy))](const At& at) {
      return energy(at.t, at.markers, at.joints, at.states);
    };
  }
  return functions;
}

std::shared_ptr<nsmb::Load> make_load(const py::object& function, std::vector<nsmb::Index> inputs) {
  using nsmb::Matrix3, nsmb::Vector3;
  if (!inputs.empty()) {
    return std::make_shared<nsmb::Load>(told(function.cast<nsmb::Load::Function>()),
                                        std::move(inputs));
  }
  using Plain = std::function<std::pair<Vector3, Vector3>(double, const Vector3&, const Matrix3&,
                                                          const Vector3&, const Vector3&)>;
  return std::make_shared<nsmb::Load>(
      [f = told(function.cast<Plain>())](double t, const Vector3& r, const Matrix3& A,
                                         const Vector3& v, const Vector3& Omega,
                                         const Vector&) { return f(t, r, A, v, Omega); });
}

// Return functions from addresses, by the names of CompiledForce::Functions.
CompiledForce::Functions force_functions_at(
    const std::map<std::string, std::uintptr_t>& addresses) {
  CompiledForce::Functions functions;
  const FunctionPlaces places = {{"evaluate", &functions.evaluate},
                                 {"watch", &functions.watch},
                                 {"energy", &functions.energy},
                                 {"limits", &functions.limits}};
  set_functions(places, addresses);
  return functions;
}

}  // namespace

void bind_force_elements(py::module_& m) {
  using nsmb::ForceLaw;
  py::class_<ForceElement, std::shared_ptr<ForceElement>>(m, "ForceElement");
  py::class_<nsmb::LineForce, ForceElement, std::shared_ptr<nsmb::LineForce>>(m, "LineForce")
      .def(py::init([](std::shared_ptr<ForceLaw> law, nsmb::SignConvention sign) {
             return std::make_shared<nsmb::LineForce>(std::move(law), sign);
           }),
           "law"_a, "sign"_a);
  py::class_<nsmb::JointForce, ForceElement, std::shared_ptr<nsmb::JointForce>>(m, "JointForce")
      .def(py::init([](std::shared_ptr<ForceLaw> law, nsmb::SignConvention sign) {
             return std::make_shared<nsmb::JointForce>(std::move(law), sign);
           }),
           "law"_a, "sign"_a);
  py::class_<nsmb::Load, ForceElement, std::shared_ptr<nsmb::Load>>(m, "Load").def(
      py::init(&make_load), "function"_a, "inputs"_a = std::vector<nsmb::Index>{});
  py::class_<CallbackForce, ForceElement, std::shared_ptr<CallbackForce>>(m, "CallbackForce")
      .def(py::init([](std::size_t markers, std::size_t joints, std::vector<std::string> states,
                       Vector initial, const Watched& watched, Evaluate evaluate, Watch watch,
                       Energy energy) {
             return std::make_shared<CallbackForce>(
                 interface_of(markers, joints, std::move(states), std::move(initial), watched),
                 functions_of(std::move(evaluate), std::move(watch), std::move(energy)));
           }),
           "markers"_a, "joints"_a, "states"_a, "initial"_a, "watched"_a, "evaluate"_a, "watch"_a,
           "energy"_a);
  py::class_<CompiledForce, ForceElement, std::shared_ptr<CompiledForce>>(m, "CompiledForce")
      .def(py::init([](std::size_t markers, std::size_t joints, std::vector<std::string> states,
                       Vector initial, const Watched& watched,
                       const std::map<std::string, std::uintptr_t>& addresses, Vector parameters,
                       py::object code, std::vector<std::string> limits) {
             return std::make_shared<CompiledForce>(
                 interface_of(markers, joints, std::move(states), std::move(initial), watched,
                              std::move(limits)),
                 force_functions_at(addresses), std::move(parameters), keep_alive(std::move(code)));
           }),
           "markers"_a, "joints"_a, "states"_a, "initial"_a, "watched"_a, "addresses"_a,
           "parameters"_a, "code"_a, "limits"_a = std::vector<std::string>{});
  py::class_<nsmb::PlacedForce>(m, "PlacedForce")
      .def(py::init([](std::string name, std::shared_ptr<ForceElement> element,
                       std::vector<nsmb::Index> markers,
                       const std::vector<std::pair<nsmb::Index, nsmb::Index>>& joints) {
             nsmb::PlacedForce force{std::move(name), std::move(element), std::move(markers), {}};
             for (const auto& [coordinate, velocity] : joints) {
               force.joints.push_back({coordinate, velocity});
             }
             return force;
           }),
           "name"_a, "element"_a, "markers"_a = std::vector<nsmb::Index>{},
           "joints"_a = std::vector<std::pair<nsmb::Index, nsmb::Index>>{});
}
