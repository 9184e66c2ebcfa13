// Force elements without states: laws over a distance or a coordinate, and loads.
#pragma once

#include <functional>
#include <utility>

#include "nsmb/multibody/force_element.hpp"

namespace nsmb {

/// Distance of two markers, its rate eᵀ(v_2 - v_1), and the unit vector e from the first to the
/// second marker.
struct Line {
  Line(const MarkerKinematics& first, const MarkerKinematics& second);
  Vector3 e;
  double distance, rate;
};

/// A force element given by a law over one distance or coordinate γ and its rate.
class LawForce : public ForceElement {
 public:
  LawForce(ForceLawPtr law, SignConvention sign);
  const SignedLaw* law() const final { return &law_; }
  Index least_inputs() const final { return law_.law->least_inputs(); }
  bool calls_user() const final;

 protected:
  /// Return the tension, N or N m, positive when pulling together; and its potential, J.
  double tension(const ForceInput& in, double gamma, double rate) const;
  double potential(double gamma) const;

 private:
  SignedLaw law_;
};

/// A force between two markers along their connecting line (3.12), with γ their distance.
class LineForce final : public LawForce {
 public:
  using LawForce::LawForce;
  std::size_t markers() const override { return 2; }
  std::size_t joints() const override { return 0; }
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  double energy(const ForceInput& in, ForceWorkspace& work) const override;
};

/// A force in a joint, with γ its coordinate.
class JointForce final : public LawForce {
 public:
  using LawForce::LawForce;
  std::size_t markers() const override { return 0; }
  std::size_t joints() const override { return 1; }
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  double energy(const ForceInput& in, ForceWorkspace& work) const override;
};

/// A user-defined force and moment on the body of a marker, acting at its origin.
class Load final : public ForceElement {
 public:
  /// Function of the kinematics of the marker and of the `values` of the requested inputs.
  using Function = std::function<std::pair<Vector3, Vector3>(
      double t, const Vector3& r, const Matrix3& A, const Vector3& v, const Vector3& Omega,
      const Vector& values)>;
  /// Construct the load. `inputs` are the indices of the requested inputs in the model.
  explicit Load(Function function, std::vector<Index> inputs = {});
  std::size_t markers() const override { return 1; }
  std::size_t joints() const override { return 0; }
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  Index least_inputs() const override;
  bool calls_user() const override { return true; }

 private:
  Function function_;
  std::vector<Index> inputs_;
};

}  // namespace nsmb
