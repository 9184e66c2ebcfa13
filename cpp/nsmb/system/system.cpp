#include "nsmb/system/system.hpp"

#include <limits>
#include <set>

#include "nsmb/core/check.hpp"

namespace nsmb {

namespace {

void check_names(std::string_view argument, const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) reject(argument, "names that are not empty", "''");
    if (!seen.insert(name).second) reject(argument, "unique names", "'" + name + "' twice");
  }
}

}  // namespace

void check_law(const std::string& contact, const UnilateralContact& law) {
  const std::string prefix = "contact '" + contact + "': ";
  check_finite(prefix + "mu", law.mu);
  check_range(prefix + "mu", law.mu, 0.0, std::numeric_limits<double>::infinity());
  check_range(prefix + "e_N", law.e_N, 0.0, 1.0);
  check_range(prefix + "e_T", law.e_T, 0.0, 1.0);
  check_range(prefix + "nu", law.nu, 0.0, 1.0);
}

ContactKinematics::ContactKinematics(Index nu, Index nc)
    : g_N(Vector::Zero(nc)),
      W_N(Matrix::Zero(nu, nc)),
      W_T(Matrix::Zero(nu, nc)),
      w_tilde_N(Vector::Zero(nc)),
      w_tilde_T(Vector::Zero(nc)),
      w_bar_N(Vector::Zero(nc)),
      w_bar_T(Vector::Zero(nc)) {}

System::System(std::vector<std::string> coordinates, Index nu,
               std::vector<ContactDescription> contacts)
    : coordinates_(std::move(coordinates)), nu_(nu), contacts_(std::move(contacts)) {
  if (coordinates_.empty()) reject("coordinates", "at least one coordinate", "none");
  if (nu_ < 1) reject("nu", "at least one velocity", std::to_string(nu_));
  check_names("coordinates", coordinates_);
  std::vector<std::string> names;
  for (const ContactDescription& contact : contacts_) {
    names.push_back(contact.name);
    check_law(contact.name, contact.law);
  }
  check_names("contacts", names);
}

void System::coordinate_rates(double /*t*/, const ConstVectorRef& /*q*/, const ConstVectorRef& u,
                              VectorRef qdot) const {
  qdot = u;
}

double System::potential_energy(double /*t*/, const ConstVectorRef& /*q*/) const {
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace nsmb
