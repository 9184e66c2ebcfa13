// Joints: the six expressions (2.28) that lead from a frame on one body to a frame on the next.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "nsmb/multibody/frame.hpp"

namespace nsmb {

/// Kinematics of frame G of a joint, fixed in the successor, relative to frame F, fixed in the
/// predecessor. All components are in frame F and all rates are those of components, (2.28):
///   ṙ = J_T u + j_T,   ω = J_R u + j_R,   r̈ = J_T u̇ + b_T,   ω̇ = J_R u̇ + b_R.
struct JointKinematics {
  Matrix3 A = Matrix3::Identity();  // G components to F components
  Vector3 r = Vector3::Zero();      // from the origin of F to that of G, m
  Eigen::Matrix<double, 3, 6> J_T = Eigen::Matrix<double, 3, 6>::Zero();  // first nu columns used
  Eigen::Matrix<double, 3, 6> J_R = Eigen::Matrix<double, 3, 6>::Zero();
  Vector3 j_T = Vector3::Zero(), j_R = Vector3::Zero();  // prescribed in time
  Vector3 b_T = Vector3::Zero(), b_R = Vector3::Zero();  // all terms without u̇
};

/// A joint, immutable and shared between threads. User-defined joints derive from this class, or
/// use FunctionJoint.
class Joint {
 public:
  virtual ~Joint() = default;
  Joint() = default;
  Joint(const Joint&) = delete;
  Joint& operator=(const Joint&) = delete;

  virtual Index nq() const = 0;
  virtual Index nu() const = 0;
  /// Return the suffixes of the nq coordinate names. A single "" gives the coordinate the joint's
  /// name.
  virtual std::vector<std::string> coordinates() const = 0;
  /// Fill all of `k`. Entries that are zero need not be set, since `k` is freshly constructed.
  virtual void evaluate(double t, const double* q, const double* u, JointKinematics& k) const = 0;
  /// Compute q̇ = B(q) u, where B is the identity unless overridden.
  virtual void coordinate_rates(const double* q, const double* u, double* qdot) const;
  /// Project q back onto its manifold. Return true if q was off the manifold.
  virtual bool normalise(double* /*q*/) const { return false; }
  /// Set q to coordinates with which F and G coincide, zeros unless overridden.
  virtual void reference(double* q) const;
  /// Return true if q̇ = u and q is never off its manifold.
  virtual bool has_plain_rates() const { return nq() == nu() && serial_velocities() == nu(); }
  /// Return true if part of the motion is prescribed in time.
  virtual bool rheonomic() const { return false; }
  /// Return the number of leading velocities that act in series, for derivatives. Each one is a
  /// rotation or translation along an axis that is fixed on both its sides. Each is also the rate
  /// of the coordinate with the same index. Any three remaining velocities are ω in components of
  /// G, of a quaternion. Return -1 for a joint without this structure.
  virtual Index serial_velocities() const { return -1; }
  /// Return true if coordinate k is a translation or an angle, to which prescribed motion can be
  /// added.
  virtual bool can_be_driven(Index k) const { return k >= 0 && k < nq(); }
};

/// A function that returns s(t), ṡ(t), s̈(t) of a coordinate.
using Motion = std::function<Vector3(double t)>;

/// Return the motion s = Σ c_k t^k.
Motion polynomial_motion(Vector coefficients);

/// Return a motion of consecutive polynomials in t. Polynomial k holds from starts[k] on, and the
/// first one also before starts[0].
Motion polynomial_pieces(std::vector<double> starts, std::vector<Vector> coefficients);

/// Prescribed motion of the coordinate with index `coordinate`, which equals q + s(t). If `locked`,
/// it equals s(t) alone and is no longer a coordinate.
struct JointMotion {
  Index coordinate = 0;
  bool locked = false;
  Motion s;
};

// The standard joints. Their axes have the same components in frame F and in frame G.

class FixedJoint final : public Joint {
 public:
  Index nq() const override { return 0; }
  Index nu() const override { return 0; }
  std::vector<std::string> coordinates() const override { return {}; }
  void evaluate(double, const double*, const double*, JointKinematics&) const override {}
  Index serial_velocities() const override { return 0; }
};

/// A joint that rotates by q about `axis`.
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

/// A joint that translates by q along `axis`.
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

/// A joint that rotates by q about `axis` and translates by pitch q along it.
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

/// A joint that translates along `axis` by the first coordinate and rotates about it by the second.
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

/// A joint that rotates by the first coordinate about e_x of F and by the second about e_y of G,
/// the two arms of the cross.
class UniversalJoint final : public Joint {
 public:
  Index nq() const override { return 2; }
  Index nu() const override { return 2; }
  std::vector<std::string> coordinates() const override { return {"alpha", "beta"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 2; }
};

/// A joint with q = (x, y, φ): translation in the x-y plane of F, then rotation about e_z.
class PlanarJoint final : public Joint {
 public:
  Index nq() const override { return 3; }
  Index nu() const override { return 3; }
  std::vector<std::string> coordinates() const override { return {"x", "y", "phi"}; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  Index serial_velocities() const override { return 3; }
};

/// A joint with the quaternion q = (w, x, y, z). u is the relative angular velocity in components
/// of G.
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

/// A joint with q = (origin of G in F, quaternion (w, x, y, z)). u consists of the velocity of this
/// origin in components of F, then the relative angular velocity in components of G.
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
