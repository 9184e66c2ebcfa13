// Contacts at two convex corners that meet, which are decided by both bodies.
//
// Near the corner W of one polygon, the corner V of another may move outside a wedge. Its faces are
// the edges of one polygon on which the corner of the other can stand. Bodies are apart while one
// face separates them. The wedge is thus an "or", and only the face that is left last is a contact.
// A corner that slides flush over a joint of its floor therefore meets the face of the floor and
// not the end of the next part. Two flush ends that are pushed together meet, however exactly flush
// they are.
#include <array>
#include <cmath>

#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

/// A corner of one of the bodies, in the plane of the first body.
struct CornerOfBody {
  /// Construct the corner. `marker` is that of the contour, or of the node of a deforming contour.
  CornerOfBody(const Contour& contour, const Pose& pose, const MarkerKinematics& marker, Index i,
               bool deforms, const MarkerKinematics& plane)
      : vertex(contour.vertex(i)), tangents(vertex_tangents(contour, pose, i)) {
    r = pose.point(vertex.r);
    const Vector2 arm = deforms ? Vector2::Zero() : pose.direction(vertex.r);
    const Vector3 rho = arm.x() * plane.A.col(0) + arm.y() * plane.A.col(1);
    const Vector3 velocity = marker.v + marker.Omega.cross(rho);
    v = {plane.A.col(0).dot(velocity), plane.A.col(1).dot(velocity)};
    const Index n = contour.pieces();
    const bool closed = contour.vertices() == n;
    in = i > 0 ? i - 1 : closed ? n - 1 : 0;
    out = i < n ? i : n - 1;
  }

  Vertex vertex;
  VertexTangents tangents;
  Vector2 r, v;
  Index in = 0, out = 0;  // pieces that meet at the corner
};

/// A face of the wedge: its normal, outwards from the body of W, and the corresponding features.
struct Face {
  Vector2 normal = Vector2::Zero();
  Index vertex = 0, piece = 0;
  bool of_V = false;    // the vertex is V, and the piece belongs to the body of W
  double within = 0.0;  // m, distance of the vertex from the end of the piece
};

bool has_slot(const ContourContact& contact, Index first_slot, const Face& face, bool V_is_first,
              const ContactFeatures& features) {
  const Index vertex = 2 * face.vertex, piece = 2 * face.piece + 1;
  const bool vertex_first = face.of_V == V_is_first;
  for (Index p = 0; p < contact.points; ++p) {
    const ContactFeature& slot = features.slots[static_cast<std::size_t>(first_slot + p)];
    if (slot.first == (vertex_first ? vertex : piece) &&
        slot.second == (vertex_first ? piece : vertex)) {
      return true;
    }
  }
  return false;
}

// The far side of a body lies behind a curve next to it, at any distance. A point behind a straight
// piece must therefore be inside its body.
bool is_in_body(const Contour& c1, const Contour& c2, const Pose& pose_2,
                const ContactFeature& slot, double touching) {
  const auto is_straight = [](const Contour& contour, Index feature) {
    return contour.piece(feature / 2).shape == PieceShape::Straight;
  };
  if (is_straight(c1, slot.first)) {
    const Vector2 place = c2.at(slot.second / 2, slot.sigma_2).r;
    return c1.encloses(pose_2.point(place), touching);
  }
  if (!is_straight(c2, slot.second)) return true;
  const Vector2 place = c1.at(slot.first / 2, slot.sigma_1).r;
  return c2.encloses(pose_2.local(place), touching);
}

}  // namespace

bool ModelSystem::is_contact(double t, const ConstVectorRef& q, const ConstVectorRef& u, Index i,
                             const ContactKinematics& contacts, SystemWorkspace& work) const {
  if (shape_pairs_.has(i)) {
    ModelWorkspace& w = model_workspace(work);
    w.update(model_, t, q, u);
    return shape_pairs_.is_contact(i, contacts, w);
  }
  const Index k = contact_of(i);
  if (k < 0 || rules_[static_cast<std::size_t>(k)].permanent) return true;
  const ContourContact& contact = model_.contacts[static_cast<std::size_t>(k)];
  const ContactFeature& slot = contacts.features.slots[static_cast<std::size_t>(i)];
  const bool V_is_first = is_vertex(slot.first);
  const bool of_pieces = !V_is_first && !is_vertex(slot.second);
  const double length = rules_[static_cast<std::size_t>(k)].length;
  const double touching = model_corners::kTouching * length, gone = model_corners::kGone * length;
  const bool is_behind = contacts.g_N(i) < -touching;
  if (!slot.used() || (V_is_first && is_vertex(slot.second))) return true;
  if (of_pieces && !is_behind) return true;
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  const MarkerKinematics& m1 = w.markers[static_cast<std::size_t>(contact.marker_1)];
  const MarkerKinematics& m2 = w.markers[static_cast<std::size_t>(contact.marker_2)];
  const Pose pose1, pose2 = relative_pose(m1, m2);
  const ContourPair contours = w.contours(contact);
  if (of_pieces) return is_in_body(contours.first, contours.second, pose2, slot, touching);
  const Stance stands = stance(contours.first, pose1, contours.second, pose2,
                               {slot.first, slot.second, slot.sigma_1, slot.sigma_2});
  if (stands.is_plain) return true;
  const Contour& own = V_is_first ? contours.first : contours.second;
  const Contour& other = V_is_first ? contours.second : contours.first;
  if (is_behind) {
    // At a concave corner, a point may lie behind an edge without being in the body, or it may be
    // on another side of the edge.
    const Vector2 corner = own.vertex((V_is_first ? slot.first : slot.second) / 2).r;
    const Pose &here = V_is_first ? pose1 : pose2, &there = V_is_first ? pose2 : pose1;
    if (!stands.came_in || !other.encloses(there.local(here.point(corner)), touching)) {
      return false;
    }
  }
  if (!(contacts.domain(i) <= model_corners::kCornerReach * length)) return true;
  const Index piece = (V_is_first ? slot.second : slot.first) / 2;
  const double sigma = V_is_first ? slot.sigma_2 : slot.sigma_1;
  const bool at_begin = sigma < 0.5 * other.piece(piece).end;
  const Index corner = at_begin ? piece : (piece + 1) % other.vertices();
  if (!other.vertex(corner).is_convex) return true;
  if (stands.under > model_corners::kUnder * length) return false;

  const auto corner_of = [&](bool of_first, Index vertex) {
    const Index boundary = of_first ? contact.boundary_1 : contact.boundary_2;
    const MarkerKinematics* marker = of_first ? &m1 : &m2;
    if (boundary >= 0) {
      const Index node = model_.boundaries[static_cast<std::size_t>(boundary)]
                             .nodes[static_cast<std::size_t>(vertex)];
      marker = &w.markers[static_cast<std::size_t>(node)];
    }
    return CornerOfBody(of_first ? contours.first : contours.second, of_first ? pose1 : pose2,
                        *marker, vertex, boundary >= 0, m1);
  };
  const CornerOfBody V = corner_of(V_is_first, (V_is_first ? slot.first : slot.second) / 2);
  const CornerOfBody W = corner_of(!V_is_first, corner);
  const Vector2 r = V.r - W.r, v = V.v - W.v;
  const Vector2 along = at_begin ? W.tangents.out : Vector2(-W.tangents.in);
  if (contacts.domain(i) < -gone && along.dot(v) < 0.0) return false;
  const auto outwards = [](const Vector2& tangent) { return Vector2(-left_of(tangent)); };
  const Vector2 normal = outwards(at_begin ? W.tangents.out : W.tangents.in);
  const double gamma = normal.dot(v);
  const Index V_index = (V_is_first ? slot.first : slot.second) / 2;
  const Vector2& beside = at_begin ? W.tangents.in : W.tangents.out;
  const std::array<Face, 3> faces{
      Face{outwards(beside), V_index, at_begin ? W.in : W.out, true,
           (at_begin ? -beside : beside).dot(r)},
      Face{-outwards(V.tangents.in), corner, V.in, false, V.tangents.in.dot(r)},
      Face{-outwards(V.tangents.out), corner, V.out, false, -V.tangents.out.dot(r)},
  };
  const bool is_beyond = contacts.domain(i) < -gone;
  const std::array<bool, 3> admissible{
      touches_with(V.tangents, -beside, model_corners::kStandsOnFace),
      V.tangents.has_cone && touches_with(W.tangents, -V.tangents.in, model_corners::kStandsOnFace),
      V.tangents.has_cone &&
          touches_with(W.tangents, -V.tangents.out, model_corners::kStandsOnFace),
  };
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Face& face = faces[f];
    if (!admissible[f] || std::abs(cross(face.normal, normal)) < model_corners::kParallelFaces)
      continue;
    if (!has_slot(contact, first_slot_[static_cast<std::size_t>(k)], face, V_is_first,
                  contacts.features)) {
      continue;
    }
    const double gap = face.normal.dot(r), rate = face.normal.dot(v);
    if (gap < -touching) continue;
    // Of touching faces, one whose end has been passed would end immediately.
    const bool other_beyond = face.within < -gone;
    if (gap <= touching && is_beyond != other_beyond) {
      if (is_beyond) return false;
      continue;
    }
    const double same = model_corners::kSameApproach * std::max(std::abs(rate), std::abs(gamma)) +
                        model_corners::kRestingCorners;
    if (gap > touching || rate > gamma + same) return false;
  }
  return true;
}

}  // namespace nsmb
