#include "nsmb/geometry/outline.hpp"

#include <algorithm>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Corners of a part in order, by their numbers in the chain.
using Ring = std::vector<Index>;

std::size_t after(const Ring& ring, std::size_t k) { return k + 1 < ring.size() ? k + 1 : 0; }
std::size_t before(const Ring& ring, std::size_t k) { return k > 0 ? k - 1 : ring.size() - 1; }

double twice_area(const Matrix& points) {
  double area = 0.0;
  for (Index i = 0; i < points.cols(); ++i) {
    const Index next = i + 1 < points.cols() ? i + 1 : 0;
    area += cross(points.col(i), points.col(next));
  }
  return area;
}

/// Cuts of one ring of corners.
class Cutter {
 public:
  explicit Cutter(const Matrix& points) : points_(points) {}

  std::vector<Ring> convex_parts() {
    Ring all(static_cast<std::size_t>(points_.cols()));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<Index>(k);
    std::vector<Ring> open{std::move(all)}, done;
    while (!open.empty()) {
      Ring ring = std::move(open.back());
      open.pop_back();
      const std::size_t k = concave_corner(ring);
      if (k == ring.size()) {
        done.push_back(std::move(ring));
        continue;
      }
      const std::size_t m = other_end(ring, k);
      open.push_back(part(ring, k, m));
      open.push_back(part(ring, m, k));
    }
    return done;
  }

 private:
  Vector2 at(Index i) const { return points_.col(i); }

  /// Return the sine of the turn at a corner; rounding counts as straight.
  double turn(const Ring& ring, std::size_t k) const {
    const Vector2 in = at(ring[k]) - at(ring[before(ring, k)]);
    const Vector2 out = at(ring[after(ring, k)]) - at(ring[k]);
    return cross(in, out) / (in.norm() * out.norm());
  }

  std::size_t concave_corner(const Ring& ring) const {
    std::size_t k = 0;
    while (k < ring.size() && turn(ring, k) >= -corners::kStraightCorner) ++k;
    return k;
  }

  /// Return true if a ray from corner k along d starts inside the ring.
  bool leads_inside(const Ring& ring, std::size_t k, const Vector2& d) const {
    const Vector2 in = at(ring[k]) - at(ring[before(ring, k)]);
    const Vector2 out = at(ring[after(ring, k)]) - at(ring[k]);
    const bool left_of_out = cross(out, d) > 0.0, left_of_in = cross(in, d) > 0.0;
    return cross(in, out) > 0.0 ? left_of_out && left_of_in : left_of_out || left_of_in;
  }

  /// Return true if a diagonal meets the ring only at its ends.
  bool is_free(const Ring& ring, std::size_t k, std::size_t m) const {
    const Vector2 a = at(ring[k]), d = at(ring[m]) - a;
    const double length = d.norm();
    const auto side = [&](Index i) {
      const double height = cross(d, at(i) - a) / length;
      return std::abs(height) <= corners::kStraightCorner * length ? 0.0 : height;
    };
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::size_t j = after(ring, i);
      if (i != k && i != m && side(ring[i]) == 0.0) {
        const double s = d.dot(at(ring[i]) - a);
        if (s > 0.0 && s < length * length) return false;
      }
      if (i == k || i == m || j == k || j == m) continue;
      const Vector2 b = at(ring[i]), e = at(ring[j]) - b;
      const double first = side(ring[i]), second = side(ring[j]);
      if (first * second >= 0.0) continue;
      if (cross(e, a - b) * cross(e, a + d - b) <= 0.0) return false;
    }
    return true;
  }

  /// Return the other end of the best cut from a concave corner: one that leaves it convex on both
  /// sides if possible, and the shortest of these.
  std::size_t other_end(const Ring& ring, std::size_t k) const {
    const Vector2 r = at(ring[k]);
    const Vector2 in = r - at(ring[before(ring, k)]), out = at(ring[after(ring, k)]) - r;
    std::size_t best = ring.size();
    double shortest = std::numeric_limits<double>::infinity();
    bool is_best_enough = false;
    for (std::size_t m = 0; m < ring.size(); ++m) {
      if (m == k || m == before(ring, k) || m == after(ring, k)) continue;
      const Vector2 d = at(ring[m]) - r;
      if (!leads_inside(ring, k, d) || !leads_inside(ring, m, -d)) continue;
      const bool is_enough = cross(in, d) >= 0.0 && cross(out, d) >= 0.0;
      if (is_best_enough && !is_enough) continue;
      if (is_enough == is_best_enough && !(d.norm() < shortest)) continue;
      if (!is_free(ring, k, m)) continue;
      best = m;
      shortest = d.norm();
      is_best_enough = is_enough;
    }
    if (best == ring.size()) {
      reject("points", "a polygon that can be cut into convex parts", "corners too close");
    }
    return best;
  }

  static Ring part(const Ring& ring, std::size_t from, std::size_t to) {
    Ring corners;
    for (std::size_t k = from; k != to; k = after(ring, k)) corners.push_back(ring[k]);
    corners.push_back(ring[to]);
    return corners;
  }

  const Matrix& points_;
};

ConvexPart make_part(const Matrix& points, const Ring& ring) {
  ConvexPart part;
  for (const Index i : ring) part.centre += points.col(i);
  part.centre /= static_cast<double>(ring.size());
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const Index i = ring[k], j = ring[after(ring, k)];
    OutlineSide side;
    side.r = points.col(i);
    const Vector2 d = points.col(j) - points.col(i);
    side.length = d.norm();
    side.t = d / side.length;
    side.vertex = i;
    side.edge = j == (i + 1 < points.cols() ? i + 1 : 0) ? i : -1;
    part.sides.push_back(side);
    part.reach = std::max(part.reach, (side.r - part.centre).norm());
  }
  return part;
}

}  // namespace

bool Outline::can_be_made(const ChainContour& chain) {
  return chain.closed() && twice_area(chain.points()) > 0.0;
}

Outline::Outline(const ChainContour& chain) {
  if (!can_be_made(chain))
    reject("chain", "a closed polygon that is not a hole", "an open polygon or a hole");
  const Matrix& points = chain.points();
  for (const Ring& ring : Cutter(points).convex_parts()) {
    parts_.push_back(make_part(points, ring));
  }
  const auto extent = [&](Index row) {
    return points.row(row).maxCoeff() - points.row(row).minCoeff();
  };
  size_ = std::max(extent(0), extent(1));
  reach_ = points.colwise().norm().maxCoeff();
  double perimeter = 0.0;
  for (Index i = 0; i < chain.pieces(); ++i) perimeter += chain.piece(i).end;
  width_ = 2.0 * twice_area(points) / perimeter;
}

}  // namespace nsmb
