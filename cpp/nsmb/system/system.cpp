#include "nsmb/system/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "nsmb/core/check.hpp"
#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/coordinate_map.hpp"
#include "nsmb/system/jacobians.hpp"

namespace nsmb {

namespace {

void check_names(std::string_view argument, const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) reject(argument, "names that are not empty", "''");
    if (!seen.insert(name).second) reject(argument, "unique names", "'" + name + "' twice");
  }
}

void check_contact(const ContactDescription& contact,
                   const std::vector<ContactDescription>& contacts) {
  check_law(contact.name, contact.law);
  const std::string prefix = "contact '" + contact.name + "': ";
  if (contact.tangents != 1 && contact.tangents != 2) {
    reject(prefix + "tangents", "1 or 2", std::to_string(contact.tangents));
  }
  if (contact.kind == ContactKind::Unilateral || contact.normal == -1) return;
  const bool exists =
      contact.normal >= 0 && contact.normal < static_cast<Index>(contacts.size()) &&
      contacts[static_cast<std::size_t>(contact.normal)].kind == ContactKind::Unilateral;
  if (!exists) {
    reject(prefix + "normal", "a unilateral contact of the system", std::to_string(contact.normal));
  }
}

}  // namespace

void check_law(const std::string& contact, const UnilateralContact& law) {
  const std::string prefix = "contact '" + contact + "': ";
  check_finite(prefix + "mu", law.mu);
  check_range(prefix + "mu", law.mu, 0.0, std::numeric_limits<double>::infinity());
  for (const auto& [name, value] : {std::pair{"mu_R", law.mu_R}, std::pair{"mu_D", law.mu_D}}) {
    check_finite(prefix + name, value);
    check_range(prefix + name, value, 0.0, std::numeric_limits<double>::infinity());
  }
  check_range(prefix + "e_N", law.e_N, 0.0, 1.0);
  check_range(prefix + "e_T", law.e_T, 0.0, 1.0);
  check_range(prefix + "nu", law.nu, 0.0, 1.0);
  check_positive(prefix + "aspect", law.aspect);
  check_finite(prefix + "aspect", law.aspect);
  if (law.curve && std::abs(law.curve->coefficient(0.0) - law.mu) > 1e-12 * (1.0 + law.mu)) {
    reject(prefix + "mu", "the coefficient at rest " + to_text(law.curve->coefficient(0.0)),
           to_text(law.mu));
  }
}

ContactRows::ContactRows(const std::vector<ContactDescription>& contacts)
    : nc(static_cast<Index>(contacts.size())) {
  first.push_back(0);
  for (const ContactDescription& contact : contacts) {
    const bool is_unilateral_contact = contact.kind == ContactKind::Unilateral;
    normal.push_back(is_unilateral_contact ? static_cast<Index>(unilateral.size())
                                           : contact.normal);
    unilateral.push_back(is_unilateral_contact);
    required.push_back(is_unilateral_contact || contact.bounded ? -1 : contact.normal);
    first.push_back(first.back() + contact.tangents);
    spatial = spatial || contact.tangents > 1;
  }
  nt = first.back();
  rubbing.resize(contacts.size());
  for (Index i = 0; i < nc; ++i) {
    if (normal_of(i) >= 0) rubbing[at(normal_of(i))].push_back(i);
  }
}

ContactRows ContactRows::planar(Index nc) {
  return ContactRows(std::vector<ContactDescription>(static_cast<std::size_t>(nc)));
}

ContactKinematics::ContactKinematics(Index nu, const ContactRows& rows)
    : g_N(Vector::Zero(rows.nc)),
      W_N(Matrix::Zero(nu, rows.nc)),
      W_T(Matrix::Zero(nu, rows.nt)),
      w_tilde_N(Vector::Zero(rows.nc)),
      w_tilde_T(Vector::Zero(rows.nt)),
      w_bar_N(Vector::Zero(rows.nc)),
      w_bar_T(Vector::Zero(rows.nt)),
      bound(Vector::Zero(rows.nc)),
      domain(Vector::Constant(rows.nc, std::numeric_limits<double>::infinity())),
      margin(domain) {
  features.slots.resize(static_cast<std::size_t>(rows.nc));
}

ConstraintKinematics::ConstraintKinematics(Index nu, Index nb)
    : g(Vector::Zero(nb)),
      W(Matrix::Zero(nu, nb)),
      w_tilde(Vector::Zero(nb)),
      w_bar(Vector::Zero(nb)) {}

// Resistances need rows, which only a system that knows the rotation of its bodies has.
void System::check_resistances() const {
  for (Index i = 0; i < nc(); ++i) {
    const ContactDescription& contact = contacts()[at(i)];
    if (contact.law.mu_R == 0.0 && contact.law.mu_D == 0.0) continue;
    const bool has_rows = std::any_of(rows_.rubbing_under(i).begin(), rows_.rubbing_under(i).end(),
                                      [&](Index k) { return rows_.required_by(k) == i; });
    if (!has_rows) {
      reject("contact '" + contact.name + "': mu_R, mu_D",
             "0 for a contact that is not between bodies", "other values");
    }
  }
}

System::System(SystemDescription description, const Capabilities& capabilities)
    : description_(std::move(description)), can_(capabilities) {
  const SystemDescription& d = description_;
  if (d.coordinates.empty()) reject("coordinates", "at least one coordinate", "none");
  if (d.nu < 1) reject("nu", "at least one velocity", std::to_string(d.nu));
  check_names("coordinates", d.coordinates);
  std::vector<std::string> names;
  for (const ContactDescription& contact : d.contacts) {
    names.push_back(contact.name);
    check_contact(contact, d.contacts);
    has_curves_ = has_curves_ || contact.law.curve;
  }
  check_names("contacts", names);
  rows_ = ContactRows(d.contacts);
  check_resistances();
  states_ = d.states;
  names.clear();
  for (const ForceElementDescription& element : d.elements) {
    names.push_back(element.name);
    check_element(element);
    if (element.law == ElementLaw::Watched) {
      if (element.state < 0 || element.state >= nx_own()) {
        reject("force element '" + element.name + "': state", "a state of the system itself",
               std::to_string(element.state));
      }
    }
    walls_.push_back(has_wall(element.law) ? static_cast<Index>(states_.size()) : -1);
    if (has_wall(element.law)) states_.push_back(element.name + ".wall");
  }
  check_names("elements", names);
  check_names("states", states_);
  check_names("constraints", d.constraints);
  names.clear();
  for (const InputDescription& input : d.inputs) {
    names.push_back(input.name);
    check_finite("input '" + input.name + "'", input.value);
  }
  check_names("inputs", names);
  check_capabilities();
}

// Capabilities for items that are not listed are removed.
void System::check_capabilities() {
  const auto need = [](auto& capability, bool listed, std::string_view name,
                       const std::string& what) {
    if (!listed) {
      capability = nullptr;
    } else if (!capability) {
      reject(name, "an object, because there are " + what, "none");
    }
  };
  bool watches = false, acts = false;
  for (const ForceElementDescription& element : description_.elements) {
    (element.law == ElementLaw::Watched ? watches : acts) = true;
  }
  need(can_.internal_states, nx_own() > 0, "internal_states", "states");
  need(can_.element_set, acts, "element_set", "force elements");
  need(can_.watched_functions, watches, "watched_functions", "watched functions");
  if (nc() == 0 || nx_own() == 0) can_.state_bounds = nullptr;
  need(can_.constraint_set, nb() > 0, "constraint_set", "constraints");
  if (!can_.coordinate_map && nq() != nu()) {
    reject("coordinate_map", "an object, because nq != nu", "none");
  }
}

Vector System::given_inputs() const {
  Vector values(ni());
  for (Index k = 0; k < ni(); ++k) {
    values(k) = description_.inputs[static_cast<std::size_t>(k)].value;
  }
  return values;
}

std::unique_ptr<SystemWorkspace> System::workspace() const {
  std::unique_ptr<SystemWorkspace> work = make_workspace();
  work->set_inputs(given_inputs());
  return work;
}

void System::coordinate_rates(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                              VectorRef qdot, SystemWorkspace& work) const {
  if (can_.coordinate_map) return can_.coordinate_map->coordinate_rates(t, q, u, qdot, work);
  qdot = u;
}

bool System::normalise(VectorRef q) const {
  return can_.coordinate_map && can_.coordinate_map->normalise(q);
}

std::unique_ptr<SystemWorkspace> System::make_workspace() const {
  return std::make_unique<SystemWorkspace>();
}

double System::potential_energy(double /*t*/, const ConstVectorRef& /*q*/,
                                SystemWorkspace& /*work*/) const {
  return std::numeric_limits<double>::quiet_NaN();
}

std::string System::trouble(double /*t*/, const ConstVectorRef& /*q*/, const ConstVectorRef& /*u*/,
                            const ConstVectorRef& /*x*/, SystemWorkspace& /*work*/) const {
  return {};
}

std::string System::name_of_velocity(Index i) const {
  if (nq() != nu()) return "velocity " + std::to_string(i);
  return "'" + description_.coordinates[static_cast<std::size_t>(i)] + "'";
}

std::string below_limit(const std::string& name, double value) {
  return name + " is " + to_text(value) + ", but must be positive";
}

GivenForces::GivenForces(const System& s)
    : udot(Vector::Zero(s.nu())),
      lambda_N(Vector::Zero(s.nc())),
      lambda_T(Vector::Zero(s.nt())),
      zeta(Vector::Zero(s.ne())),
      lambda_B(Vector::Zero(s.nb())) {}

Jacobians::Jacobians(const System& s) {
  const Index n = s.nq() + s.nu() + s.nx_own();
  residual = Matrix::Zero(s.nu(), n);
  gammadot = Matrix::Zero(s.rows().size() + s.nb(), n);
  element = Matrix::Zero(2 * s.ne(), n);
  qdot = Matrix::Zero(s.nq(), n);
  xdot = Matrix::Zero(s.nx_own(), n);
}

}  // namespace nsmb
