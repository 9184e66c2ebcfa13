#include "bindings/bindings.hpp"
#include "bindings/user_functions.hpp"
#include "nsmb/core/check.hpp"
#include "nsmb/geometry/candidates.hpp"
#include "nsmb/geometry/chain.hpp"
#include "nsmb/geometry/curves.hpp"
#include "nsmb/geometry/involute.hpp"
#include "nsmb/geometry/node_chain.hpp"
#include "nsmb/geometry/outline_touch.hpp"
#include "nsmb/geometry/spline.hpp"

void bind_shapes(py::module_& geometry);
void bind_areal_meshes(py::module_& geometry);

namespace {

using nsmb::ContactPoint;
using nsmb::Contour;
using nsmb::Index;
using nsmb::Matrix;
using nsmb::Vector;
using nsmb::Vector2;
using ContourPtr = std::shared_ptr<Contour>;
using Poses = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;

nsmb::Pose pose_of(const Poses& poses, Index i) {
  return {Vector2(poses(i, 0), poses(i, 1)), poses(i, 2)};
}

void check_index(const char* name, Index i, Index n) {
  if (i >= 0 && i < n) return;
  nsmb::reject(name, "0 ... " + std::to_string(n - 1), std::to_string(i));
}

/// Arrays of contact points, one row each.
struct Table {
  explicit Table(Index n)
      : status(n),
        iterations(n),
        sigma_1(n),
        sigma_2(n),
        r_1(n, 2),
        r_2(n, 2),
        t_1(n, 2),
        n_1(n, 2),
        t_2(n, 2),
        n_2(n, 2),
        kappa_1(n),
        kappa_2(n),
        g_N(n),
        domain(n),
        residual(n) {}

  void store(Index i, const ContactPoint& p) {
    status(i) = static_cast<int>(p.status);
    iterations(i) = p.iterations;
    sigma_1(i) = p.sigma_1;
    sigma_2(i) = p.sigma_2;
    r_1.row(i) = p.r_1.transpose();
    r_2.row(i) = p.r_2.transpose();
    t_1.row(i) = p.t_1.transpose();
    n_1.row(i) = p.n_1.transpose();
    t_2.row(i) = p.t_2.transpose();
    n_2.row(i) = p.n_2.transpose();
    kappa_1(i) = p.kappa_1;
    kappa_2(i) = p.kappa_2;
    g_N(i) = p.g_N;
    domain(i) = p.domain;
    residual(i) = p.residual;
  }

  py::dict dict() const {
    return py::dict("status"_a = status, "iterations"_a = iterations, "sigma_1"_a = sigma_1,
                    "sigma_2"_a = sigma_2, "r_1"_a = r_1, "r_2"_a = r_2, "t_1"_a = t_1,
                    "n_1"_a = n_1, "t_2"_a = t_2, "n_2"_a = n_2, "kappa_1"_a = kappa_1,
                    "kappa_2"_a = kappa_2, "g_N"_a = g_N, "domain"_a = domain,
                    "residual"_a = residual);
  }

  Eigen::VectorXi status, iterations;
  Vector sigma_1, sigma_2;
  Rows r_1, r_2, t_1, n_1, t_2, n_2;
  Vector kappa_1, kappa_2, g_N, domain, residual;
};

using Features = Eigen::Matrix<Index, Eigen::Dynamic, 1>;

py::dict contact_points(const Contour& c1, const Poses& poses_1, const Contour& c2,
                        const Poses& poses_2, const Features& first, const Features& second,
                        const Vector& sigma_1, const Vector& sigma_2) {
  const Index n = poses_1.rows();
  for (const Index size :
       {poses_2.rows(), first.size(), second.size(), sigma_1.size(), sigma_2.size()}) {
    if (size != n) {
      nsmb::reject("poses_2, first, second, sigma_1, sigma_2",
                   "as many rows as poses_1, " + std::to_string(n), std::to_string(size));
    }
  }
  Table table(n);
  for (Index i = 0; i < n; ++i) {
    ContactPoint point;
    nsmb::contact_point(c1, pose_of(poses_1, i), c2, pose_of(poses_2, i),
                        {first(i), second(i), sigma_1(i), sigma_2(i)}, point);
    table.store(i, point);
  }
  return table.dict();
}

py::dict find_candidates(const Contour& c1, const Poses& poses_1, const Contour& c2,
                         const Poses& poses_2, double distance, double skin, Index max,
                         bool use_tree) {
  if (poses_1.rows() != poses_2.rows()) {
    nsmb::reject("poses_2", "as many rows as poses_1, " + std::to_string(poses_1.rows()),
                 std::to_string(poses_2.rows()));
  }
  const nsmb::CandidateOptions options{distance, skin, max, use_tree};
  nsmb::CandidateWorkspace workspace;
  nsmb::CandidateResult result;
  std::vector<Index> rows;
  std::vector<nsmb::Candidate> all;
  Index box_tests = 0, point_tests = 0;
  bool is_complete = true;
  for (Index i = 0; i < poses_1.rows(); ++i) {
    nsmb::find_candidates(c1, pose_of(poses_1, i), c2, pose_of(poses_2, i), options, workspace,
                          result);
    rows.insert(rows.end(), result.candidates.size(), i);
    all.insert(all.end(), result.candidates.begin(), result.candidates.end());
    box_tests += result.box_tests;
    point_tests += result.point_tests;
    is_complete = is_complete && result.is_complete;
  }
  const auto n = static_cast<Index>(all.size());
  Table table(n);
  Features first(n), second(n);
  for (Index i = 0; i < n; ++i) {
    const nsmb::Candidate& c = all[static_cast<std::size_t>(i)];
    table.store(i, c.point);
    first(i) = c.pair.first;
    second(i) = c.pair.second;
  }
  py::dict found = table.dict();
  found["row"] = Features(Eigen::Map<const Features>(rows.data(), n));
  found["first"] = first;
  found["second"] = second;
  found["box_tests"] = box_tests;
  found["point_tests"] = point_tests;
  found["is_complete"] = is_complete;
  return found;
}

// Return the corners of the convex parts of a polygon.
std::vector<std::vector<Index>> outline_parts(const nsmb::ChainContour& chain) {
  std::vector<std::vector<Index>> parts;
  const nsmb::Outline outline(chain);
  for (const nsmb::ConvexPart& part : outline.parts()) {
    std::vector<Index>& corners = parts.emplace_back();
    for (const nsmb::OutlineSide& side : part.sides) corners.push_back(side.vertex);
  }
  return parts;
}

py::dict outline_touches(const nsmb::ChainContour& c1, const Poses& poses_1,
                         const nsmb::ChainContour& c2, const Poses& poses_2, double margin) {
  const nsmb::Outline outline_1(c1), outline_2(c2);
  nsmb::OutlineWorkspace workspace;
  std::vector<Index> rows, first, second;
  std::vector<double> gaps;
  Vector overlap(poses_1.rows());
  for (Index i = 0; i < poses_1.rows(); ++i) {
    const nsmb::Pose pose_1 = pose_of(poses_1, i), pose_2 = pose_of(poses_2, i);
    nsmb::find_touches(outline_1, pose_1, outline_2, pose_2, margin, workspace);
    for (const nsmb::OutlineTouch& touch : workspace.found) {
      rows.push_back(i);
      first.push_back(touch.pair.first);
      second.push_back(touch.pair.second);
      gaps.push_back(touch.g_N);
    }
    overlap(i) = nsmb::overlap_depth(outline_1, pose_1, outline_2, pose_2, workspace);
  }
  return py::dict("row"_a = rows, "first"_a = first, "second"_a = second, "g_N"_a = gaps,
                  "overlap"_a = overlap);
}

py::dict contact_rates(const Vector2& t_1, double kappa_1, double kappa_2, double g_N,
                       const Vector2& v_C1, const Vector2& v_C2, double Omega_1, double Omega_2) {
  ContactPoint p;
  p.t_1 = t_1;
  p.kappa_1 = kappa_1;
  p.kappa_2 = kappa_2;
  p.g_N = g_N;
  const nsmb::ContactRates rates = nsmb::contact_rates(p, v_C1, v_C2, Omega_1, Omega_2);
  return py::dict("is_singular"_a = rates.is_singular, "sdot_1"_a = rates.sdot_1,
                  "sdot_2"_a = rates.sdot_2, "kappa_sdot_1"_a = rates.kappa_sdot_1,
                  "kappa_sdot_2"_a = rates.kappa_sdot_2);
}

using UserFunction = std::function<std::tuple<Vector2, Vector2, Vector2>(double)>;

ContourPtr make_user(UserFunction function, double begin, double end, bool closed, Index parts) {
  return std::make_shared<nsmb::UserContour>(
      [function = told(std::move(function))](double sigma, nsmb::CurveDerivatives& d) {
        std::tie(d.r, d.d1, d.d2) = function(sigma);
      },
      begin, end, closed, parts);
}

py::dict test_edge(const nsmb::ChainContour& chain, Index edge, const Vector2& point, double skin) {
  check_index("edge", edge, chain.pieces());
  const nsmb::EdgeTest test = nsmb::test_edge(chain, edge, point, skin);
  return py::dict("h"_a = test.h, "domain_begin"_a = test.domain_begin,
                  "domain_end"_a = test.domain_end, "inside"_a = test.inside);
}

}  // namespace

void bind_geometry(py::module_& m) {
  py::enum_<nsmb::ContactPointStatus>(m, "ContactPointStatus")
      .value("NOT_RUN", nsmb::ContactPointStatus::NotRun)
      .value("FOUND", nsmb::ContactPointStatus::Found)
      .value("SINGULAR", nsmb::ContactPointStatus::Singular)
      .value("NOT_CONVERGED", nsmb::ContactPointStatus::NotConverged)
      .value("NO_NORMAL", nsmb::ContactPointStatus::NoNormal);

  py::class_<Contour, ContourPtr>(m, "Contour")
      .def_property_readonly("pieces", &Contour::pieces)
      .def_property_readonly("vertices", &Contour::vertices)
      .def_property_readonly("size", &Contour::size)
      .def_property_readonly("elements",
                             [](const Contour& c) {
                               Matrix table(c.elements().size(), 3);
                               for (std::size_t i = 0; i < c.elements().size(); ++i) {
                                 const nsmb::Element& e = c.elements()[i];
                                 table.row(static_cast<Index>(i)) << static_cast<double>(e.piece),
                                     e.begin, e.end;
                               }
                               return table;
                             })
      .def(
          "range",
          [](const Contour& c, Index piece) {
            check_index("piece", piece, c.pieces());
            const nsmb::Piece p = c.piece(piece);
            return std::tuple(p.begin, p.end, p.closed);
          },
          "piece"_a)
      .def(
          "at",
          [](const Contour& c, Index piece, const Vector& sigma) {
            check_index("piece", piece, c.pieces());
            const Index n = sigma.size();
            Rows r(n, 2), t(n, 2), normal(n, 2);
            Vector kappa(n), speed(n);
            for (Index i = 0; i < n; ++i) {
              const nsmb::CurvePoint p = c.at(piece, sigma(i));
              r.row(i) = p.r.transpose();
              t.row(i) = p.t.transpose();
              normal.row(i) = p.n.transpose();
              kappa(i) = p.kappa;
              speed(i) = p.speed;
            }
            return py::dict("r"_a = r, "t"_a = t, "n"_a = normal, "kappa"_a = kappa,
                            "speed"_a = speed);
          },
          "piece"_a, "sigma"_a)
      .def(
          "vertex",
          [](const Contour& c, Index i) {
            check_index("i", i, c.vertices());
            const nsmb::Vertex v = c.vertex(i);
            return py::dict("r"_a = v.r, "t_in"_a = v.t_in, "t_out"_a = v.t_out,
                            "is_convex"_a = v.is_convex, "has_cone"_a = v.has_cone,
                            "is_end"_a = v.is_end);
          },
          "i"_a);

  py::class_<nsmb::ChainContour, Contour, std::shared_ptr<nsmb::ChainContour>>(m, "Chain")
      .def(py::init([](const Rows& points, bool closed, bool hole) {
             return std::make_shared<nsmb::ChainContour>(
                 Matrix(points.transpose()), closed, hole ? nsmb::Sense::Hole : nsmb::Sense::Outer);
           }),
           "points"_a, "closed"_a, "hole"_a = false)
      .def_property_readonly(
          "points", [](const nsmb::ChainContour& c) { return Rows(c.points().transpose()); })
      .def_property_readonly("closed", &nsmb::ChainContour::closed)
      .def_property_readonly("reversed", &nsmb::ChainContour::reversed);
  py::class_<nsmb::NodeChain, nsmb::ChainContour, std::shared_ptr<nsmb::NodeChain>>(m, "NodeChain")
      .def(py::init([](const Rows& points, bool closed, bool nodes_touch) {
             return std::make_shared<nsmb::NodeChain>(Matrix(points.transpose()), closed,
                                                      nodes_touch);
           }),
           "points"_a, "closed"_a, "nodes_touch"_a)
      .def(
          "move_to",
          [](nsmb::NodeChain& c, const Rows& points) {
            nsmb::check_shape("points", points, c.vertices(), 2);
            c.move_to(Matrix(points.transpose()));
            c.refit();
          },
          "points"_a);

  m.def(
      "line",
      [](const Vector2& point, const Vector2& direction) -> ContourPtr {
        return std::make_shared<nsmb::LineContour>(point, direction);
      },
      "point"_a, "direction"_a);
  m.def(
      "point",
      [](const Vector2& point) -> ContourPtr {
        return std::make_shared<nsmb::PointContour>(point);
      },
      "point"_a);
  m.def(
      "circle",
      [](const Vector2& center, double radius) -> ContourPtr {
        return std::make_shared<nsmb::CircleContour>(center, radius);
      },
      "center"_a, "radius"_a);
  m.def(
      "arc",
      [](const Vector2& center, double radius, double begin, double end) -> ContourPtr {
        return std::make_shared<nsmb::CircleContour>(center, radius, begin, end);
      },
      "center"_a, "radius"_a, "begin"_a, "end"_a);
  m.def(
      "ellipse",
      [](double a, double b, bool concave) -> ContourPtr {
        return std::make_shared<nsmb::EllipseContour>(a, b, concave);
      },
      "a"_a, "b"_a, "concave"_a);
  m.def(
      "parabola",
      [](double p_1, double p_2, bool concave, double half_width) -> ContourPtr {
        return std::make_shared<nsmb::ParabolaContour>(p_1, p_2, concave, half_width);
      },
      "p_1"_a, "p_2"_a, "concave"_a, "half_width"_a);
  m.def(
      "involute",
      [](const Vector2& center, double base_radius, double begin, double end, double angle,
         bool is_right, bool is_concave) -> ContourPtr {
        return std::make_shared<nsmb::InvoluteContour>(
            nsmb::Flank{center, base_radius, begin, end, angle, is_right, is_concave});
      },
      "center"_a, "base_radius"_a, "begin"_a, "end"_a, "angle"_a, "is_right"_a, "is_concave"_a);
  m.def(
      "teeth",
      [](double base_radius, double begin, double end, double right, double left, Index teeth,
         bool is_concave) -> ContourPtr {
        const Vector2 center = Vector2::Zero();
        return std::make_shared<nsmb::TeethContour>(
            nsmb::Flank{center, base_radius, begin, end, right, true, is_concave},
            nsmb::Flank{center, base_radius, begin, end, left, false, is_concave}, teeth);
      },
      "base_radius"_a, "begin"_a, "end"_a, "right"_a, "left"_a, "teeth"_a, "is_concave"_a);
  m.def(
      "spline",
      [](std::vector<double> knots, const Matrix& x, const Matrix& y, bool closed) -> ContourPtr {
        return std::make_shared<nsmb::SplineContour>(std::move(knots), x, y, closed);
      },
      "knots"_a, "x"_a, "y"_a, "closed"_a);
  m.def("user", &make_user, "function"_a, "begin"_a, "end"_a, "closed"_a, "parts"_a);

  m.def("check_pair", &nsmb::check_pair, "c1"_a, "c2"_a);
  m.def("contact_points", &contact_points, "c1"_a, "poses_1"_a, "c2"_a, "poses_2"_a, "first"_a,
        "second"_a, "sigma_1"_a, "sigma_2"_a);
  m.def("find_candidates", &find_candidates, "c1"_a, "poses_1"_a, "c2"_a, "poses_2"_a, "distance"_a,
        "skin"_a = -1.0, "max"_a = -1, "use_tree"_a = true);
  m.def("outline_parts", &outline_parts, "chain"_a);
  m.def("outline_touches", &outline_touches, "c1"_a, "poses_1"_a, "c2"_a, "poses_2"_a, "margin"_a);
  m.def("contact_rates", &contact_rates, "t_1"_a, "kappa_1"_a, "kappa_2"_a, "g_N"_a, "v_C1"_a,
        "v_C2"_a, "Omega_1"_a, "Omega_2"_a);
  m.def("test_edge", &test_edge, "chain"_a, "edge"_a, "point"_a, "skin"_a);
  bind_shapes(m);
  bind_areal_meshes(m);
}
