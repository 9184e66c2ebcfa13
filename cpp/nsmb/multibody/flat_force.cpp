#include "nsmb/multibody/flat_force.hpp"

#include <array>
#include <limits>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

struct CallbackWorkspace final : ForceWorkspace {
  CallbackWorkspace(std::size_t markers, std::size_t joints) : flat(markers, joints) {}
  FlatInput flat;
};

struct CompiledWorkspace final : ForceWorkspace {
  CompiledWorkspace(std::size_t markers, std::size_t joints)
      : flat(markers, joints),
        wrenches(6, static_cast<Index>(markers)),
        joint_forces(static_cast<Index>(joints)) {}
  FlatInput flat;
  Matrix wrenches;
  Vector joint_forces;
};

CallbackForce::At flatten(const ForceInput& in, ForceWorkspace& work) {
  FlatInput& flat = static_cast<CallbackWorkspace&>(work).flat;
  flat.take(in);
  Vector states(static_cast<Index>(in.x().size() + in.modes()));
  for (Index i = 0; i < states.size(); ++i) states(i) = in.x(static_cast<std::size_t>(i));
  return {in.t, flat.markers, flat.joints, std::move(states)};
}

using Inputs = std::array<const double*, kCompiledInputs>;

Inputs inputs(const ForceInput& in, const Vector& parameters, CompiledWorkspace& work) {
  work.flat.take(in);
  Inputs places{};
  const auto set = [&places](CompiledInput input, const double* data) {
    places[static_cast<std::size_t>(input)] = data;
  };
  set(CompiledInput::t, &in.t);
  set(CompiledInput::q, work.flat.markers.data());
  set(CompiledInput::u, work.flat.joints.data());
  set(CompiledInput::x, in.x().data());
  set(CompiledInput::parameters, parameters.data());
  return places;
}

}  // namespace

FlatInput::FlatInput(std::size_t marker_count, std::size_t joint_count)
    : markers(18, static_cast<Index>(marker_count)), joints(2 * static_cast<Index>(joint_count)) {}

void FlatInput::take(const ForceInput& in) {
  for (std::size_t k = 0; k < in.markers(); ++k) {
    const MarkerKinematics& m = in.marker(k);
    auto column = markers.col(static_cast<Index>(k));
    column.segment<3>(0) = m.r;
    for (Index row = 0; row < 3; ++row) column.segment<3>(3 + 3 * row) = m.A.row(row).transpose();
    column.segment<3>(12) = m.v;
    column.segment<3>(15) = m.Omega;
  }
  const auto n = static_cast<Index>(in.joints());
  for (Index k = 0; k < n; ++k) {
    joints(k) = in.q(static_cast<std::size_t>(k));
    joints(n + k) = in.u(static_cast<std::size_t>(k));
  }
}

FlatForce::FlatForce(ForceInterface interface) : interface_(std::move(interface)) {
  check_size("initial", interface_.initial, nx());
  check_finite("initial", interface_.initial);
}

void FlatForce::hand_on(const Matrix& wrenches, const Vector& joint_forces, WrenchSink& out) const {
  for (std::size_t k = 0; k < interface_.markers; ++k) {
    const auto wrench = wrenches.col(static_cast<Index>(k));
    out.add(k, wrench.head<3>(), wrench.tail<3>());
  }
  for (std::size_t k = 0; k < interface_.joints; ++k) {
    out.add_joint(k, joint_forces(static_cast<Index>(k)));
  }
}

CallbackForce::CallbackForce(ForceInterface interface, Functions functions)
    : FlatForce(std::move(interface)), functions_(std::move(functions)) {
  if (!functions_.evaluate) reject("force", "a function", "none");
  if (!functions_.watch && watches() > 0) reject("watch", "a function", "none");
}

std::unique_ptr<ForceWorkspace> CallbackForce::make_workspace() const {
  return std::make_unique<CallbackWorkspace>(markers(), joints());
}

void CallbackForce::evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                             ForceWorkspace& work) const {
  const Values values = functions_.evaluate(flatten(in, work));
  check_shape("wrenches", values.wrenches, 6, static_cast<Index>(markers()));
  check_size("joint forces", values.joint_forces, static_cast<Index>(joints()));
  check_size("rates", values.xdot, nx());
  hand_on(values.wrenches, values.joint_forces, out);
  xdot = values.xdot;
}

void CallbackForce::watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const {
  const Vector value = functions_.watch(flatten(in, work));
  check_size("watch", value, watches());
  values = value;
}

double CallbackForce::energy(const ForceInput& in, ForceWorkspace& work) const {
  if (!functions_.energy) return ForceElement::energy(in, work);
  return functions_.energy(flatten(in, work));
}

CompiledForce::CompiledForce(ForceInterface interface, Functions functions, Vector parameters,
                             std::shared_ptr<const void> code)
    : FlatForce(std::move(interface)),
      functions_(functions),
      parameters_(std::move(parameters)),
      code_(std::move(code)) {
  if (!functions_.evaluate) reject("evaluate", "a function", "none");
  if (!functions_.watch && watches() > 0) reject("watch", "a function", "none");
  if (!functions_.limits && !limits().empty()) reject("limits", "a function", "none");
  check_finite("parameters", parameters_);
}

Vector CompiledForce::limit_values(const ForceInput& in, ForceWorkspace& work) const {
  Vector values(static_cast<Index>(limits().size()));
  const std::array<double*, 1> results{values.data()};
  auto& w = static_cast<CompiledWorkspace&>(work);
  functions_.limits(inputs(in, parameters_, w).data(), results.data());
  return values;
}

std::string CompiledForce::trouble(const ForceInput& in, ForceWorkspace& work) const {
  if (limits().empty()) return {};
  const Vector values = limit_values(in, work);
  for (Index k = 0; k < values.size(); ++k) {
    if (!(values(k) > 0.0)) return below_limit(limits()[static_cast<std::size_t>(k)], values(k));
  }
  return {};
}

std::unique_ptr<ForceWorkspace> CompiledForce::make_workspace() const {
  return std::make_unique<CompiledWorkspace>(markers(), joints());
}

void CompiledForce::evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                             ForceWorkspace& work) const {
  auto& w = static_cast<CompiledWorkspace&>(work);
  const std::array<double*, 3> results{w.wrenches.data(), w.joint_forces.data(), xdot.data()};
  functions_.evaluate(inputs(in, parameters_, w).data(), results.data());
  if (!limits().empty() && !(limit_values(in, work).array() > 0.0).all()) {
    w.wrenches.setConstant(std::numeric_limits<double>::quiet_NaN());
    w.joint_forces.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  hand_on(w.wrenches, w.joint_forces, out);
}

void CompiledForce::watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const {
  auto& w = static_cast<CompiledWorkspace&>(work);
  const std::array<double*, 1> results{values.data()};
  functions_.watch(inputs(in, parameters_, w).data(), results.data());
}

double CompiledForce::energy(const ForceInput& in, ForceWorkspace& work) const {
  if (!functions_.energy) return ForceElement::energy(in, work);
  auto& w = static_cast<CompiledWorkspace&>(work);
  double value = 0.0;
  const std::array<double*, 1> results{&value};
  functions_.energy(inputs(in, parameters_, w).data(), results.data());
  return value;
}

}  // namespace nsmb
