#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/geometry/box_tree_3.hpp"
#include "nsmb/geometry/broad_phase.hpp"
#include "nsmb/geometry/height_field.hpp"
#include "nsmb/geometry/polyhedron.hpp"
#include "nsmb/geometry/round_shapes.hpp"
#include "nsmb/geometry/shape_contact.hpp"
#include "nsmb/geometry/triangle_mesh.hpp"

namespace {

using nsmb::Index;
using nsmb::Placement;
using nsmb::Shape;
using nsmb::ShapeContact;
using nsmb::Vector;
using nsmb::Vector3;
using ShapePtr = std::shared_ptr<Shape>;
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Triangles = Eigen::Matrix<Index, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Heights = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Features = Eigen::Matrix<Index, Eigen::Dynamic, 1>;
// One row per pose: origin, then the matrix of the axes row by row.
using Poses = Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor>;

Placement placement_of(const Poses& poses, Index i) {
  Placement result;
  result.r = poses.row(i).head<3>().transpose();
  for (Index k = 0; k < 3; ++k) result.A.row(k) = poses.row(i).segment<3>(3 + 3 * k);
  return result;
}

std::vector<Vector3> points_of(const Points& rows) {
  std::vector<Vector3> result;
  for (Index i = 0; i < rows.rows(); ++i) result.emplace_back(rows.row(i).transpose());
  return result;
}

py::dict table_of(const std::vector<ShapeContact>& all, const std::vector<Index>& rows) {
  const auto n = static_cast<Index>(all.size());
  Vector g_N(n);
  Points r_1(n, 3), r_2(n, 3), normal(n, 3);
  Features feature_1(n), feature_2(n);
  for (Index i = 0; i < n; ++i) {
    const ShapeContact& c = all[static_cast<std::size_t>(i)];
    g_N(i) = c.g_N;
    r_1.row(i) = c.r_1.transpose();
    r_2.row(i) = c.r_2.transpose();
    normal.row(i) = c.normal.transpose();
    feature_1(i) = c.feature_1;
    feature_2(i) = c.feature_2;
  }
  return py::dict("row"_a = Features(Eigen::Map<const Features>(rows.data(), n)), "g_N"_a = g_N,
                  "r_1"_a = r_1, "r_2"_a = r_2, "normal"_a = normal, "feature_1"_a = feature_1,
                  "feature_2"_a = feature_2);
}

py::dict shape_contacts(const Shape& shape_1, const Poses& poses_1, const Shape& shape_2,
                        const Poses& poses_2, double reach, bool remember) {
  if (poses_1.rows() != poses_2.rows()) {
    nsmb::reject("poses_2", "as many rows as poses_1, " + std::to_string(poses_1.rows()),
                 std::to_string(poses_2.rows()));
  }
  std::vector<ShapeContact> all;
  std::vector<Index> rows;
  {
    const py::gil_scoped_release unlocked;
    nsmb::ContactScratch scratch;
    nsmb::PairHint hint;
    for (Index i = 0; i < poses_1.rows(); ++i) {
      nsmb::contact_points(shape_1, placement_of(poses_1, i), shape_2, placement_of(poses_2, i),
                           reach, scratch, remember ? &hint : nullptr, all);
      rows.resize(all.size(), i);
    }
  }
  return table_of(all, rows);
}

py::dict mass_properties(const Shape& shape, double density) {
  const nsmb::MassProperties p = shape.mass_properties(density);
  return py::dict("mass"_a = p.mass, "center"_a = p.center, "inertia"_a = p.inertia);
}

std::pair<Points, Points> bounds(const Shape& shape, const Poses& poses) {
  Points low(poses.rows(), 3), high(poses.rows(), 3);
  for (Index i = 0; i < poses.rows(); ++i) {
    const nsmb::Bounds box = shape.bounds(placement_of(poses, i));
    low.row(i) = box.low.transpose();
    high.row(i) = box.high.transpose();
  }
  return {low, high};
}

ShapePtr triangle_mesh(const Points& vertices, const Triangles& triangles) {
  std::vector<nsmb::TriangleTopology::Triangle> rows;
  rows.reserve(static_cast<std::size_t>(triangles.rows()));
  for (Index k = 0; k < triangles.rows(); ++k) {
    rows.push_back({triangles(k, 0), triangles(k, 1), triangles(k, 2)});
  }
  const py::gil_scoped_release unlocked;
  auto topology = std::make_shared<const nsmb::TriangleTopology>(vertices.rows(), std::move(rows));
  return std::make_shared<nsmb::TriangleMeshShape>(std::move(topology), points_of(vertices));
}

ShapePtr height_field(const Heights& heights, double dx, double dy, const Vector3& origin) {
  std::vector<double> rows(heights.data(), heights.data() + heights.size());
  return std::make_shared<nsmb::HeightFieldShape>(std::move(rows), heights.rows(), heights.cols(),
                                                  dx, dy, origin);
}

std::vector<nsmb::Bounds> boxes_of(const Points& low, const Points& high) {
  if (low.rows() != high.rows()) {
    nsmb::reject("high", "as many rows as low, " + std::to_string(low.rows()),
                 std::to_string(high.rows()));
  }
  std::vector<nsmb::Bounds> boxes;
  for (Index i = 0; i < low.rows(); ++i) {
    boxes.push_back({low.row(i).transpose(), high.row(i).transpose()});
  }
  return boxes;
}

class PyBroadPhase {
 public:
  Eigen::Matrix<Index, Eigen::Dynamic, 2, Eigen::RowMajor> find(const Points& low,
                                                                const Points& high,
                                                                const std::vector<bool>& fixed) {
    boxes_ = boxes_of(low, high);
    fixed_.assign(fixed.begin(), fixed.end());
    const auto& pairs = search_.find(boxes_, fixed_);
    Eigen::Matrix<Index, Eigen::Dynamic, 2, Eigen::RowMajor> result(
        static_cast<Index>(pairs.size()), 2);
    for (Index i = 0; i < result.rows(); ++i) {
      result(i, 0) = pairs[static_cast<std::size_t>(i)].first;
      result(i, 1) = pairs[static_cast<std::size_t>(i)].second;
    }
    return result;
  }

 private:
  nsmb::BroadPhase search_;
  std::vector<nsmb::Bounds> boxes_;
  std::vector<char> fixed_;
};

}  // namespace

void bind_shapes(py::module_& geometry) {
  py::class_<Shape, ShapePtr>(geometry, "Shape")
      .def_property_readonly("volume", &Shape::volume)
      .def_property_readonly("size", &Shape::size)
      .def_property_readonly("features", &Shape::features)
      .def("mass_properties", &mass_properties, "density"_a)
      .def("bounds", &bounds, "poses"_a);
  geometry.def(
      "sphere",
      [](double radius) -> ShapePtr { return std::make_shared<nsmb::SphereShape>(radius); },
      "radius"_a);
  geometry.def("half_space", []() -> ShapePtr { return std::make_shared<nsmb::HalfSpaceShape>(); });
  geometry.def(
      "capsule",
      [](double radius, double length) -> ShapePtr {
        return std::make_shared<nsmb::CapsuleShape>(radius, length);
      },
      "radius"_a, "length"_a);
  geometry.def(
      "cylinder",
      [](double radius, double length) -> ShapePtr {
        return std::make_shared<nsmb::CylinderShape>(radius, length);
      },
      "radius"_a, "length"_a);
  geometry.def(
      "box",
      [](const Vector3& size) -> ShapePtr {
        return std::make_shared<nsmb::PolyhedronShape>(nsmb::make_box(size));
      },
      "size"_a);
  geometry.def(
      "polyhedron",
      [](const Points& vertices, const std::vector<std::vector<Index>>& faces) -> ShapePtr {
        return std::make_shared<nsmb::PolyhedronShape>(
            nsmb::Polyhedron(points_of(vertices), faces));
      },
      "vertices"_a, "faces"_a);
  geometry.def("triangle_mesh", &triangle_mesh, "vertices"_a, "triangles"_a);
  geometry.def("height_field", &height_field, "heights"_a, "dx"_a, "dy"_a, "origin"_a);
  py::class_<nsmb::BoxTree3>(geometry, "BoxTree3")
      .def(py::init([](const Points& low, const Points& high) {
             return nsmb::BoxTree3(boxes_of(low, high));
           }),
           "low"_a, "high"_a)
      .def(
          "refit",
          [](nsmb::BoxTree3& tree, const Points& low, const Points& high) {
            tree.refit(boxes_of(low, high));
          },
          "low"_a, "high"_a)
      .def(
          "overlapping",
          [](const nsmb::BoxTree3& tree, const Vector3& low, const Vector3& high) {
            std::vector<Index> found;
            Index tests = 0;
            tree.visit(
                [&](const nsmb::Bounds& box) {
                  ++tests;
                  return box.overlaps({low, high});
                },
                [&](Index item) { found.push_back(item); });
            return py::make_tuple(found, tests);
          },
          "low"_a, "high"_a);
  geometry.def("shape_contacts", &shape_contacts, "shape_1"_a, "poses_1"_a, "shape_2"_a,
               "poses_2"_a, "reach"_a, "remember"_a = false);
  py::class_<PyBroadPhase>(geometry, "BroadPhase")
      .def(py::init<>())
      .def("find", &PyBroadPhase::find, "low"_a, "high"_a, "is_fixed"_a = std::vector<bool>());
}
