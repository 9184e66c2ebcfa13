#include "nsmb/geometry/polyhedron.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

/// Return twice the area times the normal of a flat loop.
Vector3 area_vector(const std::vector<Vector3>& vertices, const std::vector<Index>& loop) {
  Vector3 sum = Vector3::Zero();
  const Vector3& origin = vertices[at(loop.front())];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
    sum += (vertices[at(loop[i])] - origin).cross(vertices[at(loop[i + 1])] - origin);
  }
  return sum;
}

}  // namespace

Polyhedron::Polyhedron(std::vector<Vector3> vertices, const std::vector<std::vector<Index>>& faces)
    : vertices_(std::move(vertices)) {
  const auto n = static_cast<Index>(vertices_.size());
  if (n < 4) reject("vertices", "at least 4 points", std::to_string(n));
  for (const Vector3& v : vertices_) {
    if (!v.allFinite()) reject("vertices", "finite numbers", "a point that is not finite");
  }
  finish();
  for (const std::vector<Index>& loop : faces) {
    if (loop.size() < 3) {
      reject("faces", "loops of at least 3 vertices", std::to_string(loop.size()));
    }
    for (const Index v : loop) {
      if (v < 0 || v >= n) {
        reject("faces", "vertices 0 ... " + std::to_string(n - 1), std::to_string(v));
      }
    }
    add_face(loop);
  }
  join_edges();
  check_convex();
  finish();
  find_width();
}

Polyhedron Polyhedron::segment(const Vector3& a, const Vector3& b) {
  Polyhedron result;
  result.vertices_ = {a, b};
  PolyhedronEdge edge;
  edge.head = 1;
  result.edges_ = {edge};
  result.finish();
  return result;
}

Polyhedron Polyhedron::triangle() {
  Polyhedron result;
  result.vertices_.resize(3, Vector3::Zero());
  result.faces_ = {{Vector3::UnitZ(), 0.0, 0, 3}, {-Vector3::UnitZ(), 0.0, 3, 6}};
  result.loops_ = {0, 1, 2, 2, 1, 0};
  result.loop_edges_ = {0, 1, 2, 1, 0, 2};
  for (Index i = 0; i < 3; ++i) {
    PolyhedronEdge edge;
    edge.tail = i;
    edge.head = (i + 1) % 3;
    edge.left = 0;
    edge.right = 1;
    result.edges_.push_back(edge);
  }
  result.finish();
  return result;
}

void Polyhedron::set_triangle(const Vector3& a, const Vector3& b, const Vector3& c,
                              const Vector3& normal) {
  vertices_[0] = a;
  vertices_[1] = b;
  vertices_[2] = c;
  faces_[0].normal = normal;
  faces_[1].normal = -normal;
  faces_[0].offset = normal.dot(a);
  faces_[1].offset = -faces_[0].offset;
  bounds_ = Bounds{};
  for (const Vector3& v : vertices_) bounds_.add(v);
  for (PolyhedronEdge& e : edges_) {
    e.into_left = normal.cross(vertices_[at(e.head)] - vertices_[at(e.tail)]).normalized();
    e.into_right = e.into_left;
  }
  size_ = (bounds_.high - bounds_.low).maxCoeff();
}

void Polyhedron::add_face(const std::vector<Index>& loop) {
  const Vector3 area = area_vector(vertices_, loop);
  PolyhedronFace face;
  if (!(area.norm() > polyhedra::kFlatFace * size_ * size_)) {
    reject("faces", "faces with an area",
           "face " + std::to_string(faces_.size()) + " with its vertices on a line");
  }
  face.normal = area.normalized();
  face.begin = static_cast<Index>(loops_.size());
  loops_.insert(loops_.end(), loop.begin(), loop.end());
  face.end = static_cast<Index>(loops_.size());
  // The outermost vertex: no other vertex of this face protrudes from it.
  face.offset = -std::numeric_limits<double>::infinity();
  for (const Index v : loop) face.offset = std::max(face.offset, face.normal.dot(vertices_[at(v)]));
  faces_.push_back(face);
}

void Polyhedron::join_edges() {
  loop_edges_.assign(loops_.size(), -1);
  std::map<std::pair<Index, Index>, Index> known;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const PolyhedronFace& face = faces_[f];
    for (Index i = face.begin; i < face.end; ++i) {
      const Index a = loops_[at(i)];
      const Index b = loops_[at(i + 1 < face.end ? i + 1 : face.begin)];
      const Vector3 into = face.normal.cross(vertices_[at(b)] - vertices_[at(a)]).normalized();
      const auto opposite = known.find({b, a});
      if (opposite == known.end()) {
        if (!known.emplace(std::pair{a, b}, static_cast<Index>(edges_.size())).second || a == b) {
          reject("faces", "each edge once in each direction",
                 "vertices " + std::to_string(a) + ", " + std::to_string(b) + " twice");
        }
        PolyhedronEdge edge;
        edge.tail = a;
        edge.head = b;
        edge.left = static_cast<Index>(f);
        edge.into_left = into;
        loop_edges_[at(i)] = static_cast<Index>(edges_.size());
        edges_.push_back(edge);
      } else {
        PolyhedronEdge& edge = edges_[at(opposite->second)];
        if (edge.right >= 0) {
          reject("faces", "each edge once in each direction",
                 "vertices " + std::to_string(a) + ", " + std::to_string(b) + " twice");
        }
        edge.right = static_cast<Index>(f);
        edge.into_right = into;
        loop_edges_[at(i)] = opposite->second;
      }
    }
  }
  for (const PolyhedronEdge& edge : edges_) {
    if (edge.right < 0) {
      reject("faces", "a closed surface",
             "an open edge at vertices " + std::to_string(edge.tail) + ", " +
                 std::to_string(edge.head));
    }
  }
}

void Polyhedron::check_convex() const {
  const double slack = polyhedra::kConvex * size_;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    const PolyhedronFace& face = faces_[f];
    for (const Vector3& v : vertices_) {
      const double height = face.normal.dot(v) - face.offset;
      if (height > slack) {
        reject("faces", "a convex surface, faces counter-clockwise from outside",
               "a vertex " + to_text(height) + " m above face " + std::to_string(f));
      }
    }
    for (Index i = face.begin; i < face.end; ++i) {
      if (face.offset - face.normal.dot(vertices_[at(loops_[at(i)])]) > slack) {
        reject("faces", "flat faces", "face " + std::to_string(f));
      }
    }
  }
}

void Polyhedron::finish() {
  bounds_ = Bounds{};
  for (const Vector3& v : vertices_) bounds_.add(v);
  size_ = (bounds_.high - bounds_.low).maxCoeff();
  around_.clear();
  around_begin_.assign(vertices_.size() + 1, 0);
  for (const Index v : loops_) ++around_begin_[at(v) + 1];
  for (std::size_t v = 0; v < vertices_.size(); ++v) around_begin_[v + 1] += around_begin_[v];
  around_.resize(loops_.size());
  std::vector<Index> next(around_begin_.begin(), around_begin_.end() - 1);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    for (Index i = faces_[f].begin; i < faces_[f].end; ++i) {
      around_[at(next[at(loops_[at(i)])]++)] = static_cast<Index>(f);
    }
  }
}

void Polyhedron::find_width() {
  half_width_ = size_;
  for (const PolyhedronFace& face : faces_) {
    double low = face.offset;
    for (const Vector3& v : vertices_) low = std::min(low, face.normal.dot(v));
    half_width_ = std::min(half_width_, 0.5 * (face.offset - low));
  }
}

void TetrahedraSum::add(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double six = a.dot(b.cross(c));  // six times the signed volume
  const Vector3 sum = a + b + c;
  volume_ += six / 6.0;
  first_ += six / 24.0 * sum;
  second_ += six / 120.0 *
             (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
}

MassProperties TetrahedraSum::mass_properties(double density) const {
  check_positive("density", density);
  MassProperties result;
  result.mass = density * volume_;
  result.center = first_ / volume_;
  const Matrix3 central = second_ - volume_ * result.center * result.center.transpose();
  result.inertia = density * (central.trace() * Matrix3::Identity() - central);
  return result;
}

PolyhedronShape::PolyhedronShape(Polyhedron polyhedron) : polyhedron_(std::move(polyhedron)) {
  const std::vector<Vector3>& v = polyhedron_.vertices();
  const std::vector<Index>& loops = polyhedron_.loops();
  for (const PolyhedronFace& face : polyhedron_.faces()) {
    for (Index i = face.begin + 1; i + 1 < face.end; ++i) {
      integrals_.add(v[at(loops[at(face.begin)])], v[at(loops[at(i)])], v[at(loops[at(i + 1)])]);
    }
  }
}

Bounds PolyhedronShape::bounds(const Placement& pose) const {
  Bounds result;
  for (const Vector3& v : polyhedron_.vertices()) result.add(pose.point(v));
  return result;
}

MassProperties PolyhedronShape::mass_properties(double density) const {
  return integrals_.mass_properties(density);
}

PolyhedronShape make_box(const Vector3& size) {
  for (const double edge : size) check_positive("size", edge);
  std::vector<Vector3> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.push_back(
        0.5 * size.cwiseProduct(Vector3((i & 1) ? 1 : -1, (i & 2) ? 1 : -1, (i & 4) ? 1 : -1)));
  }
  return PolyhedronShape(Polyhedron(
      std::move(vertices),
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}));
}

}  // namespace nsmb
