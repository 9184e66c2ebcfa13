#include "nsmb/geometry/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include "nsmb/core/check.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kNone = -1;
// Halvings of half an element, to find where a curve bends like what it faces. Ways are extrema
// there.
constexpr int kHalvings = 5;

class Search {
 public:
  Search(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2, double skin,
         const CandidateOptions& options, CandidateResult& result)
      : c1_(c1),
        c2_(c2),
        pose1_(pose1),
        pose2_(pose2),
        skin_(skin),
        distance_(options.distance),
        overrun_(options.overrun),
        arm_(options.arm),
        overlap_(feature_overlap(c1, c2)),
        turn_(std::atan2(pose2.s, pose2.c) - std::atan2(pose1.s, pose1.c)),
        result_(result) {}

  void visit(Index i, Index j) {
    const Element& a = c1_.elements()[static_cast<std::size_t>(i)];
    const Element& b = c2_.elements()[static_cast<std::size_t>(j)];
    expect({c1_, pose1_, a}, {c2_, pose2_, b}, turn_);
    expect({c2_, pose2_, b}, {c1_, pose1_, a}, -turn_);
    const bool piece_1 = c1_.pieces() > 0, piece_2 = c2_.pieces() > 0;
    if (piece_2) {
      for (const Index v : owned(c1_, a)) {
        if (v != kNone) attempt({2 * v, 2 * b.piece + 1, 0.0, middle(b)}, a, b);
      }
    }
    if (piece_1) {
      for (const Index v : owned(c2_, b)) {
        if (v != kNone) attempt({2 * a.piece + 1, 2 * v, middle(a), 0.0}, a, b);
      }
    }
    if (!piece_1 || !piece_2) return;
    if (c1_.piece(a.piece).shape == PieceShape::Straight &&
        c2_.piece(b.piece).shape == PieceShape::Straight) {
      return;
    }
    if (c1_.piece(a.piece).shape == PieceShape::Involute &&
        c2_.piece(b.piece).shape == PieceShape::Involute) {
      // Closed form, also for flanks still beyond their ends, where tangents are not opposite.
      attempt({2 * a.piece + 1, 2 * b.piece + 1, middle(a), middle(b)}, a, b);
      return;
    }
    // t_1 = -t_2 must be possible.
    const double angle =
        std::remainder(b.heading + turn_ + std::numbers::pi - a.heading, 2.0 * std::numbers::pi);
    if (std::abs(angle) > a.half_turn + b.half_turn + contour_tuning::kAngleSlack) return;
    attempt({2 * a.piece + 1, 2 * b.piece + 1, middle(a), middle(b)}, a, b);
  }

 private:
  static double middle(const Element& e) { return 0.5 * (e.begin + e.end); }

  /// An element, with its contour and pose.
  struct Side {
    const Contour& c;
    const Pose& pose;
    const Element& e;

    CurvePoint at(double sigma) const {
      CurvePoint p = c.at(e.piece, sigma);
      p.r = pose.point(p.r);
      p.t = pose.direction(p.t);
      p.n = pose.direction(p.n);
      return p;
    }
    bool has_curve() const { return c.pieces() > 0; }
    bool is_straight() const { return c.piece(e.piece).shape == PieceShape::Straight; }
    bool is_general() const { return has_curve() && c.piece(e.piece).shape == PieceShape::General; }
  };

  /// What a hollow faces: a centre of curvature with its radius, or a straight edge.
  struct Facing {
    Vector2 r = Vector2::Zero(), t = Vector2::Zero(), n = Vector2::Zero();
    double radius = 0.0;
    bool is_straight = false;
  };

  /// Note how near a pair of nearest points is that does not exist yet. On a curve with hollows,
  /// nearest and furthest points appear in pairs: opposite a centre C, F = t·(C - r) then has an
  /// extremum with the value zero; opposite a straight edge, the tangent is parallel to it where
  /// the curve bends the other way.
  void expect(const Side& hollow, const Side& other, double turn) {
    if (!hollow.e.has_hollow || !hollow.is_general()) return;
    if (!other.has_curve()) return look_for_birth(hollow, {other.pose.point(other.c.vertex(0).r)});
    for (const Index v : owned(other.c, other.e)) {
      if (v != kNone) look_for_birth(hollow, {other.pose.point(other.c.vertex(v).r)});
    }
    const bool is_straight = other.is_straight();
    double slack = contour_tuning::kAngleSlack;
    if (is_straight && arm_ > 0.0) {
      const double most = distance_ / way_of_turn(arm_, std::numbers::pi);
      slack = std::max(slack, 2.0 * std::asin(std::min(1.0, most)));
    }
    const double angle = std::remainder(
        other.e.heading + turn + std::numbers::pi - hollow.e.heading, 2.0 * std::numbers::pi);
    if (std::abs(angle) > hollow.e.half_turn + other.e.half_turn + slack) return;
    const CurvePoint p = other.at(middle(other.e));
    if (is_straight) return look_for_birth(hollow, {p.r, p.t, p.n, 0.0, true});
    if (p.kappa > 0.0) look_for_birth(hollow, {p.r + p.n / p.kappa, p.t, p.n, 1.0 / p.kappa});
  }

  void look_for_birth(const Side& hollow, const Facing& other) {
    const auto slope = [&](const CurvePoint& p) {
      return other.is_straight ? p.kappa : p.kappa * p.n.dot(other.r - p.r) - 1.0;
    };
    // The slope may change its sign twice, at the bottom of a hollow.
    const double half = middle(hollow.e);
    const bool first = slope(hollow.at(hollow.e.begin)) > 0.0;
    const bool second = slope(hollow.at(half)) > 0.0;
    const bool third = slope(hollow.at(hollow.e.end)) > 0.0;
    if (first != second) note_birth(hollow, other, slope, hollow.e.begin, half, first);
    if (second != third) note_birth(hollow, other, slope, half, hollow.e.end, second);
  }

  template <class Slope>
  void note_birth(const Side& hollow, const Facing& other, const Slope& slope, double begin,
                  double end, bool rises) {
    for (int k = 0; k < kHalvings; ++k) {
      const double sigma = 0.5 * (begin + end);
      ((slope(hollow.at(sigma)) > 0.0) == rises ? begin : end) = sigma;
    }
    const CurvePoint p = hollow.at(0.5 * (begin + end));
    const Vector2 d = other.r - p.r;
    double way = 0.0, gap = 0.0;
    if (other.is_straight) {
      const double sine = p.t.x() * other.t.y() - p.t.y() * other.t.x();
      if (!(arm_ > 0.0) || p.t.dot(other.t) > 0.0) return;
      way = way_of_turn(arm_, std::asin(std::clamp(std::abs(sine), 0.0, 1.0)));
      gap = other.n.dot(d);
    } else {
      way = std::abs(p.t.dot(d));
      gap = -p.n.dot(d) - other.radius;
    }
    if (gap <= distance_ && gap > -skin_) {
      result_.singular = std::min(result_.singular, std::max(way, gap));
    }
  }

  /// Vertices at the ends of an element; the end of a piece owns a vertex only at the end of the
  /// contour.
  static std::array<Index, 2> owned(const Contour& c, const Element& e) {
    std::array<Index, 2> found{kNone, kNone};
    if (c.pieces() == 0) return {0, kNone};
    if (c.vertices() == 0) return found;
    const Piece p = c.piece(e.piece);
    if (e.begin == p.begin) found[0] = e.piece;
    if (e.end == p.end && e.piece + 1 == c.pieces() && c.vertices() > c.pieces()) {
      found[1] = e.piece + 1;
    }
    return found;
  }

  /// Return true if the body of a vertex behind a straight piece is on its outer side.
  bool came_in(const Contour& c, const Pose& pose, Index vertex, const Vector2& n) const {
    const Vertex v = c.vertex(vertex);
    if (v.lean > 0.0) return pose.direction(left_of(v.t_in + v.t_out)).dot(n) > 0.0;
    return !v.has_cone || v.is_end || pose.direction(v.t_out - v.t_in).dot(n) >= 0.0;
  }

  void attempt(FeaturePair pair, const Element& a, const Element& b) {
    const bool vertex_1 = is_vertex(pair.first), vertex_2 = is_vertex(pair.second);
    const bool straight_1 = !vertex_1 && c1_.piece(a.piece).shape == PieceShape::Straight;
    const bool straight_2 = !vertex_2 && c2_.piece(b.piece).shape == PieceShape::Straight;
    const auto touches = [](const Vertex& v, bool straight) {
      return straight ? v.may_stand() : v.is_convex;
    };
    if (vertex_1 && !touches(c1_.vertex(pair.first / 2), straight_2)) return;
    if (vertex_2 && !touches(c2_.vertex(pair.second / 2), straight_1)) return;
    ++result_.point_tests;
    ContactPoint point;
    contact_point(c1_, pose1_, c2_, pose2_, pair, point);
    if (point.status == ContactPointStatus::Singular && point.g_N <= distance_) {
      result_.singular = std::min(result_.singular, std::abs(point.g_N));
    }
    if (point.status != ContactPointStatus::Found) return;
    // A contact that has just ended is not found again: features are left later than entered.
    const bool within = point.domain >= 0.5 * overlap_;
    const double depth = within ? skin_ : std::max(skin_, overrun_);
    if (point.g_N > distance_ || std::isnan(point.g_N)) return;
    if (!within && !(overrun_ > 0.0 && point.domain > -overrun_)) return;
    if (point.g_N < 0.0 && within) {
      if (vertex_1 && straight_2 && !came_in(c1_, pose1_, pair.first / 2, point.n_1)) return;
      if (vertex_2 && straight_1 && !came_in(c2_, pose2_, pair.second / 2, point.n_2)) return;
    }
    if (point.g_N <= -depth) {
      if (within) result_.deeper = std::min(result_.deeper, -point.g_N - skin_);
      return;
    }
    if (within && ends_on_next(pair, point)) return;
    double way = point.domain >= 0.0 ? point.g_N : std::max(point.g_N, -point.domain);
    if (arm_ > 0.0 && ((vertex_1 && straight_2) || (vertex_2 && straight_1))) {
      const Stance stands = stance(c1_, pose1_, c2_, pose2_, pair);
      way = std::max(way, way_of_turn(arm_, stands.turn));
      if (stands.turn > 0.0 && way > distance_) return;
    }
    pair.sigma_1 = point.sigma_1;
    pair.sigma_2 = point.sigma_2;
    // A straight piece has one element, a vertex one owner: such pairs occur only once.
    const bool is_unique = (vertex_1 && straight_2) || (vertex_2 && straight_1);
    if (!is_unique && is_known(pair, point)) return;
    result_.candidates.push_back({pair, point, way});
  }

  bool is_known(const FeaturePair& pair, const ContactPoint& point) const {
    const double same = contact_points::kSamePlace * common_size(c1_, c2_);
    for (const Candidate& other : result_.candidates) {
      if (other.pair.first != pair.first || other.pair.second != pair.second) continue;
      if ((other.point.r_1 - point.r_1).norm() + (other.point.r_2 - point.r_2).norm() <= same) {
        return true;
      }
    }
    return false;
  }

  /// Return true for a vertex on the bisector behind two edges: it belongs to the one that starts
  /// there.
  bool ends_on_next(const FeaturePair& pair, const ContactPoint& p) const {
    const auto at_end = [&](const Contour& c, const Pose& pose, Index feature, double sigma,
                            const VertexTangents& vertex) {
      const Index i = feature / 2;
      if (c.pieces() != c.vertices() && i + 1 == c.pieces()) return false;  // an open end
      const Piece piece = c.piece(i);
      if (piece.shape != PieceShape::Straight || !std::isfinite(piece.end)) return false;
      double from_begin = 0.0, from_end = 0.0;
      foot_range(c, pose, i, sigma, -p.g_N, vertex, from_begin, from_end);
      return from_end <= 0.0;
    };
    // Where corners touch, both edges may be in contact.
    if (p.g_N > -overlap_) return false;
    if (is_vertex(pair.first)) {
      return at_end(c2_, pose2_, pair.second, p.sigma_2,
                    vertex_tangents(c1_, pose1_, pair.first / 2));
    }
    if (is_vertex(pair.second)) {
      return at_end(c1_, pose1_, pair.first, p.sigma_1,
                    vertex_tangents(c2_, pose2_, pair.second / 2));
    }
    return false;
  }

  const Contour& c1_;
  const Contour& c2_;
  const Pose& pose1_;
  const Pose& pose2_;
  double skin_, distance_, overrun_, arm_, overlap_, turn_;
  CandidateResult& result_;
};

Pose tree_pose(const Contour& c, const Pose& pose) {
  const Pose& f = c.tree_frame();
  Pose p;
  p.r = pose.point(f.r);
  p.c = pose.c * f.c - pose.s * f.s;
  p.s = pose.s * f.c + pose.c * f.s;
  return p;
}

}  // namespace

double way_of_turn(double arm, double turn) {
  return 2.0 * std::numbers::sqrt2 * arm * std::sin(0.5 * std::min(turn, std::numbers::pi));
}

void check_pair(const Contour& c1, const Contour& c2) {
  const auto is_flat = [](const Contour& c) {
    return c.vertices() == 0 && c.piece(0).shape == PieceShape::Straight;
  };
  if (is_flat(c1) && is_flat(c2)) {
    reject("contours", "curvature or vertices on one of them", "two infinite lines");
  }
  if (c1.pieces() == 0 && c2.pieces() == 0) {
    reject("contours", "a curve or an edge on one of them", "two points");
  }
}

void find_candidates(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
                     const CandidateOptions& options, CandidateWorkspace& workspace,
                     CandidateResult& result) {
  check_range("distance", options.distance, 0.0, std::numeric_limits<double>::infinity());
  const double skin = options.skin < 0.0 ? options.distance : options.skin;
  result.candidates.clear();
  result.singular = result.deeper = std::numeric_limits<double>::infinity();
  result.is_complete = true;
  result.point_tests = 0;
  // Rounding of the frames must not separate touching boxes.
  const double behind = skin * std::max(c1.spread(), c2.spread());
  const double reach =
      std::max({options.distance, behind, options.overrun}) + 1e-12 * (c1.size() + c2.size());
  const RelativePose pose = relative(tree_pose(c1, pose1), tree_pose(c2, pose2));
  Search search(c1, pose1, c2, pose2, skin, options, result);
  if (options.use_tree) {
    visit_near(c1.tree(), c2.tree(), pose, reach, workspace.search,
               [&](Index i, Index j) { search.visit(i, j); });
    result.box_tests = workspace.search.box_tests;
  } else {
    const auto n1 = static_cast<Index>(c1.elements().size());
    const auto n2 = static_cast<Index>(c2.elements().size());
    for (Index i = 0; i < n1; ++i) {
      for (Index j = 0; j < n2; ++j) search.visit(i, j);
    }
    result.box_tests = 0;
  }
  std::sort(result.candidates.begin(), result.candidates.end(),
            [](const Candidate& a, const Candidate& b) {
              return std::tuple(a.way, a.pair.first, a.pair.second, a.pair.sigma_1) <
                     std::tuple(b.way, b.pair.first, b.pair.second, b.pair.sigma_1);
            });
  if (options.max >= 0 && static_cast<Index>(result.candidates.size()) > options.max) {
    result.candidates.resize(static_cast<std::size_t>(options.max));
    result.is_complete = false;
  }
}

}  // namespace nsmb
