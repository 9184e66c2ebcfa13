#include "bindings/bindings.hpp"
#include "bindings/equations.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/system/callback_system.hpp"
#include "nsmb/system/cliques.hpp"
#include "nsmb/system/contact_finder.hpp"
#include "nsmb/system/feature_search.hpp"
#include "nsmb/system/jacobians.hpp"
#include "nsmb/system/state_bounds.hpp"

namespace {

template <auto capability>
bool can(const nsmb::System& system) {
  return (system.*capability)() != nullptr;
}
using nsmb::ContactKinematics;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

nsmb::Discontinuities make_discontinuities(
    std::vector<double> times, const std::vector<std::pair<double, double>>& repetitions) {
  std::vector<nsmb::Repetition> pairs;
  for (const auto& [first, period] : repetitions) pairs.push_back({first, period});
  return {std::move(times), std::move(pairs)};
}

// Parts of the contact kinematics, in the order in which Python passes them.
using ContactParts = std::tuple<Vector, Matrix, Matrix, Vector, Vector, Vector, Vector, Vector>;
using ElementParts = std::tuple<Vector, Matrix, Vector>;
using ConstraintParts = std::tuple<Vector, Matrix, Vector, Vector>;

void store(const ContactParts& parts, ContactKinematics& c) {
  const Index nc = c.g_N.size();
  const Index nt = c.w_tilde_T.size();
  const Index nu = c.W_N.rows();
  const auto& [g_N, W_N, W_T, w_tilde_N, w_tilde_T, w_bar_N, w_bar_T, bound] = parts;
  nsmb::check_size("g_N", g_N, nc);
  nsmb::check_shape("W_N", W_N, nu, nc);
  nsmb::check_shape("W_T", W_T, nu, nt);
  nsmb::check_size("w_tilde_N", w_tilde_N, nc);
  nsmb::check_size("w_tilde_T", w_tilde_T, nt);
  nsmb::check_size("w_bar_N", w_bar_N, nc);
  nsmb::check_size("w_bar_T", w_bar_T, nt);
  nsmb::check_size("bound", bound, nc);
  c.g_N = g_N;
  c.W_N = W_N;
  c.W_T = W_T;
  c.w_tilde_N = w_tilde_N;
  c.w_tilde_T = w_tilde_T;
  c.w_bar_N = w_bar_N;
  c.w_bar_T = w_bar_T;
  c.bound = bound;
}

void store(const ElementParts& parts, nsmb::ElementKinematics& e) {
  const Index ne = e.gamma.size();
  const auto& [gamma, W, w_tilde] = parts;
  nsmb::check_size("element distance", gamma, ne);
  nsmb::check_shape("element W", W, e.W.rows(), ne);
  nsmb::check_size("element w_tilde", w_tilde, ne);
  e.gamma = gamma;
  e.W = W;
  e.w_tilde = w_tilde;
}

void store(const ConstraintParts& parts, nsmb::ConstraintKinematics& c) {
  const Index nb = c.g.size();
  const auto& [g, W, w_tilde, w_bar] = parts;
  nsmb::check_size("constraint g", g, nb);
  nsmb::check_shape("constraint W", W, c.W.rows(), nb);
  nsmb::check_size("constraint w_tilde", w_tilde, nb);
  nsmb::check_size("constraint w_bar", w_bar, nb);
  c.g = g;
  c.W = W;
  c.w_tilde = w_tilde;
  c.w_bar = w_bar;
}

using Inputs = std::optional<Vector>;

// Return a workspace with these inputs, or the given inputs if there are none.
std::unique_ptr<nsmb::SystemWorkspace> workspace(const nsmb::System& s, const Inputs& inputs) {
  auto work = s.workspace();
  if (!inputs) return work;
  nsmb::check_size("inputs", *inputs, s.ni());
  work->set_inputs(*inputs);
  return work;
}

// Return which slots have a contact point, as at the start of a run at (t, q, u).
py::array_t<bool> valid_slots(const nsmb::System& s, double t, const Vector& q, const Vector& u,
                              const Inputs& inputs) {
  nsmb::Mechanics mechanics(s);
  if (inputs) mechanics.set_inputs(*inputs);
  Vector y = Vector::Zero(s.ny());
  y.head(s.nq()) = q;
  y.segment(s.nq(), s.nu()) = u;
  const nsmb::ContactStates open(static_cast<std::size_t>(s.nc()));
  mechanics.find_features(t, y, open, 0.0);
  py::array_t<bool> valid(s.nc());
  auto write = valid.mutable_unchecked<1>();
  for (Index i = 0; i < s.nc(); ++i) write(i) = mechanics.contacts.is_valid(i);
  return valid;
}

// Evaluate at the features found at (t, q), if the system has a feature search.
py::dict contact_kinematics(const nsmb::System& s, double t, const Vector& q, const Vector& u,
                            const Inputs& inputs, const std::optional<Vector>& x) {
  ContactKinematics c(s.nu(), s.rows());
  const auto work = workspace(s, inputs);
  const nsmb::FeatureSearch* search = s.feature_search();
  if (search) search->find_features(t, q, c.features, *work);
  s.contact_kinematics(t, q, u, c, *work);
  if (const nsmb::StateBounds* bounds = s.state_bounds()) {
    if (!x) nsmb::reject("x", "the states, because bounds of friction depend on them", "none");
    nsmb::check_size("x", *x, s.nx_own());
    bounds->friction_bounds(t, q, u, *x, c.bound, *work);
  }
  py::dict d("g_N"_a = c.g_N, "W_N"_a = c.W_N, "W_T"_a = c.W_T, "w_tilde_N"_a = c.w_tilde_N,
             "w_tilde_T"_a = c.w_tilde_T, "w_bar_N"_a = c.w_bar_N, "w_bar_T"_a = c.w_bar_T,
             "bound"_a = c.bound);
  if (!search) return d;
  Matrix features(s.nc(), 2), sigma(s.nc(), 2);
  for (Index i = 0; i < s.nc(); ++i) {
    const nsmb::ContactFeature& slot = c.features.slots[static_cast<std::size_t>(i)];
    features.row(i) << static_cast<double>(slot.first), static_cast<double>(slot.second);
    sigma.row(i) << slot.sigma_1, slot.sigma_2;
  }
  d["features"] = features.cast<int>().eval();
  d["sigma"] = sigma;
  d["domain"] = c.domain;
  d["margin"] = c.margin;
  d["valid"] = valid_slots(s, t, q, u, inputs);
  return d;
}

using StateFunction =
    std::function<Vector(double, const Vector&, const Vector&, const Vector&, const Vector&)>;

std::shared_ptr<nsmb::CallbackSystem> make_callback_system(
    nsmb::SystemDescription description, std::function<Matrix(double, const Vector&)> mass_matrix,
    StateFunction forces,
    const std::function<ContactParts(double, const Vector&, const Vector&)>& contacts,
    const std::function<ConstraintParts(double, const Vector&, const Vector&)>& constraints,
    StateFunction state_rates, const std::function<ElementParts(double, const Vector&)>& elements,
    std::function<Vector(double, const Vector&, const Vector&)> coordinate_rates,
    std::function<double(double, const Vector&)> potential_energy, bool constant_mass_matrix) {
  nsmb::SystemFunctions functions;
  functions.mass_matrix = told(std::move(mass_matrix));
  functions.forces = told(std::move(forces));
  functions.contacts = [contacts = told(contacts)](double t, const Vector& q, const Vector& u,
                                                   ContactKinematics& c) {
    store(contacts(t, q, u), c);
  };
  if (constraints) {
    functions.constraints = [constraints = told(constraints)](
                                double t, const Vector& q, const Vector& u,
                                nsmb::ConstraintKinematics& c) { store(constraints(t, q, u), c); };
  }
  functions.state_rates = told(std::move(state_rates));
  functions.elements = [elements = told(elements)](double t, const Vector& q,
                                                   nsmb::ElementKinematics& e) {
    store(elements(t, q), e);
  };
  functions.coordinate_rates = told(std::move(coordinate_rates));
  functions.potential_energy = told(std::move(potential_energy));
  return std::make_shared<nsmb::CallbackSystem>(std::move(description), std::move(functions),
                                                constant_mass_matrix);
}

void check_state(const nsmb::System& s, const Vector& q, const Vector* u) {
  nsmb::check_size("q", q, s.nq());
  if (u) nsmb::check_size("u", *u, s.nu());
}

}  // namespace

void bind_system(py::module_& m) {
  using nsmb::System;

  bind_no_value(m);

  py::class_<nsmb::FrictionCurve, std::shared_ptr<nsmb::FrictionCurve>>(m, "FrictionCurve")
      .def("coefficient", &nsmb::FrictionCurve::coefficient, "speed"_a);
  py::class_<nsmb::StribeckCurve, nsmb::FrictionCurve, std::shared_ptr<nsmb::StribeckCurve>>(
      m, "StribeckCurve")
      .def(py::init<double, double, double, double, double>(), "mu_0"_a, "mu_d"_a, "v_s"_a,
           "delta"_a, "k"_a);
  py::class_<nsmb::CubicCurve, nsmb::FrictionCurve, std::shared_ptr<nsmb::CubicCurve>>(m,
                                                                                       "CubicCurve")
      .def(py::init<std::vector<double>, std::vector<double>>(), "speeds"_a, "coefficients"_a);

  py::class_<nsmb::UnilateralContact>(m, "UnilateralContact")
      .def(py::init([](double mu, double e_N, double e_T, double nu, double aspect,
                       std::shared_ptr<nsmb::FrictionCurve> curve, double mu_R, double mu_D) {
             return nsmb::UnilateralContact{mu, e_N, e_T, nu, aspect, mu_R, mu_D, std::move(curve)};
           }),
           "mu"_a, "e_N"_a, "e_T"_a, "nu"_a, "aspect"_a = 1.0, "curve"_a = nullptr, "mu_R"_a = 0.0,
           "mu_D"_a = 0.0)
      .def_readonly("mu", &nsmb::UnilateralContact::mu)
      .def_readonly("e_N", &nsmb::UnilateralContact::e_N)
      .def_readonly("e_T", &nsmb::UnilateralContact::e_T)
      .def_readonly("nu", &nsmb::UnilateralContact::nu);

  py::enum_<nsmb::ContactKind>(m, "ContactKind")
      .value("Unilateral", nsmb::ContactKind::Unilateral)
      .value("Friction", nsmb::ContactKind::Friction);
  py::class_<nsmb::ContactDescription>(m, "ContactDescription")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law, nsmb::ContactKind kind,
                       Index tangents, Index normal, bool bounded) {
             return nsmb::ContactDescription{std::move(name), law, kind, tangents, normal, bounded};
           }),
           "name"_a, "law"_a, "kind"_a = nsmb::ContactKind::Unilateral, "tangents"_a = 1,
           "normal"_a = -1, "bounded"_a = true)
      .def_readonly("law", &nsmb::ContactDescription::law)
      .def_readonly("kind", &nsmb::ContactDescription::kind)
      .def_readonly("normal", &nsmb::ContactDescription::normal);

  py::enum_<nsmb::ElementLaw>(m, "ElementLaw")
      .value("ElasticGap", nsmb::ElementLaw::ElasticGap)
      .value("GapDamper", nsmb::ElementLaw::GapDamper)
      .value("Clipped", nsmb::ElementLaw::Clipped)
      .value("RelaxingWall", nsmb::ElementLaw::RelaxingWall)
      .value("Watched", nsmb::ElementLaw::Watched);
  py::enum_<nsmb::ElementMode>(m, "ElementMode")
      .value("Open", nsmb::ElementMode::Open)
      .value("Closed", nsmb::ElementMode::Closed);
  py::class_<nsmb::ForceElementDescription>(m, "ForceElementDescription")
      .def(py::init([](std::string name, nsmb::ElementLaw law, double c, double d) {
             return nsmb::ForceElementDescription{std::move(name), law, c, d};
           }),
           "name"_a, "law"_a, "c"_a, "d"_a)
      .def_readonly("name", &nsmb::ForceElementDescription::name)
      .def_readonly("law", &nsmb::ForceElementDescription::law)
      .def_readonly("c", &nsmb::ForceElementDescription::c)
      .def_readonly("d", &nsmb::ForceElementDescription::d)
      .def_static(
          "watched",
          [](std::string name, double resolution, Index state) {
            return nsmb::ForceElementDescription{
                std::move(name), nsmb::ElementLaw::Watched, 0.0, 0.0, resolution, state};
          },
          "name"_a, "resolution"_a, "state"_a);

  py::class_<nsmb::Discontinuities>(m, "Discontinuities")
      .def(py::init(&make_discontinuities), "times"_a, "repetitions"_a)
      .def(
          "next", [](const nsmb::Discontinuities& d, double t) { return d.next(t).t; }, "t"_a)
      .def("last", [](const nsmb::Discontinuities& d, double t) { return d.last(t).t; }, "t"_a);
  py::class_<nsmb::InputDescription>(m, "InputDescription")
      .def(py::init([](std::string name, double value) {
             return nsmb::InputDescription{std::move(name), value};
           }),
           "name"_a, "value"_a);
  py::class_<nsmb::SystemDescription>(m, "SystemDescription")
      .def(py::init([](std::vector<std::string> coordinates, Index nu,
                       std::vector<nsmb::ContactDescription> contacts,
                       std::vector<std::string> states,
                       std::vector<nsmb::ForceElementDescription> elements,
                       std::vector<std::string> constraints, nsmb::Discontinuities discontinuities,
                       std::vector<nsmb::InputDescription> inputs) {
             return nsmb::SystemDescription{std::move(coordinates),     nu,
                                            std::move(contacts),        std::move(states),
                                            std::move(elements),        std::move(constraints),
                                            std::move(discontinuities), std::move(inputs)};
           }),
           "coordinates"_a, "nu"_a, "contacts"_a, "states"_a, "elements"_a,
           "constraints"_a = std::vector<std::string>{},
           "discontinuities"_a = nsmb::Discontinuities(),
           "inputs"_a = std::vector<nsmb::InputDescription>{});

  py::class_<System, std::shared_ptr<System>>(m, "System")
      .def_property_readonly("nq", &System::nq)
      .def_property_readonly("nu", &System::nu)
      .def_property_readonly("nc", &System::nc)
      .def_property_readonly("nt", &System::nt)
      .def_property_readonly("nx", &System::nx)
      .def_property_readonly("nx_own", &System::nx_own)
      .def_property_readonly("ne", &System::ne)
      .def_property_readonly("states", &System::states)
      .def_property_readonly("constraints", &System::constraints)
      .def_property_readonly("has_state_bounds", &can<&System::state_bounds>)
      .def_property_readonly("finds_contacts", &can<&System::contact_finder>)
      .def_property_readonly("shape_names",
                             [](const System& s) {
                               const nsmb::ContactFinder* finder = s.contact_finder();
                               return finder ? finder->shape_names() : std::vector<std::string>{};
                             })
      .def_property_readonly("has_features", &can<&System::feature_search>)
      .def_property_readonly("inputs",
                             [](const System& s) {
                               std::vector<std::pair<std::string, double>> inputs;
                               for (const auto& i : s.inputs())
                                 inputs.emplace_back(i.name, i.value);
                               return inputs;
                             })
      .def_property_readonly("elements", &System::elements)
      .def_property_readonly("discontinuities", &System::discontinuities)
      .def_property_readonly("tangents",
                             [](const System& s) {
                               std::vector<Index> tangents;
                               for (Index i = 0; i < s.nc(); ++i) {
                                 tangents.push_back(s.rows().dim(i));
                               }
                               return tangents;
                             })
      // Cliques of each velocity and of each contact; None if unknown.
      .def_property_readonly("cliques",
                             [](const System& s) -> py::object {
                               if (!s.cliques()) return py::none();
                               std::vector<Index> of_velocity;
                               std::vector<std::vector<Index>> of_contact;
                               for (Index k = 0; k < s.nu(); ++k)
                                 of_velocity.push_back(s.cliques()->of_velocity(k));
                               for (Index i = 0; i < s.nc(); ++i)
                                 of_contact.push_back(s.cliques()->of_contact(i));
                               return py::make_tuple(of_velocity, of_contact);
                             })
      .def_property_readonly("is_linear", &can<&System::linear_form>)
      .def(
          "mass_matrix",
          [](const System& s, double t, const Vector& q, const Inputs& inputs) {
            check_state(s, q, nullptr);
            Matrix M(s.nu(), s.nu());
            s.mass_matrix(t, q, M, *workspace(s, inputs));
            return M;
          },
          "t"_a, "q"_a, "inputs"_a = py::none())
      .def(
          "forces",
          [](const System& s, double t, const Vector& q, const Vector& u, const Vector& x,
             const Inputs& inputs) {
            check_state(s, q, &u);
            nsmb::check_size("x", x, s.nx_own());
            Vector h(s.nu());
            s.forces(t, q, u, x, h, *workspace(s, inputs));
            return h;
          },
          "t"_a, "q"_a, "u"_a, "x"_a = Vector(), "inputs"_a = py::none())
      .def("rate_pattern",
           [](const nsmb::System& s) {
             const nsmb::InternalStates* states = s.internal_states();
             nsmb::SparsityPattern pattern;
             if (states) pattern = states->rate_pattern();
             return std::pair{std::move(pattern.begin), std::move(pattern.rows)};
           })
      .def(
          "state_rates",
          [](const System& s, double t, const Vector& q, const Vector& u, const Vector& x) {
            check_state(s, q, &u);
            nsmb::check_size("x", x, s.nx_own());
            Vector xdot = Vector::Zero(s.nx_own());
            const nsmb::InternalStates* states = s.internal_states();
            if (states) states->state_rates(t, q, u, x, xdot, *s.workspace());
            return xdot;
          },
          "t"_a, "q"_a, "u"_a, "x"_a)
      .def(
          "element_kinematics",
          [](const System& s, double t, const Vector& q) {
            check_state(s, q, nullptr);
            nsmb::ElementKinematics e(s.nu(), s.ne());
            if (s.element_set()) s.element_set()->element_kinematics(t, q, e, *s.workspace());
            return py::dict("gamma"_a = e.gamma, "W"_a = e.W, "w_tilde"_a = e.w_tilde);
          },
          "t"_a, "q"_a)
      .def(
          "coordinate_rates",
          [](const System& s, double t, const Vector& q, const Vector& u) {
            check_state(s, q, &u);
            Vector qdot(s.nq());
            s.coordinate_rates(t, q, u, qdot, *s.workspace());
            return qdot;
          },
          "t"_a, "q"_a, "u"_a)
      .def(
          "contact_kinematics",
          [](const System& s, double t, const Vector& q, const Vector& u, const Inputs& inputs,
             const std::optional<Vector>& x) {
            check_state(s, q, &u);
            return contact_kinematics(s, t, q, u, inputs, x);
          },
          "t"_a, "q"_a, "u"_a, "inputs"_a = py::none(), "x"_a = py::none())
      .def(
          "constraint_kinematics",
          [](const System& s, double t, const Vector& q, const Vector& u) {
            check_state(s, q, &u);
            nsmb::ConstraintKinematics c(s.nu(), s.nb());
            const nsmb::ConstraintSet* constraints = s.constraint_set();
            if (constraints) constraints->constraint_kinematics(t, q, u, c, *s.workspace());
            return py::dict("g"_a = c.g, "W"_a = c.W, "w_tilde"_a = c.w_tilde, "w_bar"_a = c.w_bar);
          },
          "t"_a, "q"_a, "u"_a)
      .def("equations", &equations, "t"_a, "y"_a)
      .def_property_readonly("has_jacobians", &can<&System::derivatives>)
      .def(
          "jacobians",
          [](const System& s, double t, const Vector& q, const Vector& u, const Vector& x,
             const Vector& udot, const Vector& lambda_N, const Vector& lambda_T, const Vector& zeta,
             const Vector& lambda_B, const Matrix& features) {
            if (!s.derivatives()) nsmb::reject("jacobians", "a system with Jacobians", "none");
            check_state(s, q, &u);
            nsmb::check_size("x", x, s.nx_own());
            nsmb::check_size("udot", udot, s.nu());
            nsmb::check_size("lambda_N", lambda_N, s.nc());
            nsmb::check_size("lambda_T", lambda_T, s.nt());
            nsmb::check_size("zeta", zeta, s.ne());
            nsmb::check_size("lambda_B", lambda_B, s.nb());
            nsmb::Jacobians J(s);
            nsmb::GivenForces forces(s);
            forces.udot = udot;
            forces.lambda_N = lambda_N;
            forces.lambda_T = lambda_T;
            forces.zeta = zeta;
            forces.lambda_B = lambda_B;
            const auto work = s.workspace();
            ContactKinematics c(s.nu(), s.rows());
            if (features.size() > 0) {
              nsmb::check_shape("features", features, s.nc(), 4);
              for (Index i = 0; i < s.nc(); ++i) {
                c.features.slots[static_cast<std::size_t>(i)] = {static_cast<Index>(features(i, 0)),
                                                                 static_cast<Index>(features(i, 1)),
                                                                 features(i, 2), features(i, 3)};
              }
            } else if (s.feature_search()) {
              s.feature_search()->find_features(t, q, c.features, *work);
            }
            s.contact_kinematics(t, q, u, c, *work);
            s.derivatives()->jacobians(t, q, u, x, forces, J, *work);
            return py::dict("residual"_a = J.residual, "gammadot"_a = J.gammadot,
                            "element"_a = J.element, "qdot"_a = J.qdot, "xdot"_a = J.xdot);
          },
          "t"_a, "q"_a, "u"_a, "x"_a, "udot"_a, "lambda_N"_a, "lambda_T"_a, "zeta"_a, "lambda_B"_a,
          "features"_a = Matrix())
      .def(
          "potential_energy",
          [](const System& s, double t, const Vector& q) {
            check_state(s, q, nullptr);
            return s.potential_energy(t, q, *s.workspace());
          },
          "t"_a, "q"_a);

  py::class_<nsmb::CallbackSystem, System, std::shared_ptr<nsmb::CallbackSystem>>(m,
                                                                                  "CallbackSystem")
      .def(py::init(&make_callback_system), "description"_a, "mass_matrix"_a, "forces"_a,
           "contacts"_a, "constraints"_a = py::none(), "state_rates"_a = py::none(),
           "elements"_a = py::none(), "coordinate_rates"_a = py::none(),
           "potential_energy"_a = py::none(), "constant_mass_matrix"_a = false);

  bind_linear_system(m);
  bind_compiled_system(m);
}
