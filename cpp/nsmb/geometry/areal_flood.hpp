// All overlapping pairs of a triangle of one surface and a cell of the layer of another one.
#pragma once

#include "nsmb/geometry/areal_clip.hpp"
#include "nsmb/geometry/areal_patch.hpp"

namespace nsmb {

/// Search that spreads from pairs near the surface of the target to their neighbours: the
/// intersection of a triangle with a tetrahedron continues beyond the faces and edges at which it
/// ends.
class ArealFlood {
 public:
  ArealFlood(const ArealInstance& base, const ArealInstance& target, const Placement& pose,
             ArealScratch& scratch, ArealCounts& counts)
      : base_(base), target_(target), pose_(pose), scratch_(scratch), counts_(counts) {}

  /// Call `piece(triangle, tetrahedron, polygon)` for all overlapping pairs, and after those of a
  /// pair `done(k, triangle, cell)`. The order is always the same.
  template <class Piece, class Done>
  void run(const Piece& piece, const Done& done) {
    const ArealMesh& mesh = target_.mesh();
    scratch_.seen.clear();
    look(scratch_.is_exhaustive ? mesh.reach() : 0.0, piece, done);
    // The whole base may be inside.
    if (!meets_) look(mesh.first_reach(), piece, done);
    // Beyond the layer the base is not tracked and may re-enter anywhere.
    if (through_) look(mesh.reach(), piece, done);
    forget(scratch_);
  }

 private:
  template <class Piece, class Done>
  void look(double reach, const Piece& piece, const Done& done) {
    counts_.box_tests += visit_pairs(target_.tree(), base_.tree(), pose_, reach, scratch_.stack,
                                     [&](Index cell, Index k) {
                                       if (!scratch_.seen.insert(k, cell)) return;
                                       if (is_over(k, cell)) return;
                                       scratch_.waiting.emplace_back(k, cell);
                                       spread(piece, done);
                                     });
  }

  void move_to(Index k) {
    if (k == k_) return;
    k_ = k;
    triangle_ = moved_triangle(base_, k, pose_, scratch_);
    box_ = Bounds();
    for (const Vector3& p : triangle_.corner) box_.add(p);
    // Planes of cells may be outside the boxes by rounding.
    box_.low.array() -= target_.mesh().touching();
    box_.high.array() += target_.mesh().touching();
  }

  /// Return true if the cell is below the plane of its triangle.
  bool is_over(Index k, Index cell) {
    move_to(k);
    const Vector3& n = target_.normal(cell);
    const double plane =
        n.dot(target_.vertices()[at(target_.topology().triangles()[at(cell)][0])]) +
        target_.mesh().touching();
    return n.dot(triangle_.corner[0]) >= plane && n.dot(triangle_.corner[1]) >= plane &&
           n.dot(triangle_.corner[2]) >= plane;
  }

  template <class Piece, class Done>
  void spread(const Piece& piece, const Done& done) {
    LayerPolygon polygon;
    while (!scratch_.waiting.empty()) {
      const auto [k, c] = scratch_.waiting.back();
      scratch_.waiting.pop_back();
      ++counts_.triangle_tests;
      move_to(k);
      const LayerCell& cell = target_.cell(c);
      if (!box_.overlaps(cell.box)) continue;
      unsigned edges = 0;
      std::array<bool, 3> beside{};
      for (std::size_t m = 0; m < 3; ++m) {
        LayerWays ways;
        if (clip(triangle_, cell.parts[m], polygon, ways)) piece(triangle_, cell.parts[m], polygon);
        if (!ways.meets) continue;
        meets_ = true;
        edges |= ways.edges;
        for (std::size_t i = 0; i < 4; ++i) {
          if ((ways.faces >> i & 1u) == 0) continue;
          const LayerFace face = kLayerFaces[m][i];
          if (face == LayerFace::Inside) through_ = true;
          if (face >= LayerFace::Beside0 && face <= LayerFace::Beside2) {
            beside[static_cast<std::size_t>(face) - 1] = true;
          }
        }
      }
      done(k, triangle_, c);
      // Pairs of the same triangle come next.
      for (std::size_t e = 0; e < 3; ++e) {
        if (edges >> e & 1u) wait(base_.topology().neighbours()[at(k)][e], c);
      }
      for (std::size_t i = 0; i < 3; ++i) {
        if (beside[i]) wait(k, cell.beside[i]);
      }
    }
  }

  void wait(Index k, Index c) {
    if (scratch_.seen.insert(k, c)) scratch_.waiting.emplace_back(k, c);
  }

  const ArealInstance &base_, &target_;
  const Placement& pose_;
  ArealScratch& scratch_;
  ArealCounts& counts_;
  Index k_ = -1;  // triangle of the base that was moved last
  NumberedTriangle triangle_;
  Bounds box_;
  bool meets_ = false, through_ = false;  // base meets the layer; reaches its inner side
};

}  // namespace nsmb
