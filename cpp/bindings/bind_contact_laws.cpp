#include "bindings/bindings.hpp"
#include "nsmb/contact_laws/acceleration_law.hpp"
#include "nsmb/contact_laws/impact.hpp"
#include "nsmb/core/check.hpp"

namespace {

using nsmb::ContactDescription;
using nsmb::ContactRows;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

// Descriptions are needed only for problems with contacts other than planar unilateral ones.
ContactRows rows_of(Index nc, const std::vector<ContactDescription>& contacts) {
  if (contacts.empty()) return ContactRows::planar(nc);
  if (static_cast<Index>(contacts.size()) != nc) {
    nsmb::reject("contacts", "one description per contact", std::to_string(contacts.size()));
  }
  for (const ContactDescription& c : contacts) {
    const bool exists = c.normal >= -1 && c.normal < nc &&
                        (c.normal < 0 || contacts[static_cast<std::size_t>(c.normal)].kind ==
                                             nsmb::ContactKind::Unilateral);
    if (!exists) nsmb::reject("normal", "a unilateral contact", std::to_string(c.normal));
  }
  return ContactRows(contacts);
}

void check_rows(const ContactRows& rows, const Matrix& G, const Vector& tangential) {
  nsmb::check_shape("G", G, rows.size(), rows.size());
  nsmb::check_size("tangential vector", tangential, rows.nt);
}

py::dict solve_impact(const Matrix& G, const Vector& gamma_N, const Vector& gamma_T,
                      const std::vector<nsmb::UnilateralContact>& laws,
                      const std::vector<Index>& participants, nsmb::ImpactLaw law,
                      const std::vector<ContactDescription>& contacts, bool without_collision,
                      const std::optional<Vector>& resolution, bool to_the_end) {
  const ContactRows rows = rows_of(gamma_N.size(), contacts);
  check_rows(rows, G, gamma_T);
  for (const Index i : participants) {
    if (i < 0 || i >= gamma_N.size() || !rows.is_unilateral(i)) {
      nsmb::reject("participants", "indices of unilateral contacts", std::to_string(i));
    }
  }
  if (static_cast<Index>(laws.size()) != gamma_N.size()) {
    nsmb::reject("laws", "one law per contact", std::to_string(laws.size()));
  }
  if (resolution) nsmb::check_size("resolution", *resolution, rows.size());
  const auto course = without_collision ? nsmb::ImpactCourse::WithoutCollision
                      : to_the_end      ? nsmb::ImpactCourse::ToTheEnd
                                        : nsmb::ImpactCourse::Collision;
  nsmb::ContactSolver solver;
  nsmb::ImpactResult r(rows);
  const nsmb::ImpactProblem problem{rows,    G,      gamma_N,
                                    gamma_T, laws,   participants,
                                    nullptr, course, resolution ? &*resolution : nullptr};
  nsmb::solve_impact(law, problem, solver, r);
  const nsmb::Vector rest_N = nsmb::Vector::Zero(rows.nc), rest_T = nsmb::Vector::Zero(rows.nt);
  nsmb::EnergyBook book(rows);
  nsmb::keep_book(problem, r, rest_N, rest_T, book);
  return py::dict("status"_a = r.status, "residual"_a = r.residual,
                  "in_expansion"_a = r.in_expansion, "Lambda_NC"_a = r.Lambda_NC,
                  "Lambda_TC"_a = r.Lambda_TC, "Lambda_N"_a = r.Lambda_N, "Lambda_T"_a = r.Lambda_T,
                  "gamma_N"_a = r.gamma_N, "gamma_T"_a = r.gamma_T, "failed"_a = r.failed,
                  "struck"_a = r.struck, "energy_change"_a = book.change,
                  "compression_change"_a = book.compression, "work_N"_a = book.work_N,
                  "work_T"_a = book.work_T);
}

// Return λ_T of sliding planar contacts per unit of their bound, (5.7).
Vector planar_friction(const ContactRows& rows, const std::vector<nsmb::ContactRole>& roles) {
  Vector friction = Vector::Zero(rows.nt);
  for (Index i = 0; i < rows.nc; ++i) {
    const int sign = nsmb::sliding_sign(roles[static_cast<std::size_t>(i)]);
    if (rows.dim(i) == 1) friction(rows.tangent(i)) = -sign;
  }
  return friction;
}

py::dict solve_acceleration(const Matrix& G, const Vector& free_N, const Vector& free_T,
                            const Vector& mu, const std::vector<nsmb::ContactRole>& roles,
                            const std::vector<ContactDescription>& contacts,
                            std::optional<Vector> bound, std::optional<Vector> friction) {
  const ContactRows rows = rows_of(free_N.size(), contacts);
  check_rows(rows, G, free_T);
  nsmb::check_size("mu", mu, rows.nc);
  if (static_cast<Index>(roles.size()) != rows.nc) {
    nsmb::reject("roles", "one role per contact", std::to_string(roles.size()));
  }
  const Vector given = bound.value_or(Vector::Zero(rows.nc));
  const Vector slip = friction.value_or(planar_friction(rows, roles));
  nsmb::check_size("bound", given, rows.nc);
  nsmb::check_size("friction", slip, rows.nt);
  std::vector<nsmb::UnilateralContact> laws(static_cast<std::size_t>(rows.nc));
  for (std::size_t c = 0; c < contacts.size(); ++c) laws[c] = contacts[c].law;
  nsmb::ContactSolver solver;
  nsmb::AccelerationResult r(rows);
  nsmb::solve_acceleration_law({rows, G, free_N, free_T, mu, given, laws, roles, slip}, solver, r);
  return py::dict("status"_a = r.status, "residual"_a = r.residual, "lambda_N"_a = r.lambda_N,
                  "lambda_T"_a = r.lambda_T, "gammadot_N"_a = r.gammadot_N,
                  "gammadot_T"_a = r.gammadot_T, "failed"_a = r.failed);
}

}  // namespace

void bind_contact_laws(py::module_& m) {
  py::enum_<nsmb::ImpactLaw>(m, "ImpactLaw")
      .value("Poisson", nsmb::ImpactLaw::Poisson)
      .value("Newton", nsmb::ImpactLaw::Newton)
      .value("Moreau", nsmb::ImpactLaw::Moreau);
  py::enum_<nsmb::ContactRole>(m, "ContactRole")
      .value("Absent", nsmb::ContactRole::Absent)
      .value("Candidate", nsmb::ContactRole::Candidate)
      .value("SlidesPositive", nsmb::ContactRole::SlidesPositive)
      .value("SlidesNegative", nsmb::ContactRole::SlidesNegative)
      .value("Frictionless", nsmb::ContactRole::Frictionless);
  m.def("solve_impact", &solve_impact, "G"_a, "gamma_N"_a, "gamma_T"_a, "laws"_a, "participants"_a,
        "law"_a = nsmb::ImpactLaw::Poisson, "contacts"_a = std::vector<ContactDescription>{},
        "without_collision"_a = false, "resolution"_a = py::none(), "to_the_end"_a = false);
  m.def("solve_acceleration", &solve_acceleration, "G"_a, "free_N"_a, "free_T"_a, "mu"_a, "roles"_a,
        "contacts"_a = std::vector<ContactDescription>{}, "bound"_a = py::none(),
        "friction"_a = py::none());
}
