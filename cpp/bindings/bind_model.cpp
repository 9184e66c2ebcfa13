#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bindings/bindings.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/force_law.hpp"
#include "nsmb/multibody/model_pictures.hpp"

// Defined in bind_shape_contacts.cpp.
void bind_placed_shapes(py::module_& m);
void bind_shape_contacts(py::module_& m);

namespace {

using nsmb::Index;
using nsmb::Matrix3;
using nsmb::Vector;
using nsmb::Vector3;

std::vector<std::pair<Vector3, Matrix3>> marker_poses(const nsmb::ModelSystem& system, double t,
                                                      const Vector& q) {
  std::vector<std::pair<Vector3, Matrix3>> poses;
  for (const nsmb::Frame& frame : nsmb::marker_frames(system, t, q)) {
    poses.emplace_back(frame.r, frame.A);
  }
  return poses;
}

using Indices = Eigen::Matrix<Index, Eigen::Dynamic, 1>;
using Features = Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Evaluate one contact point between given features at many states, one per row.
py::dict follow_contact(const nsmb::ModelSystem& system, Index slot, const Vector& t,
                        const nsmb::Matrix& q, const nsmb::Matrix& u, const Indices& first,
                        const Indices& second, const Vector& sigma_1, const Vector& sigma_2) {
  const Index n = t.size();
  if (slot < 0 || slot >= system.nc()) {
    nsmb::reject("slot", "a contact of the system", std::to_string(slot));
  }
  nsmb::check_shape("q", q, n, system.nq());
  nsmb::check_shape("u", u, n, system.nu());
  nsmb::check_size("sigma_1", sigma_1, n);
  nsmb::check_size("sigma_2", sigma_2, n);
  if (first.size() != n || second.size() != n) {
    nsmb::reject("first, second", std::to_string(n) + " features", std::to_string(first.size()));
  }
  nsmb::ContactKinematics c(system.nu(), system.rows());
  const auto work = system.workspace();
  const Index tangent = system.rows().tangent(slot);  // the first one
  nsmb::ContactFeature& feature = c.features.slots.at(static_cast<std::size_t>(slot));
  Vector g_N(n), domain(n), found_1(n), found_2(n);
  nsmb::Matrix gamma(n, 2), w_bar(n, 2), W_N(n, system.nu()), W_T(n, system.nu());
  for (Index i = 0; i < n; ++i) {
    feature = {first(i), second(i), sigma_1(i), sigma_2(i)};
    system.contact_kinematics(t(i), q.row(i).transpose(), u.row(i).transpose(), c, *work);
    g_N(i) = c.g_N(slot);
    domain(i) = c.domain(slot);
    W_N.row(i) = c.W_N.col(slot).transpose();
    W_T.row(i) = c.W_T.col(tangent).transpose();
    gamma(i, 0) = W_N.row(i).dot(u.row(i)) + c.w_tilde_N(slot);
    gamma(i, 1) = W_T.row(i).dot(u.row(i)) + c.w_tilde_T(tangent);
    w_bar.row(i) << c.w_bar_N(slot), c.w_bar_T(tangent);
    found_1(i) = feature.sigma_1;
    found_2(i) = feature.sigma_2;
  }
  return py::dict("g_N"_a = g_N, "domain"_a = domain, "gamma"_a = gamma, "w_bar"_a = w_bar,
                  "W_N"_a = W_N, "W_T"_a = W_T, "sigma_1"_a = found_1, "sigma_2"_a = found_2);
}

// Return the contact points at n instants. `features` (n, 2 nc) gives the pair that each column
// held, or has no columns. Points are recomputed, and those of one contact, which share a group,
// may now be in another order.
py::dict contact_points(const nsmb::ModelSystem& system, const Vector& t, const nsmb::Matrix& q,
                        const Features& features, const std::vector<Index>& group) {
  const Index n = t.size(), nc = system.nc();
  nsmb::check_shape("q", q, n, system.nq());
  if (features.size() > 0 && (features.rows() != n || features.cols() != 2 * nc)) {
    nsmb::reject("features", "two numbers per contact",
                 std::to_string(features.cols()) + " numbers");
  }
  if (features.size() > 0 && static_cast<Index>(group.size()) != nc) {
    nsmb::reject("group", std::to_string(nc) + " numbers", std::to_string(group.size()));
  }
  nsmb::ContactPlacer placer(system);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  nsmb::Matrix r = nsmb::Matrix::Constant(n, 3 * nc, nan), normal = r, tangent = r;
  // Column i of an instant is column j of the search.
  const auto held_by = [&](Index k, Index i) -> Index {
    if (features.size() == 0 || features(k, 2 * i) < 0) return i;
    for (Index j = 0; j < nc; ++j) {
      const nsmb::ContactFeature& slot = placer.slots()[nsmb::at(j)];
      if (group[nsmb::at(j)] == group[nsmb::at(i)] && slot.first == features(k, 2 * i) &&
          slot.second == features(k, 2 * i + 1)) {
        return j;
      }
    }
    return -1;
  };
  for (Index k = 0; k < n; ++k) {
    const nsmb::ContactPlaces& places = placer.at(t(k), q.row(k).transpose());
    for (Index i = 0; i < nc; ++i) {
      const Index j = held_by(k, i);
      if (j < 0) continue;
      r.row(k).segment<3>(3 * i) = places.r.col(j).transpose();
      normal.row(k).segment<3>(3 * i) = places.n.col(j).transpose();
      tangent.row(k).segment<3>(3 * i) = places.t.col(j).transpose();
    }
  }
  return py::dict("r"_a = r, "n"_a = normal, "t"_a = tangent);
}

// A function without inputs is called without the argument.
std::shared_ptr<nsmb::UserLaw> make_user_law(const py::object& function,
                                             std::vector<Index> inputs) {
  if (!inputs.empty()) {
    return std::make_shared<nsmb::UserLaw>(told(function.cast<nsmb::UserLaw::Function>()),
                                           std::move(inputs));
  }
  return std::make_shared<nsmb::UserLaw>([f = told<double(double, double, double)>(function)](
                                             double t, double gamma, double gamma_dot,
                                             const Vector&) { return f(t, gamma, gamma_dot); });
}

void bind_force_laws(py::module_& m) {
  using nsmb::ForceLaw;
  using nsmb::TableLaw;
  py::enum_<nsmb::SignConvention>(m, "SignConvention")
      .value("Pressure", nsmb::SignConvention::Pressure)
      .value("Tension", nsmb::SignConvention::Tension);
  py::class_<ForceLaw, std::shared_ptr<ForceLaw>>(m, "ForceLaw")
      .def("force", &ForceLaw::force, "t"_a, "gamma"_a, "gamma_dot"_a, "inputs"_a = Vector())
      .def("energy", &ForceLaw::energy, "gamma"_a);
  py::class_<nsmb::SpringDamper, ForceLaw, std::shared_ptr<nsmb::SpringDamper>>(m, "SpringDamper")
      .def(py::init<double, double, double, double>(), "c"_a, "d"_a, "free_length"_a, "preload"_a);
  py::class_<TableLaw, ForceLaw, std::shared_ptr<TableLaw>>(m, "TableLaw")
      .def(py::init([](Vector x, nsmb::Matrix c, Vector speed, nsmb::Matrix speed_c) {
             return std::make_shared<TableLaw>(
                 TableLaw::Curve{std::move(x), std::move(c)},
                 TableLaw::Curve{std::move(speed), std::move(speed_c)});
           }),
           "x"_a, "c"_a, "speed"_a, "speed_c"_a);
  py::class_<nsmb::UserLaw, ForceLaw, std::shared_ptr<nsmb::UserLaw>>(m, "UserLaw")
      .def(py::init(&make_user_law), "function"_a, "inputs"_a = std::vector<Index>{});
  py::class_<nsmb::InputLaw, ForceLaw, std::shared_ptr<nsmb::InputLaw>>(m, "InputLaw")
      .def(py::init<Index>(), "place"_a);
}

void bind_parts(py::module_& m) {
  py::class_<nsmb::Marker>(m, "Marker")
      .def(py::init([](Index body, const nsmb::Frame& frame) {
             return nsmb::Marker{body, nsmb::checked_frame("frame", frame)};
           }),
           "body"_a, "frame"_a);
  using Row = nsmb::LoopRow;
  py::enum_<Row::Kind>(m, "LoopKind")
      .value("Along", Row::Kind::Along)
      .value("Perpendicular", Row::Kind::Perpendicular)
      .value("Distance", Row::Kind::Distance)
      .value("OnCurve", Row::Kind::OnCurve);
  py::class_<Row>(m, "LoopRow")
      .def(
          py::init([](std::string name, Index marker_1, Index marker_2, Row::Kind kind, Index first,
                      Index second, double length, std::shared_ptr<const nsmb::Contour> curve) {
            return Row{std::move(name), marker_1, marker_2, kind,
                       first,           second,   length,   std::move(curve)};
          }),
          "name"_a, "marker_1"_a, "marker_2"_a, "kind"_a, "first"_a = 0, "second"_a = 0,
          "length"_a = 0.0, "curve"_a = nullptr);
  py::class_<nsmb::SwitchingElement>(m, "SwitchingElement")
      .def(py::init([](const nsmb::ForceElementDescription& law, Index marker_1, Index marker_2,
                       Index coordinate, Index velocity, double rest, double direction) {
             return nsmb::SwitchingElement{law,      marker_1, marker_2, coordinate,
                                           velocity, rest,     direction};
           }),
           "law"_a, "marker_1"_a, "marker_2"_a, "coordinate"_a, "velocity"_a, "rest"_a,
           "direction"_a);
  py::class_<nsmb::JointFriction>(m, "JointFriction")
      .def(py::init([](std::string name, Index velocity, double bound) {
             return nsmb::JointFriction{std::move(name), velocity, bound};
           }),
           "name"_a, "velocity"_a, "bound"_a);
  py::class_<nsmb::JointStop>(m, "JointStop")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law, double limit,
                       double direction, Index coordinate, Index velocity,
                       const nsmb::JointMotion* motion, Index marker_1, Index marker_2, bool turns,
                       double middle) {
             return nsmb::JointStop{std::move(name),
                                    law,
                                    limit,
                                    direction,
                                    coordinate,
                                    velocity,
                                    motion ? motion->s : nsmb::Motion{},
                                    marker_1,
                                    marker_2,
                                    turns,
                                    middle};
           }),
           "name"_a, "law"_a, "limit"_a, "direction"_a, "coordinate"_a = -1, "velocity"_a = -1,
           "motion"_a = nullptr, "marker_1"_a = -1, "marker_2"_a = -1, "turns"_a = false,
           "middle"_a = 0.0);
  py::class_<nsmb::ContourContact>(m, "ContourContact")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law, Index marker_1,
                       Index marker_2, std::shared_ptr<nsmb::Contour> contour_1,
                       std::shared_ptr<nsmb::Contour> contour_2, Index points,
                       double search_distance, double skin, Index boundary_1, Index boundary_2) {
             return nsmb::ContourContact{std::move(name),
                                         law,
                                         marker_1,
                                         marker_2,
                                         std::move(contour_1),
                                         std::move(contour_2),
                                         points,
                                         search_distance,
                                         skin,
                                         boundary_1,
                                         boundary_2};
           }),
           "name"_a, "law"_a, "marker_1"_a, "marker_2"_a, "contour_1"_a, "contour_2"_a, "points"_a,
           "search_distance"_a, "skin"_a, "boundary_1"_a = -1, "boundary_2"_a = -1);
  py::class_<nsmb::Boundary>(m, "Boundary")
      .def(py::init([](std::string name, Index marker, std::vector<Index> nodes,
                       std::shared_ptr<nsmb::NodeChain> chain) {
             return nsmb::Boundary{std::move(name), marker, std::move(nodes), std::move(chain)};
           }),
           "name"_a, "marker"_a, "nodes"_a, "chain"_a);
}

void bind_surfaces(py::module_& m) {
  using nsmb::Skeleton;
  using nsmb::Surface;
  py::enum_<Skeleton>(m, "Skeleton")
      .value("Point", Skeleton::Point)
      .value("Line", Skeleton::Line)
      .value("Plane", Skeleton::Plane)
      .value("Circle", Skeleton::Circle);
  py::class_<Surface>(m, "Surface")
      .def(py::init([](Skeleton skeleton, double radius, double circle) {
             Surface surface;
             surface.skeleton = skeleton;
             surface.radius = radius;
             surface.circle = circle;
             return surface;
           }),
           "skeleton"_a, "radius"_a = 0.0, "circle"_a = 0.0);
  py::class_<nsmb::SurfaceContact>(m, "SurfaceContact")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law, Index marker_1,
                       Index marker_2, const Surface& surface_1, const Surface& surface_2) {
             return nsmb::SurfaceContact{std::move(name), law,       marker_1,
                                         marker_2,        surface_1, surface_2};
           }),
           "name"_a, "law"_a, "marker_1"_a, "marker_2"_a, "surface_1"_a, "surface_2"_a);
  py::class_<nsmb::ShapePair>(m, "ShapePair")
      .def(py::init([](std::string name, const nsmb::UnilateralContact& law, Index marker_1,
                       Index marker_2, std::shared_ptr<nsmb::Shape> shape_1,
                       std::shared_ptr<nsmb::Shape> shape_2) {
             return nsmb::ShapePair{std::move(name),   law, marker_1, marker_2, std::move(shape_1),
                                    std::move(shape_2)};
           }),
           "name"_a, "law"_a, "marker_1"_a, "marker_2"_a, "shape_1"_a, "shape_2"_a);
  m.def("feature_slots", &nsmb::feature_slots, "shape_1"_a, "shape_2"_a);
  m.def(
      "has_feature_pairs",
      [](const nsmb::Shape& shape_1, const nsmb::Shape& shape_2) {
        return nsmb::has_feature_pairs(shape_1.kind(), shape_2.kind());
      },
      "shape_1"_a, "shape_2"_a);
}

}  // namespace

void bind_model(py::module_& m) {
  bind_force_laws(m);
  bind_force_elements(m);
  bind_parts(m);
  bind_surfaces(m);
  bind_placed_shapes(m);
  py::class_<nsmb::ModelSystem, nsmb::System, std::shared_ptr<nsmb::ModelSystem>>(m, "ModelSystem")
      .def(
          py::init(
              [](std::shared_ptr<nsmb::Tree> tree, std::vector<nsmb::Marker> markers,
                 std::vector<nsmb::LoopRow> loops, std::vector<nsmb::PlacedForce> forces,
                 std::vector<nsmb::SwitchingElement> switching,
                 std::vector<nsmb::ContourContact> contacts,
                 std::vector<nsmb::JointFriction> friction, nsmb::Discontinuities discontinuities,
                 std::vector<nsmb::JointStop> stops, std::vector<nsmb::InputDescription> inputs,
                 std::vector<nsmb::SurfaceContact> surfaces, nsmb::ShapeSet shapes,
                 std::vector<nsmb::Boundary> boundaries, std::vector<nsmb::ShapePair> shape_pairs) {
                return std::make_shared<nsmb::ModelSystem>(nsmb::ModelDescription{
                    std::move(tree), std::move(markers), std::move(loops), std::move(forces),
                    std::move(switching), std::move(contacts), std::move(friction),
                    std::move(discontinuities), std::move(stops), std::move(inputs),
                    std::move(surfaces), std::move(shapes), std::move(boundaries),
                    std::move(shape_pairs)});
              }),
          "tree"_a, "markers"_a, "loops"_a = std::vector<nsmb::LoopRow>{},
          "forces"_a = std::vector<nsmb::PlacedForce>{},
          "switching"_a = std::vector<nsmb::SwitchingElement>{},
          "contacts"_a = std::vector<nsmb::ContourContact>{},
          "friction"_a = std::vector<nsmb::JointFriction>{},
          "discontinuities"_a = nsmb::Discontinuities(), "stops"_a = std::vector<nsmb::JointStop>{},
          "inputs"_a = std::vector<nsmb::InputDescription>{},
          "surfaces"_a = std::vector<nsmb::SurfaceContact>{}, "shapes"_a = nsmb::ShapeSet{},
          "boundaries"_a = std::vector<nsmb::Boundary>{},
          "shape_pairs"_a = std::vector<nsmb::ShapePair>{})
      .def_property_readonly("element_names",
                             [](const nsmb::ModelSystem& s) {
                               std::vector<std::string> names;
                               for (const auto& e : s.elements()) names.push_back(e.name);
                               return names;
                             })
      .def("pairs_of_shapes",
           [](const nsmb::ModelSystem& s) {
             std::vector<std::array<Index, 3>> pairs;
             for (const nsmb::TouchingShapes& p : s.shapes().pairs()) {
               pairs.push_back({p.first, p.second, p.law});
             }
             return pairs;
           })
      .def("initial_states", &nsmb::ModelSystem::initial_states)
      .def("contact_of", &nsmb::ModelSystem::contact_of, "slot"_a)
      .def("marker_poses", &marker_poses, "t"_a, "q"_a)
      .def("follow_contact", &follow_contact, "slot"_a, "t"_a, "q"_a, "u"_a, "first"_a, "second"_a,
           "sigma_1"_a, "sigma_2"_a)
      .def("contact_points", &contact_points, "t"_a, "q"_a, "features"_a = Features(),
           "group"_a = std::vector<Index>{});
  bind_shape_contacts(m);
}
