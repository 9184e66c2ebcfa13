// Convex polyhedra: flat faces with their edges and vertices, and shapes consisting of one.
#pragma once

#include <vector>

#include "nsmb/geometry/shape.hpp"

namespace nsmb {

/// A face. Seen from outside, `loop` runs counter-clockwise.
struct PolyhedronFace {
  Vector3 normal = Vector3::UnitZ();  // outward
  double offset = 0.0;                // m, normalᵀ x on the face
  Index begin = 0, end = 0;           // of its vertices in `loops`
};

/// An edge, with the directions from it into its faces. The edge is in the support of a direction n
/// if neither of them rises along n.
struct PolyhedronEdge {
  Index tail = 0, head = 0;     // vertices
  Index left = -1, right = -1;  // faces; -1: none, for a segment
  Vector3 into_left = Vector3::Zero(), into_right = Vector3::Zero();
};

/// Features: faces, then edges, then vertices. A segment has no face, a triangle two.
class Polyhedron {
 public:
  Polyhedron() = default;
  /// Build from faces, each a loop of vertices, counter-clockwise from outside. Throws
  /// std::invalid_argument when they do not form a closed convex surface.
  Polyhedron(std::vector<Vector3> vertices, const std::vector<std::vector<Index>>& faces);
  static Polyhedron segment(const Vector3& a, const Vector3& b);
  static Polyhedron triangle();
  /// Set the corners of a triangle; `a`, `b`, `c` counter-clockwise seen along -`normal`.
  void set_triangle(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& normal);

  const std::vector<Vector3>& vertices() const { return vertices_; }
  const std::vector<PolyhedronFace>& faces() const { return faces_; }
  const std::vector<PolyhedronEdge>& edges() const { return edges_; }
  /// Vertices of all faces, and the edge after each of them in its face.
  const std::vector<Index>& loops() const { return loops_; }
  const std::vector<Index>& loop_edges() const { return loop_edges_; }
  /// Faces around vertex v: around()[around_begin()[v]] up to the entry before that of v + 1.
  const std::vector<Index>& around() const { return around_; }
  const std::vector<Index>& around_begin() const { return around_begin_; }
  const Bounds& bounds() const { return bounds_; }
  double size() const { return size_; }
  /// Half of the least distance between two parallel planes that enclose it and touch a face, m;
  /// zero for a segment.
  double half_width() const { return half_width_; }

  Index face_feature(Index face) const { return face; }
  Index edge_feature(Index edge) const { return static_cast<Index>(faces_.size()) + edge; }
  Index vertex_feature(Index vertex) const {
    return static_cast<Index>(faces_.size() + edges_.size()) + vertex;
  }
  Index features() const { return vertex_feature(static_cast<Index>(vertices_.size())); }

 private:
  void add_face(const std::vector<Index>& loop);
  void join_edges();
  void check_convex() const;
  void finish();
  void find_width();

  std::vector<Vector3> vertices_;
  std::vector<PolyhedronFace> faces_;
  std::vector<PolyhedronEdge> edges_;
  std::vector<Index> loops_, loop_edges_, around_, around_begin_;
  Bounds bounds_;
  double size_ = 0.0, half_width_ = 0.0;
};

/// Mass properties of the volume enclosed by a triangle surface: sums over tetrahedra with the
/// origin.
class TetrahedraSum {
 public:
  void add(const Vector3& a, const Vector3& b, const Vector3& c);
  double volume() const { return volume_; }
  MassProperties mass_properties(double density) const;

 private:
  double volume_ = 0.0;
  Vector3 first_ = Vector3::Zero();   // ∫ x dV
  Matrix3 second_ = Matrix3::Zero();  // ∫ x xᵀ dV
};

/// A convex polyhedron.
class PolyhedronShape : public Shape {
 public:
  explicit PolyhedronShape(Polyhedron polyhedron);
  const Polyhedron& polyhedron() const { return polyhedron_; }

  ShapeKind kind() const override { return ShapeKind::Polyhedron; }
  Bounds bounds(const Placement& pose) const override;
  double volume() const override { return integrals_.volume(); }
  MassProperties mass_properties(double density) const override;
  double size() const override { return polyhedron_.size(); }
  Index features() const override { return polyhedron_.features(); }

 private:
  Polyhedron polyhedron_;
  TetrahedraSum integrals_;
};

/// A box with edges `size` along its axes, centred at its origin.
PolyhedronShape make_box(const Vector3& size);

}  // namespace nsmb
