// The part of a surface in the layer of another one, clipped at the cells of that layer.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/geometry/areal_mesh.hpp"
#include "nsmb/geometry/pair_set.hpp"

namespace nsmb {

/// Contact element of two surfaces that press on each other. Components in the frame of the target.
struct ArealElement {
  Vector3 place = Vector3::Zero();  // C_k, point of action of the resultant
  Vector3 push = Vector3::UnitZ();  // unit vector along which the base is pushed back
  double area = 0.0;                // m²
  double depth = 0.0;               // δ_k, m, mean over the area
  double deepest = 0.0;             // m
  Index base = -1, target = -1;     // triangles
};

struct ArealCounts {
  Index box_tests = 0, triangle_tests = 0;
};

/// Scratch memory; one per thread.
struct ArealScratch {
  NodePairs stack;
  std::vector<Vector3> moved;  // vertices of the base in the frame of the target
  std::vector<char> is_moved;
  std::vector<Index> touched;  // vertices to be reset
  PairSet seen;                // triangles of the base and cells
  std::vector<std::pair<Index, Index>> waiting;
  bool is_exhaustive = false;  // option: searches the whole layer, for tests
};

/// Append one element to `found` for each overlapping pair of a triangle of the base and a cell of
/// the target. Its pressure resultant is that of the whole clipped piece. `pose`: the frame of the
/// base in that of the target.
void clipped_elements(const ArealInstance& base, const ArealInstance& target, const Placement& pose,
                      ArealScratch& scratch, ArealCounts& counts, std::vector<ArealElement>& found);

/// Return ∫ δ dV over the part of the base in the layer, m⁴. Exact as long as the base does not
/// reach through the layer.
double depth_integral(const ArealInstance& base, const ArealInstance& target, const Placement& pose,
                      ArealScratch& scratch);

/// Return the vertices of a triangle of the base in the frame of the target. They are computed once
/// for all triangles until `forget`.
NumberedTriangle moved_triangle(const ArealInstance& base, Index k, const Placement& pose,
                                ArealScratch& scratch);
void forget(ArealScratch& scratch);

}  // namespace nsmb
