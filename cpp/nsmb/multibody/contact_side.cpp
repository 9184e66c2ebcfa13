#include "nsmb/multibody/contact_side.hpp"

namespace nsmb {

Footing footing(const ModelDescription& model, const ModelWorkspace& work, Index marker,
                Index boundary, Index feature, double sigma, const Vector2& r,
                const MarkerKinematics& plane) {
  Footing foot;
  foot.marker = &work.markers[at(marker)];
  foot.number = marker;
  if (boundary < 0) {
    foot.arm = r.x() * plane.A.col(0) + r.y() * plane.A.col(1);
    return foot;
  }
  const std::vector<Index>& nodes = model.boundaries[at(boundary)].nodes;
  const Index i = feature / 2;
  if (is_vertex(feature)) {
    foot.number = nodes[at(i)];
    foot.marker = &work.markers[at(foot.number)];
    return foot;
  }
  foot.on_edge = true;
  EdgeOfNodes& edge = foot.edge;
  edge.marker_a = nodes[at(i)];
  edge.marker_b = nodes[(at(i) + 1) % nodes.size()];
  edge.a = &work.markers[at(edge.marker_a)];
  edge.b = &work.markers[at(edge.marker_b)];
  const CurvePoint p = work.boundaries[at(boundary)].at(i, 0.0);
  edge.length = work.boundaries[at(boundary)].piece(i).end;
  edge.share = sigma / edge.length;
  const MarkerKinematics& frame = *foot.marker;
  edge.t = p.t.x() * frame.A.col(0) + p.t.y() * frame.A.col(1);
  edge.n = p.n.x() * frame.A.col(0) + p.n.y() * frame.A.col(1);
  return foot;
}

Vector3 turn_of(const EdgeOfNodes& edge, const Vector3& b, const Vector3& Omega) {
  const Vector3 apart = edge.b->v - edge.a->v - edge.length * Omega.cross(edge.t);
  return Omega + edge.n.dot(apart) / edge.length * b;
}

ContactSide::ContactSide(const Footing& foot, const Vector3& b) : foot_(foot) {
  if (!foot.on_edge) {
    const PointKinematics point(*foot.marker, foot.arm);
    v = point.v;
    j_tilde = point.j_tilde;
    j_bar = point.j_bar;
    Omega = foot.marker->Omega;
    return;
  }
  const EdgeOfNodes& e = foot.edge;
  const auto mix = [&](const Vector3& of_a, const Vector3& of_b) {
    return Vector3((1.0 - e.share) * of_a + e.share * of_b);
  };
  v = mix(e.a->v, e.b->v);
  j_tilde = mix(e.a->j_tilde_S, e.b->j_tilde_S);
  j_bar = mix(e.a->j_bar_S, e.b->j_bar_S);
  Omega = turn_of(e, b, foot.marker->Omega);
  stretch = e.t.dot(e.b->v - e.a->v) / e.length;
}

}  // namespace nsmb
