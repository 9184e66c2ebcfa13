#include "bindings/bindings.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/gear_train.hpp"

namespace {

using nsmb::GearMesh;
using nsmb::GearPose;
using nsmb::GearTrain;
using nsmb::GearWheel;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;

// Convert (18, gears): r, A row by row, v, Ω, in the format of force elements by functions.
std::vector<GearPose> poses_of(const Matrix& kinematics, std::size_t gears) {
  nsmb::check_shape("kinematics", kinematics, 18, static_cast<Index>(gears));
  std::vector<GearPose> poses(gears);
  for (std::size_t k = 0; k < gears; ++k) {
    const auto column = kinematics.col(static_cast<Index>(k));
    poses[k].r = column.segment<3>(0);
    for (Index row = 0; row < 3; ++row) poses[k].A.row(row) = column.segment<3>(3 + 3 * row);
    poses[k].v = column.segment<3>(12);
    poses[k].Omega = column.segment<3>(15);
  }
  return poses;
}

py::list contacts(const GearTrain& train, const Matrix& kinematics, const Vector& x,
                  const Vector& modes) {
  const std::vector<GearPose> poses = poses_of(kinematics, train.markers());
  nsmb::check_size("x", x, static_cast<Index>(train.states().size()));
  if (modes.size() > 0) {
    nsmb::check_size("modes", modes, static_cast<Index>(train.watched().size()));
  }
  py::list rows;
  for (const nsmb::GearContact& c :
       train.contacts(poses, {x.data(), static_cast<std::size_t>(x.size())}, modes)) {
    rows.append(py::make_tuple(c.mesh, c.is_left, c.tooth_1, c.tooth_2, c.xi, c.delta, c.K, c.F_n,
                               c.F_t, Vector(c.point), Vector(c.force)));
  }
  return rows;
}

}  // namespace

void bind_gears(py::module_& m) {
  py::enum_<nsmb::Teeth>(m, "Teeth")
      .value("Rigid", nsmb::Teeth::Rigid)
      .value("Static", nsmb::Teeth::Static)
      .value("Relaxing", nsmb::Teeth::Relaxing)
      .value("Dynamic", nsmb::Teeth::Dynamic);
  py::class_<GearWheel>(m, "GearWheel")
      .def(py::init([](std::string name, Index teeth, double r_b, double r_a, double half_tooth,
                       double beta_b, double width, double phase, double relief,
                       double relief_length, double crowning, double r_d, double K, double D,
                       double mass, double spin) {
             return GearWheel{
                 std::move(name), teeth,         r_b,      r_a, half_tooth, beta_b, width, phase,
                 relief,          relief_length, crowning, r_d, K,          D,      mass,  spin};
           }),
           py::kw_only(), "name"_a, "teeth"_a, "r_b"_a, "r_a"_a, "half_tooth"_a, "beta_b"_a,
           "width"_a, "phase"_a, "relief"_a, "relief_length"_a, "crowning"_a, "r_d"_a, "K"_a, "D"_a,
           "mass"_a, "spin"_a);
  py::class_<GearMesh>(m, "GearMesh")
      .def(py::init([](std::string name, Index first, Index second, Index near_1, Index near_2,
                       double stiffness, double stiffness_ratio, double damping, double transition,
                       double mu, double v_eps, double play, bool from_geometry, double inv_v,
                       double entry, bool left, bool right, bool turn_angle) {
             return GearMesh{
                 std::move(name),
                 first,
                 second,
                 near_1,
                 near_2,
                 stiffness,
                 stiffness_ratio,
                 damping,
                 transition,
                 mu,
                 v_eps,
                 play,
                 from_geometry,
                 inv_v,
                 entry,
                 left,
                 right,
                 turn_angle ? GearMesh::Depth::TurnAngle : GearMesh::Depth::LineOfAction};
           }),
           py::kw_only(), "name"_a, "first"_a, "second"_a, "near_1"_a, "near_2"_a, "stiffness"_a,
           "stiffness_ratio"_a, "damping"_a, "transition"_a, "mu"_a, "v_eps"_a, "play"_a,
           "from_geometry"_a, "inv_v"_a, "entry"_a, "left"_a, "right"_a, "turn_angle"_a);
  py::class_<GearTrain, nsmb::ForceElement, std::shared_ptr<GearTrain>>(m, "GearTrain")
      .def(py::init([](std::vector<GearWheel> wheels, std::vector<GearMesh> meshes,
                       nsmb::Teeth teeth, bool all_teeth, bool events) {
             return std::make_shared<GearTrain>(std::move(wheels), std::move(meshes),
                                                GearTrain::Options{teeth, all_teeth, events});
           }),
           py::kw_only(), "wheels"_a, "meshes"_a, "teeth"_a, "all_teeth"_a, "events"_a)
      .def_property_readonly("states", &GearTrain::states)
      .def("contacts", &contacts, "kinematics"_a, "x"_a, "modes"_a);
}
