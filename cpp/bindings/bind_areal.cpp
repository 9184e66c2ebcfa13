#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/elastic_foundation.hpp"

namespace {

using nsmb::ArealInstance;
using nsmb::ArealMesh;
using nsmb::Index;
using nsmb::Matrix3;
using nsmb::Placement;
using nsmb::Vector;
using nsmb::Vector3;
using Points = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Numbers = Eigen::Matrix<Index, Eigen::Dynamic, 1>;
using Pairs = Eigen::Matrix<Index, Eigen::Dynamic, 2, Eigen::RowMajor>;
using MeshPtr = std::shared_ptr<ArealMesh>;

MeshPtr make_mesh(const std::shared_ptr<nsmb::Shape>& shape, double depth) {
  auto mesh = std::dynamic_pointer_cast<const nsmb::TriangleMeshShape>(shape);
  if (!mesh) nsmb::reject("surface", "a mesh of triangles", "another shape");
  const py::gil_scoped_release unlocked;
  return std::make_shared<ArealMesh>(std::move(mesh), depth);
}

void update(ArealInstance& instance, const Points& vertices) {
  nsmb::check_shape("vertices", vertices, std::ssize(instance.vertices()), 3);
  for (Index v = 0; v < vertices.rows(); ++v) {
    instance.vertices()[nsmb::at(v)] = vertices.row(v).transpose();
  }
  instance.update();
}

Numbers numbers_of(const std::vector<Index>& values) {
  return Eigen::Map<const Numbers>(values.data(), static_cast<Index>(values.size()));
}

py::tuple near_pairs(const ArealInstance& a, const ArealInstance& b, const Vector3& r,
                     const Matrix3& A) {
  std::vector<std::pair<Index, Index>> all;
  nsmb::NodePairs stack;
  const Index tests = nsmb::visit_pairs(a.tree(), b.tree(), Placement{r, A}, 0.0, stack,
                                        [&](Index i, Index k) { all.emplace_back(i, k); });
  Pairs pairs(static_cast<Index>(all.size()), 2);
  for (Index i = 0; i < pairs.rows(); ++i) {
    pairs(i, 0) = all[nsmb::at(i)].first;
    pairs(i, 1) = all[nsmb::at(i)].second;
  }
  return py::make_tuple(pairs, tests);
}

py::dict intersection(const ArealInstance& a, const ArealInstance& b, const Vector3& r,
                      const Matrix3& A) {
  nsmb::MeshIntersection found;
  found.find(a, b, Placement{r, A});
  const nsmb::IntersectionPolygons& polygons = found.polygons();
  py::list places, closed;
  for (std::size_t i = 0; i < polygons.is_closed.size(); ++i) {
    const Index begin = polygons.begin[i], end = polygons.begin[i + 1];
    Points corners(end - begin, 3);
    for (Index k = begin; k < end; ++k) {
      const nsmb::Piercing& p = found.piercings()[nsmb::at(polygons.corners[nsmb::at(k)])];
      corners.row(k - begin) = p.point.transpose();
    }
    places.append(corners);
    closed.append(polygons.is_closed[i] != 0);
  }
  Pairs crossing(std::ssize(found.segments()), 2);
  for (Index i = 0; i < crossing.rows(); ++i) {
    crossing(i, 0) = found.segments()[nsmb::at(i)].first;
    crossing(i, 1) = found.segments()[nsmb::at(i)].second;
  }
  return py::dict("polygons"_a = places, "closed"_a = closed, "crossing"_a = crossing,
                  "active_1"_a = numbers_of(found.active(0).triangles),
                  "active_2"_a = numbers_of(found.active(1).triangles),
                  "box_tests"_a = found.counts().box_tests,
                  "triangle_tests"_a = found.counts().triangle_tests);
}

nsmb::FoundationSide side_of(std::shared_ptr<ArealMesh> mesh, nsmb::Matrix shapes,
                             nsmb::Matrix turns) {
  return {std::move(mesh), std::move(shapes), std::move(turns)};
}

nsmb::FoundationMotion motion_of(const std::vector<Vector3>& r, const std::vector<Matrix3>& A,
                                 const std::vector<Vector3>& v, const std::vector<Vector3>& Omega,
                                 const std::vector<Vector>& q, const std::vector<Vector>& u) {
  nsmb::FoundationMotion motion;
  for (std::size_t i = 0; i < 2; ++i) {
    motion.side[i] = {{r.at(i), A.at(i)}, v.at(i), Omega.at(i), q.at(i), u.at(i)};
  }
  return motion;
}

py::dict table_of(const nsmb::FoundationResult& result, const nsmb::FoundationWorkspace& work) {
  const Index n = std::ssize(work.elements);
  Points place(n, 3), force(n, 3);
  Vector area(n), depth(n), pressure(n);
  Numbers base(n), target(n);
  Eigen::Matrix<bool, Eigen::Dynamic, 1> base_is_first(n);
  for (Index i = 0; i < n; ++i) {
    const nsmb::FoundationElement& e = work.elements[nsmb::at(i)];
    place.row(i) = e.place.transpose();
    force.row(i) = (e.base_is_first ? e.force : -e.force).transpose();
    area(i) = e.area;
    depth(i) = e.depth;
    pressure(i) = e.pressure;
    base(i) = e.base;
    target(i) = e.target;
    base_is_first(i) = e.base_is_first;
  }
  return py::dict("force"_a = result.force, "moment"_a = result.moment, "active"_a = result.active,
                  "area"_a = result.area, "pressure"_a = result.pressure, "depth"_a = result.depth,
                  "power"_a = result.power, "box_tests"_a = result.counts.box_tests,
                  "triangle_tests"_a = result.counts.triangle_tests, "moment_2"_a = work.moment[1],
                  "modal_1"_a = work.modal[0], "modal_2"_a = work.modal[1], "place"_a = place,
                  "element_force"_a = force, "element_area"_a = area, "element_depth"_a = depth,
                  "element_pressure"_a = pressure, "base"_a = base, "target"_a = target,
                  "base_is_first"_a = base_is_first);
}

/// Evaluates an element at given motions, with its own workspace.
class FoundationProbe {
 public:
  FoundationProbe(std::shared_ptr<nsmb::ElasticFoundation> element, bool exhaustive)
      : element_(std::move(element)), work_(*element_) {
    work_.scratch.is_exhaustive = exhaustive;
  }

  py::dict contact(const std::vector<Vector3>& r, const std::vector<Matrix3>& A,
                   const std::vector<Vector3>& v, const std::vector<Vector3>& Omega,
                   const std::vector<Vector>& q, const std::vector<Vector>& u) {
    return table_of(element_->contact(motion_of(r, A, v, Omega, q, u), work_), work_);
  }
  double energy(const std::vector<Vector3>& r, const std::vector<Matrix3>& A,
                const std::vector<Vector>& q) {
    const std::vector<Vector3> still(2, Vector3::Zero());
    return element_->energy(motion_of(r, A, still, still, q, q), work_);
  }
  /// Return the wrenches on the first body at many poses (n, 12) of the second body in its frame.
  nsmb::Matrix sweep(const Eigen::Matrix<double, Eigen::Dynamic, 12, Eigen::RowMajor>& poses) {
    const py::gil_scoped_release unlocked;
    nsmb::Matrix wrenches(poses.rows(), 6);
    nsmb::FoundationMotion motion;
    for (Index i = 0; i < poses.rows(); ++i) {
      Placement& pose = motion.side[1].pose;
      pose.r = poses.row(i).head<3>().transpose();
      for (Index k = 0; k < 3; ++k) pose.A.row(k) = poses.row(i).segment<3>(3 + 3 * k);
      const nsmb::FoundationResult result = element_->contact(motion, work_);
      wrenches.row(i) << result.force.transpose(), result.moment.transpose();
    }
    return wrenches;
  }

 private:
  std::shared_ptr<nsmb::ElasticFoundation> element_;
  nsmb::FoundationWorkspace work_;
};

}  // namespace

void bind_areal_meshes(py::module_& geometry) {
  py::class_<ArealMesh, MeshPtr>(geometry, "ArealMesh")
      .def(py::init(&make_mesh), "surface"_a, "depth"_a)
      .def_property_readonly("depth", &ArealMesh::depth)
      .def_property_readonly("depths", &ArealMesh::depths);
  py::class_<ArealInstance>(geometry, "ArealInstance")
      .def(py::init([](MeshPtr mesh) { return ArealInstance(std::move(mesh)); }), "mesh"_a)
      .def("update", &update, "vertices"_a)
      .def("near_pairs", &near_pairs, "other"_a, "r"_a, "A"_a)
      .def("intersection", &intersection, "other"_a, "r"_a, "A"_a);
}

void bind_elastic_foundation(py::module_& m) {
  m.def(
      "area_coordinates",
      [](const Matrix3& corners, const Vector3& p) {
        nsmb::NumberedTriangle t;
        for (std::size_t i = 0; i < 3; ++i) t.corner[i] = corners.row(static_cast<Index>(i));
        return nsmb::area_coordinates(t, p);
      },
      "corners"_a, "p"_a);
  using nsmb::ElasticFoundation, nsmb::FoundationBase, nsmb::FoundationElements,
      nsmb::FoundationVelocity;
  py::enum_<FoundationElements>(m, "FoundationElements")
      .value("Clipped", FoundationElements::Clipped)
      .value("Barycentre", FoundationElements::Barycentre);
  py::enum_<FoundationBase>(m, "FoundationBase")
      .value("First", FoundationBase::First)
      .value("Second", FoundationBase::Second)
      .value("Both", FoundationBase::Both);
  py::enum_<FoundationVelocity>(m, "FoundationVelocity")
      .value("Barycentric", FoundationVelocity::Barycentric)
      .value("Average", FoundationVelocity::Average);
  py::class_<nsmb::FoundationSide>(m, "FoundationSide")
      .def(py::init(&side_of), "mesh"_a, "shapes"_a, "turns"_a);
  py::class_<ElasticFoundation, nsmb::ForceElement, std::shared_ptr<ElasticFoundation>>(
      m, "ElasticFoundation")
      .def(py::init([](const nsmb::FoundationSide& first, const nsmb::FoundationSide& second,
                       double stiffness, double damping, double transition_depth, double friction,
                       double switch_velocity, FoundationElements elements, FoundationBase base,
                       FoundationVelocity velocity, bool same_body) {
             return std::make_shared<ElasticFoundation>(
                 first, second,
                 nsmb::FoundationLaw{stiffness, damping, transition_depth, friction,
                                     switch_velocity},
                 nsmb::FoundationOptions{elements, base, velocity, same_body});
           }),
           "first"_a, "second"_a, "stiffness"_a, "damping"_a, "transition_depth"_a, "friction"_a,
           "switch_velocity"_a, "elements"_a, "base"_a, "velocity"_a, "same_body"_a);
  py::class_<FoundationProbe>(m, "FoundationProbe")
      .def(py::init<std::shared_ptr<ElasticFoundation>, bool>(), "element"_a,
           "exhaustive"_a = false)
      .def("contact", &FoundationProbe::contact, "r"_a, "A"_a, "v"_a, "Omega"_a, "q"_a, "u"_a)
      .def("energy", &FoundationProbe::energy, "r"_a, "A"_a, "q"_a)
      .def("sweep", &FoundationProbe::sweep, "poses"_a);
}
