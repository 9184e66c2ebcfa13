#include "nsmb/geometry/contact_point.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/geometry/curves.hpp"
#include "nsmb/geometry/involute.hpp"
#include "nsmb/geometry/newton.hpp"
#include "nsmb/geometry/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

/// One partner, with all data in the common plane. Vertices and circles are points with a radius.
struct Side {
  const Contour* contour = nullptr;
  const Pose* pose = nullptr;
  Index index = 0;  // of the vertex or piece
  bool vertex = false, round = false, straight = false, involute = false;
  Piece piece;
  Vector2 center;       // of a vertex or circle
  double radius = 0.0;  // signed, 0 for a vertex
  double sigma = 0.0;
};

bool set_side(const Contour& contour, const Pose& pose, Index feature, double sigma, Side& side) {
  side.contour = &contour;
  side.pose = &pose;
  side.vertex = is_vertex(feature);
  side.index = feature / 2;
  side.sigma = sigma;
  if (feature < 0 || side.index >= (side.vertex ? contour.vertices() : contour.pieces())) {
    return false;
  }
  if (side.vertex) {
    side.round = true;
    side.center = pose.point(contour.vertex(side.index).r);
    return true;
  }
  side.piece = contour.piece(side.index);
  side.straight = side.piece.shape == PieceShape::Straight;
  side.round = side.piece.shape == PieceShape::Circular;
  side.involute = side.piece.shape == PieceShape::Involute;
  if (side.round) {
    side.center = pose.point(side.piece.center);
    side.radius = side.piece.radius;
  }
  return true;
}

/// Compute the point on a circle or vertex where the normal into its body is n.
void place_round(const Side& side, const Vector2& n, double& sigma, CurvePoint& p) {
  p.n = n;
  p.t = -left_of(n);
  p.kappa = side.vertex ? kInfinity : 1.0 / side.radius;
  p.r = side.center - side.radius * n;
  p.speed = std::abs(side.radius);
  if (side.vertex) return;
  // (p.r - center)/|R| = (cos σ, ± sin σ) in the frame of the contour
  const Vector2 out = side.radius > 0.0 ? Vector2(-n) : n;
  const Vector2 local(side.pose->c * out.x() + side.pose->s * out.y(),
                      -side.pose->s * out.x() + side.pose->c * out.y());
  const double angle = std::atan2(side.radius > 0.0 ? local.y() : -local.y(), local.x());
  // The full turn nearest to the middle of the piece, because an arc has its own range of angles.
  const double middle = 0.5 * (side.piece.begin + side.piece.end);
  const double turn = 2.0 * std::numbers::pi;
  sigma = side.piece.closed ? wrapped(angle, side.piece.begin, side.piece.end)
                            : angle + turn * std::round((middle - angle) / turn);
}

CurvePoint at(const Side& side, double sigma) {
  CurvePoint p = side.contour->at(side.index, sigma);
  p.r = side.pose->point(p.r);
  p.t = side.pose->direction(p.t);
  p.n = left_of(p.t);
  return p;
}

/// Compute the foot of the centre of a vertex or circle on a straight or general piece.
ContactPointStatus solve_round(const Side& round, Side& other, CurvePoint& p, CurvePoint& q,
                               double& sigma_round, int& iterations) {
  auto status = ContactPointStatus::Found;
  if (other.straight) {
    q = at(other, 0.0);
    other.sigma = q.t.dot(round.center - q.r);
    q = at(other, other.sigma);
  } else {
    FootProblem problem{*other.contour, other.index, other.pose->local(round.center),
                        round.radius < 0.0 ? -1.0 : 1.0};
    const NewtonResult found = solve_foot(problem, other.piece, other.sigma);
    iterations = found.iterations;
    if (!found.converged) status = ContactPointStatus::NotConverged;
    q = at(other, other.sigma);
  }
  place_round(round, -q.n, sigma_round, p);
  return status;
}

ContactPointStatus solve_two_round(Side& a, Side& b, CurvePoint& p, CurvePoint& q) {
  if (a.vertex && b.vertex) return ContactPointStatus::NoNormal;
  const Vector2 d = b.center - a.center;
  const double length = d.norm();
  // Of both directions, the one with positive D of (4.35): -d inside a hole.
  const double sign = (a.radius < 0.0) != (b.radius < 0.0) ? -1.0 : 1.0;
  // If concentric, the direction is arbitrary.
  const Vector2 n_2 = length > 0.0 ? Vector2(sign / length * d) : Vector2(1.0, 0.0);
  place_round(a, -n_2, a.sigma, p);
  place_round(b, n_2, b.sigma, q);
  return length > 0.0 ? ContactPointStatus::Found : ContactPointStatus::Singular;
}

ContactPointStatus solve_straight_general(Side& straight, Side& other, CurvePoint& p, CurvePoint& q,
                                          int& iterations) {
  p = at(straight, 0.0);
  // t_2 = -t_1 in the frame of the curve
  const Pose& f = *other.pose;
  const Vector2 t(f.c * p.t.x() + f.s * p.t.y(), -f.s * p.t.x() + f.c * p.t.y());
  const TangentProblem problem{*other.contour, other.index, -t};
  const NewtonResult found = solve_tangent(problem, other.piece, other.sigma);
  iterations = found.iterations;
  q = at(other, other.sigma);
  straight.sigma = p.t.dot(q.r - p.r);
  p = at(straight, straight.sigma);
  return found.converged ? ContactPointStatus::Found : ContactPointStatus::NotConverged;
}

ContactPointStatus solve_two_involutes(Side& a, Side& b, CurvePoint& p, CurvePoint& q) {
  const InvolutePoints found = involute_points(a.piece, *a.pose, b.piece, *b.pose);
  if (!found.exists) {
    p = at(a, a.sigma);
    q = at(b, b.sigma);
    return ContactPointStatus::Singular;
  }
  a.sigma = found.sigma_1;
  b.sigma = found.sigma_2;
  p = found.p;
  q = found.q;
  return ContactPointStatus::Found;
}

double piece_domain(const Side& side, const Side& partner, double g_N) {
  const Piece& p = side.piece;
  if (p.closed) return kInfinity;
  double from_begin = side.sigma - p.begin, from_end = p.end - side.sigma;
  if (!side.straight) {
    return side.contour->at(side.index, side.sigma).speed * std::min(from_begin, from_end);
  }
  if (partner.vertex && std::isfinite(p.end)) {
    const VertexTangents vertex = vertex_tangents(*partner.contour, *partner.pose, partner.index);
    foot_range(*side.contour, *side.pose, side.index, side.sigma, -g_N, vertex, from_begin,
               from_end);
  }
  return std::min(from_begin, from_end);
}

/// Return the domain of a vertex: the tangent must lie between those of its two neighbours.
double vertex_domain(const Side& side, bool partner_is_straight, const Vector2& t) {
  const Vertex v = side.contour->vertex(side.index);
  if (!(partner_is_straight ? v.may_stand() : v.is_convex)) return -v.reach_in;
  if (!v.has_cone || partner_is_straight) return kInfinity;
  const Vector2 in = side.pose->direction(v.t_in), out = side.pose->direction(v.t_out);
  return std::min(v.reach_in * cross(in, t), v.reach_out * cross(t, out));
}

}  // namespace

VertexTangents vertex_tangents(const Contour& contour, const Pose& pose, Index vertex) {
  const Vertex v = contour.vertex(vertex);
  VertexTangents result;
  result.has_cone = v.has_cone;
  result.is_end = v.is_end;
  result.lean = v.lean;
  if (!v.has_cone) return result;
  result.in = pose.direction(v.t_in);
  result.out = pose.direction(v.t_out);
  return result;
}

bool touches_with(const VertexTangents& vertex, const Vector2& t, double slack) {
  if (!vertex.has_cone) return true;
  if (vertex.lean > 0.0) {
    if (t.dot(vertex.in + vertex.out) <= 0.0) return false;  // its body is behind the tangent
    slack += std::sin(vertex.lean);
  }
  return cross(vertex.in, t) >= -slack && (vertex.is_end || cross(t, vertex.out) >= -slack);
}

void foot_range(const Contour& straight, const Pose& pose, Index piece, double sigma, double h,
                const VertexTangents& vertex, double& from_begin, double& from_end) {
  const double length = straight.piece(piece).end;
  Corners corners = straight.corners(piece);
  if (h > 0.0 && h < corners.overlap) {
    const auto stands_on = [&](const Vector2& t) {
      return touches_with(vertex, -pose.direction(t), corners::kStandsOn);
    };
    const Index last = (piece + 1) % straight.vertices();
    if (corners.cot_begin > 0.0 && !stands_on(straight.vertex(piece).t_in)) corners.cot_begin = 0.0;
    if (corners.cot_end > 0.0 && !stands_on(straight.vertex(last).t_out)) corners.cot_end = 0.0;
  }
  edge_range(corners, sigma, length, h, from_begin, from_end);
}

Stance stance(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
              const FeaturePair& pair) {
  Stance result;
  const bool first = is_vertex(pair.first);
  if (first == is_vertex(pair.second)) return result;
  const Contour& own = first ? c1 : c2;
  const Contour& other = first ? c2 : c1;
  const Index vertex = (first ? pair.first : pair.second) / 2;
  const Index piece = (first ? pair.second : pair.first) / 2;
  if (other.piece(piece).shape != PieceShape::Straight) return result;
  const Vertex v = own.vertex(vertex);
  if (!v.has_cone) return result;
  result.is_plain = false;
  const VertexTangents tangents = vertex_tangents(own, first ? pose1 : pose2, vertex);
  const Vector2 t = -(first ? pose2 : pose1).direction(other.at(piece, 0.0).t);
  result.came_in = v.is_end || (v.lean > 0.0 ? t.dot(tangents.in + tangents.out) > 0.0
                                             : cross(tangents.out - tangents.in, t) <= 0.0);
  const double pi = std::numbers::pi;
  const double range =
      2.0 * v.lean +
      (v.is_end ? pi : std::atan2(cross(tangents.in, tangents.out), tangents.in.dot(tangents.out)));
  const double angle =
      std::remainder(v.lean + std::atan2(cross(tangents.in, t), tangents.in.dot(t)), 2.0 * pi);
  if (angle >= 0.0 && angle <= range) return result;
  const double before = angle < 0.0 ? -angle : 2.0 * pi - angle;
  const double behind = angle < 0.0 ? 2.0 * pi + angle - range : angle - range;
  result.turn = std::min(before, behind);
  const double reach = before < behind ? v.reach_in : v.reach_out;
  result.under = reach * std::sin(std::min(result.turn, 0.5 * pi));
  return result;
}

double feature_overlap(const Contour& c1, const Contour& c2) {
  return corners::kFeatureOverlap * common_size(c1, c2);
}

double singularity(double kappa_1, double kappa_2, double g_N) {
  if (std::isinf(kappa_1)) return 1.0 + g_N * kappa_2;
  if (std::isinf(kappa_2)) return 1.0 + g_N * kappa_1;
  const double size = std::abs(kappa_1) + std::abs(kappa_2);
  return size > 0.0 ? (kappa_1 + kappa_2 + g_N * kappa_1 * kappa_2) / size : 0.0;
}

void contact_point(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
                   const FeaturePair& pair, ContactPoint& result) {
  Side a, b;
  CurvePoint p, q;
  result = ContactPoint{};
  if (!set_side(c1, pose1, pair.first, pair.sigma_1, a) ||
      !set_side(c2, pose2, pair.second, pair.sigma_2, b)) {
    result.status = ContactPointStatus::NoNormal;
    return;
  }
  ContactPointStatus status;
  if (a.round && b.round) {
    status = solve_two_round(a, b, p, q);
  } else if (a.straight && b.straight) {
    status = ContactPointStatus::Singular;  // at the requested position
    q = at(b, b.sigma);
    p = at(a, 0.0);
    a.sigma = p.t.dot(q.r - p.r);
    p = at(a, a.sigma);
  } else if (a.round) {
    status = solve_round(a, b, p, q, a.sigma, result.iterations);
  } else if (b.round) {
    status = solve_round(b, a, q, p, b.sigma, result.iterations);
  } else if (a.straight) {
    status = solve_straight_general(a, b, p, q, result.iterations);
  } else if (b.straight) {
    status = solve_straight_general(b, a, q, p, result.iterations);
  } else if (a.involute && b.involute) {
    status = solve_two_involutes(a, b, p, q);
  } else {
    const PairProblem problem{c1, pose1, a.index, c2, pose2, b.index};
    const NewtonResult found = solve_pair(problem, a.piece, b.piece, a.sigma, b.sigma);
    result.iterations = found.iterations;
    p = at(a, a.sigma);
    q = at(b, b.sigma);
    status = found.converged ? ContactPointStatus::Found : ContactPointStatus::NotConverged;
  }
  result.status = status;
  if (status == ContactPointStatus::NoNormal) return;
  if (a.piece.closed) a.sigma = wrapped(a.sigma, a.piece.begin, a.piece.end);
  if (b.piece.closed) b.sigma = wrapped(b.sigma, b.piece.begin, b.piece.end);
  result.sigma_1 = a.vertex ? 0.0 : a.sigma;
  result.sigma_2 = b.vertex ? 0.0 : b.sigma;
  result.r_1 = p.r;
  result.r_2 = q.r;
  result.t_1 = p.t;
  result.n_1 = p.n;
  result.t_2 = q.t;
  result.n_2 = q.n;
  result.kappa_1 = p.kappa;
  result.kappa_2 = q.kappa;
  const Vector2 r_D = q.r - p.r;
  result.g_N = r_D.dot(q.n);  // (4.23)
  const double size = common_size(c1, c2);
  result.residual = std::abs(r_D.dot(p.t)) + std::abs(p.n.dot(q.t)) * size;  // (4.21)
  if (status == ContactPointStatus::Found) {
    if (p.n.dot(q.n) > 0.0) {
      result.status = ContactPointStatus::NotConverged;  // the root on the far side
    } else if (!(singularity(p.kappa, q.kappa, result.g_N) > contact_points::kSingularPoint)) {
      result.status = ContactPointStatus::Singular;
    }
  }
  result.domain =
      feature_overlap(c1, c2) +
      std::min(a.vertex ? vertex_domain(a, b.straight, p.t) : piece_domain(a, b, result.g_N),
               b.vertex ? vertex_domain(b, a.straight, q.t) : piece_domain(b, a, result.g_N));
}

ContactRates contact_rates(const ContactPoint& p, const Vector2& v_C1, const Vector2& v_C2,
                           double Omega_1, double Omega_2) {
  ContactRates rates;
  if (!(singularity(p.kappa_1, p.kappa_2, p.g_N) > contact_points::kSingularPoint)) {
    rates.is_singular = true;
    return rates;
  }
  const double slip = p.t_1.dot(v_C2 - v_C1);
  const double turn = Omega_2 - Omega_1;
  const double k_1 = p.kappa_1, k_2 = p.kappa_2, g = p.g_N;
  if (std::isinf(k_1)) {  // κ_1 -> ∞; κ_1 ṡ_1 from the last line of (4.29)
    rates.sdot_2 = (slip - g * Omega_2) / (1.0 + g * k_2);
    rates.kappa_sdot_2 = k_2 * rates.sdot_2;
    rates.kappa_sdot_1 = rates.kappa_sdot_2 + turn;
  } else if (std::isinf(k_2)) {
    rates.sdot_1 = (slip - g * Omega_1) / (1.0 + g * k_1);
    rates.kappa_sdot_1 = k_1 * rates.sdot_1;
    rates.kappa_sdot_2 = rates.kappa_sdot_1 - turn;
  } else {
    const double D = k_1 + k_2 + g * k_1 * k_2;
    rates.sdot_1 = (k_2 * slip - k_2 * g * Omega_1 + turn) / D;
    rates.sdot_2 = (k_1 * slip - k_1 * g * Omega_2 - turn) / D;
    rates.kappa_sdot_1 = k_1 * rates.sdot_1;
    rates.kappa_sdot_2 = k_2 * rates.sdot_2;
  }
  return rates;
}

}  // namespace nsmb
