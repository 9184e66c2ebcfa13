#include "nsmb/system/linear_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "nsmb/core/check.hpp"
#include "nsmb/core/small_products.hpp"

namespace nsmb {

namespace {

SystemDescription describe(std::vector<std::string> coordinates, Index nu,
                           const std::vector<LinearContact>& contacts,
                           const std::vector<LinearForceElement>& elements,
                           const ForcePieces& pieces, const Discontinuities& discontinuities,
                           std::vector<std::string> states, std::vector<InputDescription> inputs) {
  SystemDescription d{std::move(coordinates), nu, {}, std::move(states)};
  d.inputs = std::move(inputs);
  d.discontinuities =
      Discontinuities({pieces.ends.data(), pieces.ends.data() + pieces.ends.size()}, {});
  d.discontinuities.append(discontinuities);
  for (const LinearContact& c : contacts) {
    d.contacts.push_back({c.name, c.law, c.kind, c.w_T.cols(), c.normal, c.bound != 0.0});
  }
  for (const LinearForceElement& element : elements) d.elements.push_back(element.law);
  return d;
}

void check_square(std::string_view argument, const ConstMatrixRef& value, Index n) {
  check_shape(argument, value, n, n);
  check_finite(argument, value);
}

void check_vector(const std::string& argument, const ConstVectorRef& value, Index n) {
  check_size(argument, value, n);
  check_finite(argument, value);
}

void check_pieces(const std::string& name, const ForcePieces& pieces, Index n) {
  const Index k = pieces.ends.size();
  if (k == 0) return;
  check_finite(name + ".pieces: ends", pieces.ends);
  for (Index i = 1; i < k; ++i) {
    if (pieces.ends(i) > pieces.ends(i - 1)) continue;
    reject(name + ".pieces: ends", "ascending times", to_text(pieces.ends(i)));
  }
  check_shape(name + ".pieces: constant", pieces.constant, n, k + 1);
  check_shape(name + ".pieces: ramp", pieces.ramp, n, k + 1);
  check_finite(name + ".pieces: constant", pieces.constant);
  check_finite(name + ".pieces: ramp", pieces.ramp);
}

// A force without inputs has no columns for them, or zeros.
void check_force(const std::string& name, const LinearForce& force, Index n, Index ni) {
  check_vector(name + ".constant", force.constant, n);
  check_vector(name + ".ramp", force.ramp, n);
  for (const HarmonicForce& harmonic : force.harmonics) {
    check_vector(name + ".harmonics: cosine", harmonic.cosine, n);
    check_vector(name + ".harmonics: sine", harmonic.sine, n);
    check_positive(name + ".harmonics: omega", harmonic.omega);
  }
  check_pieces(name, force.pieces, n);
  if (force.inputs.size() == 0) return;
  check_shape(name + ".inputs", force.inputs, n, ni);
  check_finite(name + ".inputs", force.inputs);
}

// Without states the matrices have no rows or columns, regardless of the arguments.
void check_states(LinearStates& states, const LinearForce& force, Index n, Index ni) {
  const Index nx = static_cast<Index>(states.names.size());
  if (nx == 0) {
    states = {{}, Matrix(0, 0), Matrix(0, n), Matrix(0, n), Matrix(n, 0), {}};
    states.drive.constant = states.drive.ramp = Vector(0);
    return;
  }
  check_square("states.A", states.A, nx);
  for (const auto& [name, matrix] : {std::pair("states.Q", &states.Q), {"states.U", &states.U}}) {
    check_shape(name, *matrix, nx, n);
    check_finite(name, *matrix);
  }
  check_shape("states.C", states.C, n, nx);
  check_finite("states.C", states.C);
  check_force("states.drive", states.drive, nx, ni);
  const Vector& ends = states.drive.pieces.ends;
  const bool alike = ends.size() == force.pieces.ends.size() && ends == force.pieces.ends;
  if (!alike)
    reject("states.drive.pieces", "the same ends as the pieces of the force", "different ends");
  if (states.drive.user) reject("states.drive", "no function", "one");
}

bool is_linear(const LinearForce& force, const std::vector<LinearContact>& contacts,
               const std::vector<LinearForceElement>& elements) {
  const auto bends = [](const LinearContact& c) { return c.law.curve || c.w_T.cols() > 1; };
  return !force.user && elements.empty() && std::none_of(contacts.begin(), contacts.end(), bends);
}

// Evaluate f(t) with inputs v.
void evaluate(const LinearForce& force, double t, const Vector& v, VectorRef f) {
  f = force.constant + force.ramp * t;
  for (const HarmonicForce& harmonic : force.harmonics) {
    f += harmonic.cosine * std::cos(harmonic.omega * t) +
         harmonic.sine * std::sin(harmonic.omega * t);
  }
  if (const ForcePieces& pieces = force.pieces; pieces.ends.size() > 0) {
    const Index k = pieces.at(t);
    f += pieces.constant.col(k) + pieces.ramp.col(k) * t;
  }
  if (force.user) force.user(t, f);
  for (Index k = 0; k < force.inputs.cols(); ++k) f += force.inputs.col(k) * v(k);
}

}  // namespace

Index ForcePieces::at(double t) const {
  return std::upper_bound(ends.data(), ends.data() + ends.size(), t) - ends.data();
}

LinearSystem::LinearSystem(std::vector<std::string> coordinates, const ConstMatrixRef& M,
                           const ConstMatrixRef& K, const ConstMatrixRef& D, LinearForce force,
                           const std::vector<LinearContact>& contacts,
                           const std::vector<LinearForceElement>& elements,
                           const Discontinuities& discontinuities, LinearStates states,
                           std::vector<InputDescription> inputs)
    : System(describe(std::move(coordinates), M.rows(), contacts, elements, force.pieces,
                      discontinuities, states.names, std::move(inputs)),
             {.internal_states = this,
              .element_set = this,
              .division = this,
              .cliques = &cliques_,
              .linear_form = is_linear(force, contacts, elements) ? &form_ : nullptr}),
      elements_(elements) {
  const Index n = nq();
  check_shape("M", M, n, n);
  check_mass_matrix("M", M);
  check_square("K", K, n);
  check_square("D", D, n);
  check_force("force", force, n, ni());
  check_states(states, force, n, ni());
  form_ = {M,
           K,
           D,
           std::move(force),
           Matrix::Zero(n, nc()),
           Matrix::Zero(n, nt()),
           Vector::Zero(nc()),
           Vector::Zero(nc()),
           Vector::Zero(nt()),
           Vector::Zero(nc()),
           std::move(states)};
  for (Index i = 0; i < nc(); ++i) store(contacts[static_cast<std::size_t>(i)], i);
  find_cliques();
  for (const LinearForceElement& element : elements_) {
    const std::string prefix = "force element '" + element.law.name + "': ";
    check_vector(prefix + "w", element.w, n);
    check_finite(prefix + "gap", element.gap);
    check_finite(prefix + "w_tilde", element.w_tilde);
  }
  symmetric_stiffness_ =
      (K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-12 * K.cwiseAbs().maxCoeff();
}

void LinearSystem::store(const LinearContact& contact, Index i) {
  const std::string prefix = "contact '" + contact.name + "': ";
  const Index n = nq();
  const Index d = rows().dim(i);
  check_shape(prefix + "w_T", contact.w_T, n, d);
  check_finite(prefix + "w_T", contact.w_T);
  check_vector(prefix + "w_tilde_T", contact.w_tilde_T, d);
  form_.W_T.middleCols(rows().tangent(i), d) = contact.w_T;
  form_.w_tilde_T.segment(rows().tangent(i), d) = contact.w_tilde_T;
  if (!rows().is_unilateral(i)) {
    check_finite(prefix + "bound", contact.bound);
    check_range(prefix + "bound", contact.bound, 0.0, std::numeric_limits<double>::max());
    form_.bound(i) = contact.bound;
    return;
  }
  check_vector(prefix + "w_N", contact.w_N, n);
  check_finite(prefix + "gap", contact.gap);
  check_finite(prefix + "w_tilde_N", contact.w_tilde_N);
  if (contact.w_N.isZero(0.0)) reject(prefix + "w_N", "a direction that is not zero", "zeros");
  form_.W_N.col(i) = contact.w_N;
  form_.gap(i) = contact.gap;
  form_.w_tilde_N(i) = contact.w_tilde_N;
}

void LinearSystem::mass_matrix(double /*t*/, const ConstVectorRef& /*q*/, MatrixRef M,
                               SystemWorkspace& /*work*/) const {
  M = form_.M;
}

void LinearSystem::forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                          const ConstVectorRef& x, VectorRef h, SystemWorkspace& work) const {
  evaluate(form_.force, t, work.inputs(), h);
  subtract_product(form_.K, q, h);
  subtract_product(form_.D, u, h);
  if (x.size() > 0) h.noalias() += form_.states.C * x;
}

void LinearSystem::state_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                               const ConstVectorRef& x, VectorRef xdot,
                               SystemWorkspace& work) const {
  const LinearStates& states = form_.states;
  evaluate(states.drive, t, work.inputs(), xdot);
  xdot.noalias() += states.A * x;
  xdot.noalias() += states.Q * q;
  xdot.noalias() += states.U * u;
}

void LinearSystem::contact_kinematics(double t, const ConstVectorRef& q,
                                      const ConstVectorRef& /*u*/, ContactKinematics& contacts,
                                      SystemWorkspace& /*work*/) const {
  contacts.g_N = form_.gap + form_.w_tilde_N * t;
  add_transposed_product(form_.W_N, q, contacts.g_N);
  if (!contacts.has_directions) {
    contacts.W_N = form_.W_N;
    contacts.W_T = form_.W_T;
    contacts.has_directions = true;
  }
  contacts.w_tilde_N = form_.w_tilde_N;
  contacts.w_tilde_T = form_.w_tilde_T;
  contacts.w_bar_N.setZero();
  contacts.w_bar_T.setZero();
  contacts.bound = form_.bound;
}

void LinearSystem::element_kinematics(double t, const ConstVectorRef& q, ElementKinematics& e,
                                      SystemWorkspace& /*work*/) const {
  for (Index k = 0; k < ne(); ++k) {
    const LinearForceElement& element = elements_[static_cast<std::size_t>(k)];
    e.gamma(k) = element.w.dot(q) + element.gap + element.w_tilde * t;
    e.W.col(k) = element.w;
    e.w_tilde(k) = element.w_tilde;
  }
}

double LinearSystem::potential_energy(double /*t*/, const ConstVectorRef& q,
                                      SystemWorkspace& /*work*/) const {
  if (!symmetric_stiffness_) return std::numeric_limits<double>::quiet_NaN();
  return 0.5 * q.dot(form_.K * q) - form_.force.constant.dot(q);
}

}  // namespace nsmb
