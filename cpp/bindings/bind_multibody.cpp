#include <optional>

#include "bindings/bindings.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/multibody/dynamics.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/multibody/user_joint.hpp"

namespace {

using nsmb::ConstVectorRef;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Matrix3;
using nsmb::Tree;
using nsmb::Vector;
using nsmb::Vector3;

// body, point, force, moment
using Load = std::tuple<std::string, Vector3, Vector3, Vector3>;

// Kinematics of a marker, with the number of velocities of the tree.
struct MarkerResult : nsmb::MarkerKinematics {
  Index nu;

  // (3, nu)
  Matrix all(const Columns& J) const {
    Matrix full = Matrix::Zero(3, nu);
    each_range([&](const nsmb::VelocityRange& range, Index column) {
      full.middleCols(range.first, range.size) = J.middleCols(column, range.size);
    });
    return full;
  }
};

// A tree and the workspace to evaluate it, for one thread.
class Evaluation {
 public:
  explicit Evaluation(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)), work_(*tree_) {}

  Matrix mass_matrix(double t, const ConstVectorRef& q, int repeat) {
    Matrix M(tree_->nu(), tree_->nu());
    for (int i = 0; i < repeat; ++i) {
      positions(t, q);
      nsmb::mass_matrix(*tree_, work_, M);
    }
    return M;
  }

  Vector forces(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                const std::vector<Load>& loads, int repeat) {
    Vector h(tree_->nu());
    for (int i = 0; i < repeat; ++i) {
      state(t, q, u);
      apply(loads);
      nsmb::forces(*tree_, work_, h);
    }
    return h;
  }

  // Return the accelerations, or the index of a velocity that moves no mass.
  std::pair<Vector, Index> forward_dynamics(double t, const ConstVectorRef& q,
                                            const ConstVectorRef& u, const ConstVectorRef& tau,
                                            const std::vector<Load>& loads, int repeat) {
    Vector udot(tree_->nu());
    if (tau.size() > 0) nsmb::check_size("tau", tau, tree_->nu());
    Index massless = -1;
    for (int i = 0; i < repeat; ++i) {
      state(t, q, u);
      apply(loads);
      massless = nsmb::forward_dynamics(*tree_, work_, tau, udot).massless;
    }
    return {std::move(udot), massless};
  }

  std::pair<Matrix, Index> solve_inertia(double t, const ConstVectorRef& q, Matrix B, int repeat) {
    nsmb::check_shape("B", B, tree_->nu(), B.cols());
    Matrix X = B;
    Index massless = -1;
    for (int i = 0; i < repeat; ++i) {
      positions(t, q);
      massless = nsmb::factorise_inertia(*tree_, work_).massless;
      if (massless >= 0) break;
      X = B;
      nsmb::solve_inertia(*tree_, work_, X);
    }
    return {std::move(X), massless};
  }

  std::pair<double, double> energies(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
    state(t, q, u);
    return {nsmb::kinetic_energy(*tree_, work_), nsmb::potential_energy(*tree_, work_)};
  }

  nsmb::Momentum momentum(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
    state(t, q, u);
    return nsmb::momentum(*tree_, work_);
  }

  MarkerResult marker(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                      const std::string& body, const nsmb::Frame& frame) {
    state(t, q, u);
    const nsmb::Marker marker{tree_->index(body), nsmb::checked_frame("frame", frame)};
    MarkerResult result{nsmb::MarkerKinematics(*tree_, marker), tree_->nu()};
    nsmb::marker_kinematics(*tree_, work_, marker, result);
    return result;
  }

 private:
  void positions(double t, const ConstVectorRef& q) {
    nsmb::check_size("q", q, tree_->nq());
    nsmb::evaluate_positions(*tree_, t, q, work_);
  }

  void state(double t, const ConstVectorRef& q, const ConstVectorRef& u) {
    nsmb::check_size("q", q, tree_->nq());
    nsmb::check_size("u", u, tree_->nu());
    nsmb::evaluate_state(*tree_, t, q, u, work_);
  }

  void apply(const std::vector<Load>& loads) {
    if (work_.any_applied) work_.clear_applied();
    for (const auto& [body, point, force, moment] : loads) {
      nsmb::apply_force(*tree_, tree_->index(body), point, force, moment, work_);
    }
  }

  std::shared_ptr<const Tree> tree_;
  nsmb::TreeWorkspace work_;
};

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Position = std::function<std::pair<Vector3, Matrix3>(double, const Vector&)>;
using Subspace = std::function<Matrix(double, const Vector&)>;
using Prescribed = std::function<Vector6(double, const Vector&)>;
using Bias = std::function<Vector6(double, const Vector&, const Vector&)>;
using CoordinateRates = std::function<Vector(const Vector&, const Vector&)>;
using Normalise = std::function<Vector(const Vector&)>;

std::shared_ptr<nsmb::FunctionJoint> make_function_joint(
    std::vector<std::string> coordinates, Index nu, Position position, Subspace subspace, Bias bias,
    Prescribed prescribed, CoordinateRates coordinate_rates, Normalise normalise,
    const std::optional<Vector>& reference) {
  const auto nq = static_cast<Index>(coordinates.size());
  const bool rheonomic = static_cast<bool>(prescribed);
  position = told(std::move(position));
  subspace = told(std::move(subspace));
  bias = told(std::move(bias));
  prescribed = told(std::move(prescribed));
  coordinate_rates = told(std::move(coordinate_rates));
  normalise = told(std::move(normalise));
  nsmb::FunctionJoint::Functions functions;
  functions.evaluate = [=](double t, const double* q_data, const double* u_data,
                           nsmb::JointKinematics& k) {
    const Vector q = Eigen::Map<const Vector>(q_data, nq);
    const Vector u = Eigen::Map<const Vector>(u_data, nu);
    std::tie(k.r, k.A) = position(t, q);
    const Matrix S = subspace(t, q);
    nsmb::check_shape("subspace", S, 6, nu);
    k.J_T.leftCols(nu) = S.topRows<3>();
    k.J_R.leftCols(nu) = S.bottomRows<3>();
    if (prescribed) {
      const Vector6 j = prescribed(t, q);
      k.j_T = j.head<3>();
      k.j_R = j.tail<3>();
    }
    if (bias) {
      const Vector6 b = bias(t, q, u);
      k.b_T = b.head<3>();
      k.b_R = b.tail<3>();
    }
  };
  if (coordinate_rates) {
    functions.coordinate_rates = [=](const double* q, const double* u, double* qdot) {
      const Vector rates =
          coordinate_rates(Eigen::Map<const Vector>(q, nq), Eigen::Map<const Vector>(u, nu));
      nsmb::check_size("coordinate_rates", rates, nq);
      Eigen::Map<Vector>(qdot, nq) = rates;
    };
  }
  if (normalise) {
    functions.normalise = [=](double* q) {
      const Vector normal = normalise(Eigen::Map<const Vector>(q, nq));
      nsmb::check_size("normalise", normal, nq);
      Eigen::Map<Vector>(q, nq) = normal;
    };
  }
  return std::make_shared<nsmb::FunctionJoint>(std::move(coordinates), nu, std::move(functions),
                                               reference.value_or(Vector::Zero(nq)), rheonomic);
}

template <class JointType>
using JointClass = py::class_<JointType, nsmb::Joint, std::shared_ptr<JointType>>;

void bind_joints(py::module_& m) {
  const Vector3 e_z = Vector3::UnitZ();
  py::class_<nsmb::Joint, std::shared_ptr<nsmb::Joint>>(m, "Joint")
      .def_property_readonly("nq", &nsmb::Joint::nq)
      .def_property_readonly("nu", &nsmb::Joint::nu)
      .def_property_readonly("coordinates", &nsmb::Joint::coordinates);
  JointClass<nsmb::FixedJoint>(m, "FixedJoint").def(py::init<>());
  JointClass<nsmb::RevoluteJoint>(m, "RevoluteJoint")
      .def(py::init<const Vector3&>(), "axis"_a = e_z);
  JointClass<nsmb::PrismaticJoint>(m, "PrismaticJoint")
      .def(py::init<const Vector3&>(), "axis"_a = e_z);
  JointClass<nsmb::ScrewJoint>(m, "ScrewJoint")
      .def(py::init<double, const Vector3&>(), "pitch"_a, "axis"_a = e_z);
  JointClass<nsmb::CylindricalJoint>(m, "CylindricalJoint")
      .def(py::init<const Vector3&>(), "axis"_a = e_z);
  JointClass<nsmb::UniversalJoint>(m, "UniversalJoint").def(py::init<>());
  JointClass<nsmb::PlanarJoint>(m, "PlanarJoint").def(py::init<>());
  JointClass<nsmb::SphericalJoint>(m, "SphericalJoint").def(py::init<>());
  JointClass<nsmb::FreeJoint>(m, "FreeJoint").def(py::init<>());
  JointClass<nsmb::FunctionJoint>(m, "FunctionJoint")
      .def(py::init(&make_function_joint), "coordinates"_a, "nu"_a, "position"_a, "subspace"_a,
           "bias"_a = nullptr, "prescribed"_a = nullptr, "coordinate_rates"_a = nullptr,
           "normalise"_a = nullptr, "reference"_a = std::nullopt);
}

}  // namespace

void bind_multibody(py::module_& m) {
  using nsmb::BodyDescription;
  using nsmb::Frame;
  py::class_<Frame>(m, "Frame")
      .def(py::init([](const Vector3& r, const Matrix3& A) { return Frame{r, A}; }),
           "r"_a = Vector3(Vector3::Zero()), "A"_a = Matrix3(Matrix3::Identity()))
      .def_readonly("r", &Frame::r)
      .def_readonly("A", &Frame::A);

  bind_joints(m);

  py::class_<nsmb::JointMotion>(m, "JointMotion")
      .def(py::init([](Index coordinate, nsmb::Motion s, bool locked) {
             return nsmb::JointMotion{coordinate, locked, told(std::move(s))};
           }),
           "coordinate"_a, "s"_a, "locked"_a = false)
      .def_static(
          "polynomial",
          [](Index coordinate, const Vector& coefficients, bool locked) {
            return nsmb::JointMotion{coordinate, locked, nsmb::polynomial_motion(coefficients)};
          },
          "coordinate"_a, "coefficients"_a, "locked"_a = false)
      .def_static(
          "pieces",
          [](Index coordinate, std::vector<double> starts, std::vector<Vector> coefficients,
             bool locked) {
            return nsmb::JointMotion{
                coordinate, locked,
                nsmb::polynomial_pieces(std::move(starts), std::move(coefficients))};
          },
          "coordinate"_a, "starts"_a, "coefficients"_a, "locked"_a = false);

  py::class_<nsmb::ElasticDescription, std::shared_ptr<nsmb::ElasticDescription>>(m, "Elastic")
      .def(py::init([](const nsmb::Rows3& displacement, const Matrix& first, const Matrix& second,
                       const nsmb::Rows3& turn, const Matrix& turning, const Matrix& stiffness,
                       const Matrix& damping, const Matrix& drawn, const Matrix& drawn_first) {
             return nsmb::ElasticDescription{displacement, first,   second, turn,       turning,
                                             stiffness,    damping, drawn,  drawn_first};
           }),
           "displacement"_a, "first"_a, "second"_a, "turn"_a, "turning"_a, "stiffness"_a,
           "damping"_a, "drawn"_a = Matrix(), "drawn_first"_a = Matrix())
      .def_property_readonly("mass", &nsmb::ElasticDescription::mass_matrix)
      .def_readonly("stiffness", &nsmb::ElasticDescription::stiffness)
      .def_readonly("damping", &nsmb::ElasticDescription::damping);

  py::class_<nsmb::ElasticNode, std::shared_ptr<nsmb::ElasticNode>>(m, "ElasticNode")
      .def(py::init(
               [](const nsmb::Rows3& displacement, const nsmb::Rows3& turn, const Matrix& drawn) {
                 return nsmb::ElasticNode{displacement, turn, nsmb::Matrix3::Identity(), drawn};
               }),
           "displacement"_a, "turn"_a, "drawn"_a = Matrix());

  py::class_<BodyDescription>(m, "Body")
      .def(py::init([](std::string name, double mass, const Vector3& center, const Matrix3& inertia,
                       std::shared_ptr<nsmb::Joint> joint, std::string parent,
                       const Frame& parent_frame, const Frame& body_frame, std::string joint_name,
                       std::vector<nsmb::JointMotion> motions,
                       std::shared_ptr<nsmb::ElasticDescription> elastic,
                       std::shared_ptr<nsmb::ElasticNode> node) {
             return BodyDescription{std::move(name),
                                    mass,
                                    center,
                                    inertia,
                                    std::move(parent),
                                    std::move(joint_name),
                                    std::move(joint),
                                    parent_frame,
                                    body_frame,
                                    std::move(motions),
                                    std::move(elastic),
                                    std::move(node)};
           }),
           "name"_a, "mass"_a, "center"_a, "inertia"_a, "joint"_a,
           "parent"_a = std::string(nsmb::kEnvironment), "parent_frame"_a = Frame{},
           "body_frame"_a = Frame{}, "joint_name"_a = "",
           "motions"_a = std::vector<nsmb::JointMotion>(), "elastic"_a = nullptr,
           "node"_a = nullptr)
      .def_readonly("name", &BodyDescription::name)
      .def_readonly("mass", &BodyDescription::mass)
      .def_readonly("center", &BodyDescription::center)
      .def_readonly("inertia", &BodyDescription::inertia)
      .def_readonly("parent", &BodyDescription::parent);

  py::class_<Tree, std::shared_ptr<Tree>>(m, "Tree")
      .def(py::init<std::vector<BodyDescription>, const Vector3&>(), "bodies"_a,
           "gravity"_a = Vector3(Vector3::Zero()))
      .def_property_readonly("nq", &Tree::nq)
      .def_property_readonly("nu", &Tree::nu)
      .def_property_readonly("coordinates", &Tree::coordinates)
      .def_property_readonly("gravity", &Tree::gravity)
      .def_property_readonly("rheonomic", &Tree::rheonomic)
      .def_property_readonly("reference", &Tree::reference)
      .def(
          "coordinate_rates",
          [](const Tree& tree, const Vector& q, const Vector& u) {
            nsmb::check_size("q", q, tree.nq());
            nsmb::check_size("u", u, tree.nu());
            Vector qdot(tree.nq());
            tree.coordinate_rates(q, u, qdot);
            return qdot;
          },
          "q"_a, "u"_a)
      .def(
          "normalise",
          [](const Tree& tree, Vector q) {
            nsmb::check_size("q", q, tree.nq());
            tree.normalise(q);
            return q;
          },
          "q"_a);

  py::class_<MarkerResult>(m, "MarkerKinematics")
      .def_property_readonly("r", [](const MarkerResult& k) { return k.r; })
      .def_property_readonly("A", [](const MarkerResult& k) { return k.A; })
      .def_property_readonly("v", [](const MarkerResult& k) { return k.v; })
      .def_property_readonly("Omega", [](const MarkerResult& k) { return k.Omega; })
      .def_property_readonly("J_S", [](const MarkerResult& k) { return k.all(k.J_S); })
      .def_property_readonly("J_R", [](const MarkerResult& k) { return k.all(k.J_R); })
      .def_property_readonly("j_tilde_S", [](const MarkerResult& k) { return k.j_tilde_S; })
      .def_property_readonly("j_tilde_R", [](const MarkerResult& k) { return k.j_tilde_R; })
      .def_property_readonly("j_bar_S", [](const MarkerResult& k) { return k.j_bar_S; })
      .def_property_readonly("j_bar_R", [](const MarkerResult& k) { return k.j_bar_R; });

  py::class_<nsmb::Momentum>(m, "Momentum")
      .def_readonly("mass", &nsmb::Momentum::mass)
      .def_readonly("center", &nsmb::Momentum::center)
      .def_readonly("p", &nsmb::Momentum::p)
      .def_readonly("L", &nsmb::Momentum::L);

  py::class_<Evaluation>(m, "TreeEvaluation")
      .def(py::init<std::shared_ptr<Tree>>(), "tree"_a)
      .def("mass_matrix", &Evaluation::mass_matrix, "t"_a, "q"_a, "repeat"_a = 1)
      .def("forces", &Evaluation::forces, "t"_a, "q"_a, "u"_a, "loads"_a = std::vector<Load>(),
           "repeat"_a = 1)
      .def("forward_dynamics", &Evaluation::forward_dynamics, "t"_a, "q"_a, "u"_a,
           "tau"_a = Vector(), "loads"_a = std::vector<Load>(), "repeat"_a = 1)
      .def("solve_inertia", &Evaluation::solve_inertia, "t"_a, "q"_a, "B"_a, "repeat"_a = 1)
      .def("energies", &Evaluation::energies, "t"_a, "q"_a, "u"_a)
      .def("momentum", &Evaluation::momentum, "t"_a, "q"_a, "u"_a)
      .def("marker", &Evaluation::marker, "t"_a, "q"_a, "u"_a, "body"_a, "frame"_a = Frame{});
}
