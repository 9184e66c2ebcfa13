// Contact point of two features: (4.21)-(4.23), and the rates of its parameters (4.30).
#pragma once

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

/// A feature of contour 1 and one of contour 2, and the parameters found last.
struct FeaturePair {
  Index first = -1, second = -1;
  double sigma_1 = 0.0, sigma_2 = 0.0;
};

constexpr bool is_vertex(Index feature) { return feature % 2 == 0; }

enum class ContactPointStatus {
  NotRun,
  Found,
  Singular,      // (4.35) D <= 0, or two straight pieces: no isolated nearest points
  NotConverged,  // (4.21) not solved from these start parameters
  NoNormal,      // two vertices, or a vertex at a position that is not a vertex of its contour
};

/// A contact point, in the common plane. κ of a vertex is infinite.
struct ContactPoint {
  ContactPointStatus status = ContactPointStatus::NotRun;
  double sigma_1 = 0.0, sigma_2 = 0.0;
  Vector2 r_1 = Vector2::Zero(), r_2 = Vector2::Zero();
  Vector2 t_1 = Vector2::Zero(), n_1 = Vector2::Zero();
  Vector2 t_2 = Vector2::Zero(), n_2 = Vector2::Zero();
  double kappa_1 = 0.0, kappa_2 = 0.0;
  double g_N = 0.0;  // m, (4.23)
  // m, >= 0 while the point lies within both features or not beyond by more than feature_overlap.
  // It is the distance of the foot to the end of its piece. For a vertex on a curve the normal must
  // also lie within its cone. This is measured by the height of the far end of the vertex's edge
  // over the common tangent.
  double domain = 0.0;
  double residual = 0.0;  // m, of (4.21), recomputed: |r_Dᵀ t_1| + |n_1ᵀ t_2| · size
  int iterations = 0;
};

/// Solve (4.21) from the parameters of `pair`, with n_1 = -n_2. Closed form for pairs of points,
/// circles and straight lines, and for pairs of involutes; Newton's method for other curves.
/// Allocates nothing (a user curve may).
void contact_point(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
                   const FeaturePair& pair, ContactPoint& result);

/// Orientation of a vertex relative to a straight piece.
struct Stance {
  bool is_plain = true;  // not a vertex with edges against a straight piece; ignore the rest
  double turn = 0.0;     // rad, until the normal of the piece lies between those of its edges
  double under = 0.0;    // m, by which its edges reach below the tangent, 0 if it stands
  bool came_in = true;   // its body is on the outer side of the piece, however deep the vertex is
};

/// Return the stance of a pair that was found.
Stance stance(const Contour& c1, const Pose& pose1, const Contour& c2, const Pose& pose2,
              const FeaturePair& pair);

/// Tangents of the edges that meet at a vertex, in the common plane.
struct VertexTangents {
  Vector2 in = Vector2::Zero(), out = Vector2::Zero();
  bool has_cone = false, is_end = false;
  double lean = 0.0;  // rad, of a node on a side
};
VertexTangents vertex_tangents(const Contour& contour, const Pose& pose, Index vertex);

/// Return true if the vertex touches with the tangent t: t lies between those of its edges, up to a
/// sine of `slack`.
bool touches_with(const VertexTangents& vertex, const Vector2& t, double slack);

/// Compute the distances along a straight piece from its ends to the foot of a vertex at depth h,
/// all in m. Behind the piece the range ends at the bisectors of its corners (34), (35). Only
/// slightly behind it, as where bodies touch, it ends at the corner itself next to a neighbour on
/// which the vertex cannot stand.
void foot_range(const Contour& straight, const Pose& pose, Index piece, double sigma, double h,
                const VertexTangents& vertex, double& from_begin, double& from_end);

/// Return the extension of features beyond their ends, m: 1e-9 of the smaller size. Adjacent
/// features overlap, so that no contact is lost between them by rounding.
double feature_overlap(const Contour& c1, const Contour& c2);

/// Return D of (4.35) over |κ_1| + |κ_2|, which keeps the sign and is finite for vertices.
double singularity(double kappa_1, double kappa_2, double g_N);

struct ContactRates {
  bool is_singular = false;  // (4.35); the rates are zero then
  double sdot_1 = 0.0, sdot_2 = 0.0;
  double kappa_sdot_1 = 0.0, kappa_sdot_2 = 0.0;  // κ ṡ, finite for vertices, for (4.46)
};

/// Compute (4.30); v_C velocities of the body-fixed points, Omega about b = +e_z.
ContactRates contact_rates(const ContactPoint& point, const Vector2& v_C1, const Vector2& v_C2,
                           double Omega_1, double Omega_2);

}  // namespace nsmb
