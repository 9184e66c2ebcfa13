#include "bindings/bindings.hpp"
#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/core/check.hpp"

namespace {

using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

void check_rows(const Matrix& G, const Vector& normal, const Vector& tangential) {
  const Index nc = normal.size();
  nsmb::check_shape("G", G, 2 * nc, 2 * nc);
  nsmb::check_size("tangential vector", tangential, nc);
}

py::dict solve_impact(const Matrix& G, const Vector& gamma_N, const Vector& gamma_T,
                      const std::vector<nsmb::UnilateralContact>& laws,
                      const std::vector<Index>& participants, nsmb::ImpactLaw law) {
  check_rows(G, gamma_N, gamma_T);
  for (const Index i : participants) {
    if (i < 0 || i >= gamma_N.size()) {
      nsmb::reject("participants", "indices of contacts", std::to_string(i));
    }
  }
  if (static_cast<Index>(laws.size()) != gamma_N.size()) {
    nsmb::reject("laws", "one law per contact", std::to_string(laws.size()));
  }
  nsmb::ContactLcp lcp;
  nsmb::ImpactResult r(gamma_N.size());
  nsmb::solve_impact(law, {G, gamma_N, gamma_T, laws, participants}, lcp, r);
  return py::dict("status"_a = r.status, "residual"_a = r.residual,
                  "in_expansion"_a = r.in_expansion, "Lambda_NC"_a = r.Lambda_NC,
                  "Lambda_TC"_a = r.Lambda_TC, "Lambda_N"_a = r.Lambda_N, "Lambda_T"_a = r.Lambda_T,
                  "gamma_N"_a = r.gamma_N, "gamma_T"_a = r.gamma_T);
}

py::dict solve_acceleration(const Matrix& G, const Vector& free_N, const Vector& free_T,
                            const Vector& mu, const std::vector<nsmb::ContactRole>& roles) {
  check_rows(G, free_N, free_T);
  nsmb::check_size("mu", mu, free_N.size());
  if (static_cast<Index>(roles.size()) != free_N.size()) {
    nsmb::reject("roles", "one role per contact", std::to_string(roles.size()));
  }
  nsmb::ContactLcp lcp;
  nsmb::AccelerationResult r(free_N.size());
  nsmb::solve_acceleration_law({G, free_N, free_T, mu, roles}, lcp, r);
  return py::dict("status"_a = r.status, "residual"_a = r.residual, "lambda_N"_a = r.lambda_N,
                  "lambda_T"_a = r.lambda_T, "gammadot_N"_a = r.gammadot_N,
                  "gammadot_T"_a = r.gammadot_T);
}

}  // namespace

void bind_contact_laws(py::module_& m) {
  py::enum_<nsmb::ImpactLaw>(m, "ImpactLaw")
      .value("Poisson", nsmb::ImpactLaw::Poisson)
      .value("Newton", nsmb::ImpactLaw::Newton);
  py::enum_<nsmb::ContactRole>(m, "ContactRole")
      .value("Absent", nsmb::ContactRole::Absent)
      .value("Candidate", nsmb::ContactRole::Candidate)
      .value("SlidesPositive", nsmb::ContactRole::SlidesPositive)
      .value("SlidesNegative", nsmb::ContactRole::SlidesNegative)
      .value("Frictionless", nsmb::ContactRole::Frictionless);
  m.def("solve_impact", &solve_impact, "G"_a, "gamma_N"_a, "gamma_T"_a, "laws"_a, "participants"_a,
        "law"_a = nsmb::ImpactLaw::Poisson);
  m.def("solve_acceleration", &solve_acceleration, "G"_a, "free_N"_a, "free_T"_a, "mu"_a,
        "roles"_a);
}
