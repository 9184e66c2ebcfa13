// Joints: the six expressions (2.28) that lead from a frame on one body to a frame on the next.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

/// What a joint says about its frame G on the successor, seen from its frame F on the predecessor.
/// All components are those of frame F, all rates those of components, (2.28):
///   ṙ = J_T u + j_T,   ω = J_R u + j_R,   r̈ = J_T u̇ + b_T,   ω̇ = J_R u̇ + b_R.
struct JointKinematics {
  Matrix3 A = Matrix3::Identity();  // G components to F components
  Vector3 r = Vector3::Zero();      // from the origin of F to that of G, m
  Eigen::Matrix<double, 3, 6> J_T = Eigen::Matrix<double, 3, 6>::Zero();  // first nu columns used
  Eigen::Matrix<double, 3, 6> J_R = Eigen::Matrix<double, 3, 6>::Zero();
  Vector3 j_T = Vector3::Zero(), j_R = Vector3::Zero();  // prescribed in time
  Vector3 b_T = Vector3::Zero(), b_R = Vector3::Zero();  // all without u̇
};

/// Immutable and shared between threads. User-defined joints derive from this, or see
/// FunctionJoint.
class Joint {
 public:
  virtual ~Joint() = default;
  Joint() = default;
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;

  virtual Index nq() const = 0;
  virtual Index nu() const = 0;
  /// Suffixes of the nq coordinate names; a single "" lets the coordinate have the joint's name.
  virtual std::vector<std::string> coordinates() const = 0;
  /// Everything of `k` at once; entries that are zero are left alone, `k` comes freshly
  /// constructed.
  virtual void evaluate(double t, const double* q, const double* u, JointKinematics& k) const = 0;
  /// q̇ = B(q) u; identity unless overridden.
  virtual void coordinate_rates(const double* q, const double* u, double* qdot) const;
  /// Puts q back onto its manifold; was it off?
  virtual bool normalise(double* /*q*/) const { return false; }
  /// Coordinates with which F and G coincide: zeros unless overridden.
  virtual void reference(double* q) const;
  /// q̇ = u, and q is never off its manifold.
  virtual bool has_plain_rates() const { return nq() == nu() && serial_velocities() == nu(); }
  /// Some part of the motion is prescribed in time.
  virtual bool rheonomic() const { return false; }
  /// For derivatives: so many velocities, from the first on, follow each other, each a turn or
  /// shift along an axis that is fixed on both its sides, and the rate of the coordinate with its
  /// number; the last three of others are ω in components of G, of a quaternion. -1: not so.
  virtual Index serial_velocities() const { return -1; }
  /// Coordinate k is that of a translation or an angle, to which a prescribed motion can be added.
  virtual bool can_be_driven(Index k) const { return k >= 0 && k < nq(); }
};

/// s(t), ṡ(t), s̈(t) of a coordinate.
using Motion = std::function<Vector3(double t)>;

/// s = Σ c_k t^k.
Motion polynomial_motion(Vector coefficients);

/// Polynomials in t one after the other: number k from the time starts[k] on, the first one before
/// that, too.
Motion polynomial_pieces(std::vector<double> starts, std::vector<Vector> coefficients);

/// Prescribed motion of coordinate `coordinate`: it equals q + s(t), or s(t) alone when `locked`,
/// and is then no coordinate any more.
struct JointMotion {
  Index coordinate = 0;
  bool locked = false;
  Motion s;
};

// The ready-made joints. Axes are in components of frame F and of frame G alike.

class FixedJoint final : public Joint {
 public:
  Index nq() const override { return 0; }
  Index nu() const override { return 0; }
  std::vector<std::string> coordinates() const override { return {}; }
  void evaluate(double, const double*, const double*, JointKinematics&) const override {}
  Index serial_velocities() const override { return 0; }
};

/// Turns by q about `axis`.
class RevoluteJoint final : public Joint {
 public:
  explicit RevoluteJoint(const Vector3& axis = Vector3::UnitZ());
  Index nq() const override { return 1; }
  Index nu() const override { return 1; }
  std::vector<std::string> coordinates() const override { return {""}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 1; }
  const Vector3& axis() const { return axis_; }

 private:
  Vector3 axis_;
};

/// Shifts by q along `axis`.
class PrismaticJoint final : public Joint {
 public:
  explicit PrismaticJoint(const Vector3& axis = Vector3::UnitZ());
  Index nq() const override { return 1; }
  Index nu() const override { return 1; }
  std::vector<std::string> coordinates() const override { return {""}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 1; }
  const Vector3& axis() const { return axis_; }

 private:
  Vector3 axis_;
};

/// Turns by q about `axis` and shifts by pitch q along it.
class ScrewJoint final : public Joint {
 public:
  /// `pitch` in m/rad.
  explicit ScrewJoint(double pitch, const Vector3& axis = Vector3::UnitZ());
  Index nq() const override { return 1; }
  Index nu() const override { return 1; }
  std::vector<std::string> coordinates() const override { return {""}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 1; }

 private:
  double pitch_;
  Vector3 axis_;
};

/// Shifts by the first coordinate along `axis` and turns by the second about it.
class CylindricalJoint final : public Joint {
 public:
  explicit CylindricalJoint(const Vector3& axis = Vector3::UnitZ());
  Index nq() const override { return 2; }
  Index nu() const override { return 2; }
  std::vector<std::string> coordinates() const override { return {"shift", "angle"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 2; }

 private:
  Vector3 axis_;
};

/// Turns by the first coordinate about e_x of F and by the second about e_y of G, the two arms of
/// the cross.
class UniversalJoint final : public Joint {
 public:
  Index nq() const override { return 2; }
  Index nu() const override { return 2; }
  std::vector<std::string> coordinates() const override { return {"alpha", "beta"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 2; }
};

/// q = (x, y, φ): shifts in the x-y plane of F, then turns about e_z.
class PlanarJoint final : public Joint {
 public:
  Index nq() const override { return 3; }
  Index nu() const override { return 3; }
  std::vector<std::string> coordinates() const override { return {"x", "y", "phi"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 3; }
};

/// q: quaternion (w, x, y, z); u: relative angular velocity in components of G.
class SphericalJoint final : public Joint {
 public:
  Index nq() const override { return 4; }
  Index nu() const override { return 3; }
  std::vector<std::string> coordinates() const override { return {"qw", "qx", "qy", "qz"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 0; }
  void coordinate_rates(const double* q, const double* u, double* qdot) const override;
  bool normalise(double* q) const override;
  void reference(double* q) const override;
  bool can_be_driven(Index) const override { return false; }
};

/// q: origin of G in F, then quaternion (w, x, y, z); u: velocity of that origin in components of
/// F, then relative angular velocity in components of G.
class FreeJoint final : public Joint {
 public:
  Index nq() const override { return 7; }
  Index nu() const override { return 6; }
  std::vector<std::string> coordinates() const override {
    return {"x", "y", "z", "qw", "qx", "qy", "qz"};
  }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 3; }
  void coordinate_rates(const double* q, const double* u, double* qdot) const override;
  bool normalise(double* q) const override;
  void reference(double* q) const override;
  bool can_be_driven(Index k) const override { return k >= 0 && k < 3; }
};

}  // namespace nsmb
