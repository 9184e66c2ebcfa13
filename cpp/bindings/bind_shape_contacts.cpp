#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/model_system.hpp"

namespace {

using nsmb::ContactSet;
using nsmb::FoundContact;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;
using Indices = Eigen::Matrix<Index, Eigen::Dynamic, 1>;
using Identities = Eigen::Matrix<nsmb::ContactIdentity, Eigen::Dynamic, 1>;

// Return the directions of all rows over all velocities, (nu, rows).
Matrix dense_directions(const nsmb::ModelSystem& system, const ContactSet& found) {
  const nsmb::Cliques& cliques = *system.cliques();
  Matrix W = Matrix::Zero(system.nu(), found.rows());
  for (const FoundContact& contact : found.contacts) {
    for (std::size_t c = 0; c < 2 && contact.cliques[c] >= 0; ++c) {
      const double* entry = found.entries.data() + contact.first_entry[c];
      for (const nsmb::VelocityRange& range : cliques.members(contact.cliques[c])) {
        for (Index k = range.first; k < range.first + range.size; ++k) {
          for (Index row = 0; row < contact.rows; ++row) W(k, contact.first_row + row) = *entry++;
        }
      }
    }
  }
  return W;
}

py::dict as_dict(const nsmb::ModelSystem& system, const ContactSet& found, bool directions) {
  const auto n = static_cast<Index>(found.contacts.size());
  Identities identity(n);
  Indices shape_1(n), shape_2(n), law(n), first_row(n), rows(n);
  Vector g_N(n);
  Matrix point(n, 3), axes(n, 9), cliques(n, 2);
  for (Index i = 0; i < n; ++i) {
    const FoundContact& c = found.contacts[static_cast<std::size_t>(i)];
    identity(i) = c.identity;
    shape_1(i) = c.shape_1;
    shape_2(i) = c.shape_2;
    law(i) = c.law;
    first_row(i) = c.first_row;
    rows(i) = c.rows;
    g_N(i) = c.g_N;
    point.row(i) = c.point.transpose();
    for (Index k = 0; k < 3; ++k) axes.row(i).segment<3>(3 * k) = c.axes.col(k).transpose();
  }
  const Vector w_tilde = Eigen::Map<const Vector>(found.w_tilde.data(), found.rows());
  py::dict d("identity"_a = identity, "shape_1"_a = shape_1, "shape_2"_a = shape_2, "law"_a = law,
             "first_row"_a = first_row, "rows"_a = rows, "g_N"_a = g_N, "point"_a = point,
             "axes"_a = axes, "w_tilde"_a = w_tilde);
  if (directions) d["W"] = dense_directions(system, found);
  return d;
}

py::dict find_contacts(const nsmb::ModelSystem& system, double t, const Vector& q, const Vector& u,
                       double margin, double step, bool directions) {
  if (!system.contact_finder()) nsmb::reject("find_contacts", "a model with shapes", "none");
  nsmb::check_size("q", q, system.nq());
  nsmb::check_size("u", u, system.nu());
  ContactSet found;
  system.contact_finder()->find_contacts(t, q, u, margin, step, nullptr, found,
                                         *system.workspace());
  return as_dict(system, found, directions);
}

py::tuple first_touch(const nsmb::ModelSystem& system, double t, const Vector& q, const Vector& u,
                      double gap_tolerance, double step, double look) {
  if (!system.contact_finder()) nsmb::reject("first_touch", "a model with shapes", "none");
  nsmb::check_size("q", q, system.nq());
  nsmb::check_size("u", u, system.nu());
  const nsmb::TouchOnTheWay touch =
      system.contact_finder()->first_touch(t, q, u, gap_tolerance, step, look, *system.workspace());
  return py::make_tuple(touch.time, touch.brief);
}

// Find the contacts along one motion, each search with the memory of the previous one.
std::vector<py::dict> follow_contacts(const nsmb::ModelSystem& system, const Vector& t,
                                      const Matrix& q, const Matrix& u, double margin,
                                      double step) {
  if (!system.contact_finder()) nsmb::reject("follow_contacts", "a model with shapes", "none");
  nsmb::check_shape("q", q, t.size(), system.nq());
  nsmb::check_shape("u", u, t.size(), system.nu());
  const auto work = system.workspace();
  ContactSet found;
  std::vector<py::dict> all;
  for (Index i = 0; i < t.size(); ++i) {
    system.contact_finder()->find_contacts(t(i), q.row(i).transpose(), u.row(i).transpose(), margin,
                                           step, nullptr, found, *work);
    all.push_back(as_dict(system, found, false));
  }
  return all;
}

}  // namespace

void bind_placed_shapes(py::module_& m) {
  py::class_<nsmb::PlacedShape>(m, "PlacedShape")
      .def(py::init([](std::string name, std::shared_ptr<nsmb::Shape> shape,
                       const nsmb::Marker& place, Index owner, Index material, std::uint32_t group,
                       std::uint32_t mask) {
             return nsmb::PlacedShape{
                 std::move(name), std::move(shape), place, owner, material, group, mask};
           }),
           "name"_a, "shape"_a, "place"_a, "owner"_a, "material"_a = 0, "group"_a = 1,
           "mask"_a = ~std::uint32_t{0});
  py::class_<nsmb::ShapeSet>(m, "ShapeSet")
      .def(py::init([](std::vector<nsmb::PlacedShape> shapes,
                       std::vector<nsmb::UnilateralContact> laws, std::vector<Index> law_of,
                       std::vector<std::pair<Index, Index>> apart) {
             return nsmb::ShapeSet{std::move(shapes), std::move(laws), std::move(law_of),
                                   std::move(apart)};
           }),
           "shapes"_a, "laws"_a, "law_of"_a, "apart"_a = std::vector<std::pair<Index, Index>>{});
}

void bind_shape_contacts(py::module_& m) {
  m.def("find_contacts", &find_contacts, "system"_a, "t"_a, "q"_a, "u"_a, "margin"_a = 0.0,
        "step"_a = 0.0, "directions"_a = false);
  m.def("first_touch", &first_touch, "system"_a, "t"_a, "q"_a, "u"_a, "gap_tolerance"_a, "step"_a,
        "look"_a);
  m.def("follow_contacts", &follow_contacts, "system"_a, "t"_a, "q"_a, "u"_a, "margin"_a = 0.0,
        "step"_a = 0.0);
}
