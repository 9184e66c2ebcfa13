// Involutes of circles: single flanks, and the flanks of all teeth of a gear.
#pragma once

#include <vector>

#include "nsmb/geometry/curves.hpp"

namespace nsmb {

/// Description of a flank. The roll angle u starts at its base circle, |r - c| = r_b √(1 + u²).
struct Flank {
  Vector2 center = Vector2::Zero();  // m, of the base circle
  double base_radius = 0.0;          // m
  double begin = 0.0, end = 0.0;     // rad, 0 < begin < end: at u = 0 there is a cusp
  double angle = 0.0;                // rad, origin of the involute on the base circle
  bool is_right = true;              // seen from the centre; the body is on its left
  bool is_concave = false;           // of an internal gear
};

/// Compute its piece, σ = ± u, and the derivatives; below `begin` it continues as a parabola.
Piece flank_piece(const Flank& flank);
void flank_derivatives(const Piece& piece, double sigma, CurveDerivatives& out);

/// One flank, with ends that can be touched.
class InvoluteContour final : public CurveContour {
 public:
  explicit InvoluteContour(const Flank& flank);
  Piece piece(Index) const override { return piece_; }
  void derivatives(Index, double sigma, CurveDerivatives& out) const override {
    flank_derivatives(piece_, sigma, out);
  }

 private:
  Piece piece_;
};

/// Right and left flank of each of `teeth` teeth, alternating: piece 2 k and 2 k + 1 are those of
/// tooth k, rotated by 2π k/teeth from tooth 0. No other part of the gear can be touched.
class TeethContour final : public Contour {
 public:
  /// Flanks of tooth 0; the space between them and the next ones is free.
  TeethContour(const Flank& right, const Flank& left, Index teeth);
  Index pieces() const override { return static_cast<Index>(flanks_.size()); }
  Index vertices() const override { return 0; }
  Piece piece(Index i) const override { return flanks_[static_cast<std::size_t>(i)]; }
  Vertex vertex(Index) const override { return {}; }
  void derivatives(Index i, double sigma, CurveDerivatives& out) const override {
    flank_derivatives(flanks_[static_cast<std::size_t>(i)], sigma, out);
  }

 private:
  std::vector<Piece> flanks_;
};

/// Two involutes have their contact point on a common tangent of their base circles, r_b1 and r_b2
/// from the centres, for any distance of the centres.
struct InvolutePoints {
  bool exists = false;  // the centres are far enough apart for the tangent
  double sigma_1 = 0.0, sigma_2 = 0.0;
  CurvePoint p, q;  // in the common plane; speed is not set
};
InvolutePoints involute_points(const Piece& first, const Pose& pose1, const Piece& second,
                               const Pose& pose2);

/// Return dκ/ds of an involute.
double involute_curvature_slope(const Piece& piece, double sigma);

}  // namespace nsmb
