// Contours in closed form: line, circle and arc, ellipse, parabola, point.
#pragma once

#include <functional>

#include "nsmb/geometry/contour.hpp"

namespace nsmb {

/// Infinite line r = p + σ d, with d normalised; the body is on the left of d.
class LineContour final : public Contour {
 public:
  LineContour(const Vector2& point, const Vector2& direction);
  Index pieces() const override { return 1; }
  Index vertices() const override { return 0; }
  Piece piece(Index) const override;
  Vertex vertex(Index) const override { return {}; }
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  Vector2 point_, direction_;
};

/// A single vertex with arbitrary normal.
class PointContour final : public Contour {
 public:
  explicit PointContour(const Vector2& point);
  Index pieces() const override { return 0; }
  Index vertices() const override { return 1; }
  Piece piece(Index) const override { return {}; }
  Vertex vertex(Index) const override;
  void derivatives(Index, double, CurveDerivatives& out) const override;

 private:
  Vector2 point_;
};

/// One smooth piece, closed or with two ends.
class CurveContour : public Contour {
 public:
  Index pieces() const override { return 1; }
  Index vertices() const override { return closed_ ? 0 : 2; }
  Piece piece(Index) const override;
  Vertex vertex(Index i) const override { return ends_[i]; }

 protected:
  CurveContour(double begin, double end, bool closed);
  void make_ends(double length);

  double begin_, end_;
  bool closed_;

 private:
  Vertex ends_[2];
};

/// Circle r = c + |R| (cos σ, ± sin σ): counter-clockwise around its body for R > 0, clockwise
/// around a hole for R < 0 (κ = 1/R). An arc runs from σ = begin to end, a circle from 0 to 2π.
class CircleContour final : public CurveContour {
 public:
  CircleContour(const Vector2& center, double radius);
  CircleContour(const Vector2& center, double radius, double begin, double end);
  Piece piece(Index) const override;
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  void set_up();
  Vector2 center_;
  double radius_;
};

/// Ellipse r = (a cos σ, ± b sin σ), the lower sign for a hole.
class EllipseContour final : public CurveContour {
 public:
  EllipseContour(double a, double b, bool concave);
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  double a_, b_;
};

/// Parabola y = -p_1 x² + p_2 (4.6) with x = -σ and the body below, or x = σ and the body above
/// (concave).
class ParabolaContour final : public CurveContour {
 public:
  /// |x| <= half_width, which may be infinite. Contacts are searched for up to a slope of 1e3.
  ParabolaContour(double p_1, double p_2, bool concave, double half_width);
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  double p_1_, p_2_, sense_;
};

/// A curve given by a function σ -> (r, r', r''), called only for σ in [begin, end]. Beyond its
/// ends it continues as a second-order parabola.
class UserContour final : public CurveContour {
 public:
  using Function = std::function<void(double, CurveDerivatives&)>;
  /// Throws std::invalid_argument where the curve is not finite or |r'| = 0, or if it is not closed
  /// although `closed` is true.
  UserContour(Function function, double begin, double end, bool closed, Index parts);
  void derivatives(Index, double sigma, CurveDerivatives& out) const override;

 private:
  Function function_;
};

/// Continue with the second-order expansion about an end.
void extend(CurveDerivatives& d, double beyond);

/// Return σ wrapped into [begin, end) of a periodic piece.
double wrapped(double sigma, double begin, double end);

}  // namespace nsmb
