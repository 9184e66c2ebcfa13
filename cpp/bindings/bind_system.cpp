#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/system/callback_system.hpp"
#include "nsmb/system/linear_system.hpp"

namespace {

using nsmb::ContactKinematics;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

// A Python function t -> (nu) that adds to the force of a linear system.
std::function<void(double, nsmb::VectorRef)> user_force(const py::object& function) {
  if (function.is_none()) return {};
  return [f = function.cast<std::function<Vector(double)>>()](double t, nsmb::VectorRef h) {
    const Vector value = f(t);
    nsmb::check_size("force.user(t)", value, h.size());
    nsmb::check_finite("force.user(t)", value);
    h += value;
  };
}

nsmb::LinearForce make_force(Vector constant, Vector ramp,
                             const std::vector<nsmb::HarmonicForce>& harmonics,
                             const py::object& user) {
  return {std::move(constant), std::move(ramp), harmonics, user_force(user)};
}

// Parts of the contact kinematics in the order in which Python hands them over.
using ContactParts = std::tuple<Vector, Matrix, Matrix, Vector, Vector, Vector, Vector>;

void store(const ContactParts& parts, ContactKinematics& c) {
  const Index nc = c.g_N.size();
  const Index nu = c.W_N.rows();
  const auto& [g_N, W_N, W_T, w_tilde_N, w_tilde_T, w_bar_N, w_bar_T] = parts;
  nsmb::check_size("g_N", g_N, nc);
  nsmb::check_shape("W_N", W_N, nu, nc);
  nsmb::check_shape("W_T", W_T, nu, nc);
  nsmb::check_size("w_tilde_N", w_tilde_N, nc);
  nsmb::check_size("w_tilde_T", w_tilde_T, nc);
  nsmb::check_size("w_bar_N", w_bar_N, nc);
  nsmb::check_size("w_bar_T", w_bar_T, nc);
  c.g_N = g_N;
  c.W_N = W_N;
  c.W_T = W_T;
  c.w_tilde_N = w_tilde_N;
  c.w_tilde_T = w_tilde_T;
  c.w_bar_N = w_bar_N;
  c.w_bar_T = w_bar_T;
}

std::shared_ptr<nsmb::CallbackSystem> make_callback_system(
    std::vector<std::string> coordinates, Index nu,
    std::vector<nsmb::ContactDescription> contact_descriptions,
    std::function<Matrix(double, const Vector&)> mass_matrix,
    std::function<Vector(double, const Vector&, const Vector&)> forces,
    const std::function<ContactParts(double, const Vector&, const Vector&)>& contacts,
    std::function<Vector(double, const Vector&, const Vector&)> coordinate_rates,
    std::function<double(double, const Vector&)> potential_energy, bool constant_mass_matrix) {
  nsmb::SystemFunctions functions;
  functions.mass_matrix = std::move(mass_matrix);
  functions.forces = std::move(forces);
  functions.contacts = [contacts](double t, const Vector& q, const Vector& u,
                                  ContactKinematics& c) { store(contacts(t, q, u), c); };
  functions.coordinate_rates = std::move(coordinate_rates);
  functions.potential_energy = std::move(potential_energy);
  return std::make_shared<nsmb::CallbackSystem>(std::move(coordinates), nu,
                                                std::move(contact_descriptions),
                                                std::move(functions), constant_mass_matrix);
}

void check_state(const nsmb::System& s, const Vector& q, const Vector* u) {
  nsmb::check_size("q", q, s.nq());
  if (u) nsmb::check_size("u", *u, s.nu());
}

}  // namespace

void bind_system(py::module_& m) {
  using nsmb::System;

  py::class_<nsmb::UnilateralContact>(m, "UnilateralContact")
      .def(py::init([](double mu, double e_N, double e_T, double nu) {
             return nsmb::UnilateralContact{mu, e_N, e_T, nu};
           }),
           "mu"_a, "e_N"_a, "e_T"_a, "nu"_a)
      .def_readonly("mu", &nsmb::UnilateralContact::mu)
      .def_readonly("e_N", &nsmb::UnilateralContact::e_N)
      .def_readonly("e_T", &nsmb::UnilateralContact::e_T)
      .def_readonly("nu", &nsmb::UnilateralContact::nu);

  py::class_<nsmb::ContactDescription>(m, "ContactDescription")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law) {
             return nsmb::ContactDescription{std::move(name), law};
           }),
           "name"_a, "law"_a);

  py::class_<nsmb::HarmonicForce>(m, "HarmonicForce")
      .def(py::init([](Vector cosine, Vector sine, double omega) {
             return nsmb::HarmonicForce{std::move(cosine), std::move(sine), omega};
           }),
           "cosine"_a, "sine"_a, "omega"_a);

  py::class_<nsmb::LinearForce>(m, "LinearForce")
      .def(py::init(&make_force), "constant"_a, "ramp"_a, "harmonics"_a, "user"_a);

  py::class_<nsmb::LinearContact>(m, "LinearContact")
      .def(py::init([](std::string name, Vector w_N, Vector w_T, double gap, double w_tilde_N,
                       double w_tilde_T, const nsmb::UnilateralContact& law) {
             return nsmb::LinearContact{
                 std::move(name), std::move(w_N), std::move(w_T), gap, w_tilde_N, w_tilde_T, law};
           }),
           "name"_a, "w_N"_a, "w_T"_a, "gap"_a, "w_tilde_N"_a, "w_tilde_T"_a, "law"_a);

  py::class_<System, std::shared_ptr<System>>(m, "System")
      .def_property_readonly("nq", &System::nq)
      .def_property_readonly("nu", &System::nu)
      .def_property_readonly("nc", &System::nc)
      .def_property_readonly("is_linear",
                             [](const System& s) { return s.linear_form() != nullptr; })
      .def(
          "mass_matrix",
          [](const System& s, double t, const Vector& q) {
            check_state(s, q, nullptr);
            Matrix M(s.nu(), s.nu());
            s.mass_matrix(t, q, M);
            return M;
          },
          "t"_a, "q"_a)
      .def(
          "forces",
          [](const System& s, double t, const Vector& q, const Vector& u) {
            check_state(s, q, &u);
            Vector h(s.nu());
            s.forces(t, q, u, h);
            return h;
          },
          "t"_a, "q"_a, "u"_a)
      .def(
          "coordinate_rates",
          [](const System& s, double t, const Vector& q, const Vector& u) {
            check_state(s, q, &u);
            Vector qdot(s.nq());
            s.coordinate_rates(t, q, u, qdot);
            return qdot;
          },
          "t"_a, "q"_a, "u"_a)
      .def(
          "contact_kinematics",
          [](const System& s, double t, const Vector& q, const Vector& u) {
            check_state(s, q, &u);
            ContactKinematics c(s.nu(), s.nc());
            s.contact_kinematics(t, q, u, c);
            return py::dict("g_N"_a = c.g_N, "W_N"_a = c.W_N, "W_T"_a = c.W_T,
                            "w_tilde_N"_a = c.w_tilde_N, "w_tilde_T"_a = c.w_tilde_T,
                            "w_bar_N"_a = c.w_bar_N, "w_bar_T"_a = c.w_bar_T);
          },
          "t"_a, "q"_a, "u"_a)
      .def(
          "potential_energy",
          [](const System& s, double t, const Vector& q) {
            check_state(s, q, nullptr);
            return s.potential_energy(t, q);
          },
          "t"_a, "q"_a);

  py::class_<nsmb::LinearSystem, System, std::shared_ptr<nsmb::LinearSystem>>(m, "LinearSystem")
      .def(py::init([](std::vector<std::string> coordinates, const Matrix& M, const Matrix& K,
                       const Matrix& D, const nsmb::LinearForce& force,
                       const std::vector<nsmb::LinearContact>& contacts) {
             return std::make_shared<nsmb::LinearSystem>(std::move(coordinates), M, K, D, force,
                                                         contacts);
           }),
           "coordinates"_a, "M"_a, "K"_a, "D"_a, "force"_a, "contacts"_a);

  py::class_<nsmb::CallbackSystem, System, std::shared_ptr<nsmb::CallbackSystem>>(m,
                                                                                  "CallbackSystem")
      .def(py::init(&make_callback_system), "coordinates"_a, "nu"_a, "contact_descriptions"_a,
           "mass_matrix"_a, "forces"_a, "contacts"_a, "coordinate_rates"_a = py::none(),
           "potential_energy"_a = py::none(), "constant_mass_matrix"_a = false);
}
