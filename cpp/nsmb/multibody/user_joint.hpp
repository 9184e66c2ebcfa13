// Joints made by users: from functions, or from another joint with motion prescribed in time.
#pragma once

#include "nsmb/multibody/joint.hpp"

namespace nsmb {

/// A joint given by functions, such as compiled expressions.
class FunctionJoint final : public Joint {
 public:
  struct Functions {
    /// (t, q, u, k), as Joint::evaluate.
    std::function<void(double, const double*, const double*, JointKinematics&)> evaluate;
    /// (q, u, q̇). If empty, q̇ = u.
    std::function<void(const double*, const double*, double*)> coordinate_rates;
    /// (q). If empty, q has no manifold.
    std::function<void(double*)> normalise;
  };

  /// Construct the joint and check its derivatives by finite differences near `reference`.
  /// Everything must be smooth in a neighbourhood of `reference`. The number of names is nq. Throws
  /// std::invalid_argument if the sizes do not fit or a derivative is wrong.
  FunctionJoint(std::vector<std::string> coordinates, Index nu, Functions functions,
                Vector reference, bool rheonomic);

  Index nq() const override { return reference_.size(); }
  Index nu() const override { return nu_; }
  std::vector<std::string> coordinates() const override { return coordinates_; }
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  void coordinate_rates(const double* q, const double* u, double* qdot) const override;
  bool normalise(double* q) const override;
  bool has_plain_rates() const override {
    return !functions_.coordinate_rates && !functions_.normalise;
  }
  void reference(double* q) const override;
  bool rheonomic() const override { return rheonomic_; }
  bool can_be_driven(Index k) const override {
    return !functions_.coordinate_rates && Joint::can_be_driven(k);
  }

 private:
  std::vector<std::string> coordinates_;
  Index nu_;
  Functions functions_;
  Vector reference_;
  bool rheonomic_;
};

/// Another joint with prescribed motion of some coordinates (kinematic excitation): z = q + s(t),
/// or z = s(t) where locked.
class DrivenJoint final : public Joint {
 public:
  /// Construct the joint with at most one motion per coordinate. Throws std::invalid_argument for a
  /// coordinate that is neither a translation nor an angle.
  DrivenJoint(std::shared_ptr<const Joint> joint, const std::vector<JointMotion>& motions);

  Index nq() const override { return static_cast<Index>(free_q_.size()); }
  Index nu() const override { return static_cast<Index>(free_u_.size()); }
  std::vector<std::string> coordinates() const override;
  void evaluate(double t, const double* q, const double* u, JointKinematics& k) const override;
  void coordinate_rates(const double* q, const double* u, double* qdot) const override;
  bool normalise(double* q) const override;
  bool has_plain_rates() const override { return joint_->has_plain_rates(); }
  void reference(double* q) const override;
  bool rheonomic() const override { return true; }
  /// Return -1 for joints of several velocities, whose rates are not given by u alone.
  Index serial_velocities() const override { return nu() == 0 || joint_->nu() == 1 ? nu() : -1; }

 private:
  void expand(const double* q, double* z) const;

  std::shared_ptr<const Joint> joint_;
  std::vector<JointMotion> motions_;
  std::vector<Index> free_q_, free_u_;  // coordinates and velocities that remain
};

/// Compare rates with differences of positions, and biases with differences of rates, at three
/// points near the reference. Throws std::invalid_argument that names the wrong part.
void check_derivatives(const Joint& joint);

}  // namespace nsmb
