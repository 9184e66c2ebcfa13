// Internals of ModelSystem: workspace for the derivatives of a model, allocated once.
#pragma once

#include "nsmb/multibody/derivatives.hpp"
#include "nsmb/multibody/law_forces.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

using Row = Eigen::Matrix<double, 1, Eigen::Dynamic>;

/// Finite differences of one element. Rows: force and moment on each marker, forces in joints,
/// rates of its states. Columns: displacement, rotation, v and Ω of each marker, q and then u of
/// its joints, its states.
struct ElementVariation {
  ElementVariation(const PlacedForce& force, Index states);
  /// Compute the differences. q, u, x and the markers are restored.
  void find(const ForceElement& element, ModelWorkspace& work, const PlacedForce& force,
            ForceWorkspace& scratch, Vector& q, Vector& u, Vector& x, Index first, Index modes,
            double t);
  Index markers, joints, own;
  Vector base, plus, minus;
  Matrix slopes;
  std::vector<char> known;  // (own) columns in closed form
};

/// Finite differences of all force elements, and the state at which they are taken.
struct Variations {
  std::vector<ElementVariation> elements;
  Vector q, u, x;
};

struct ModelDerivatives {
  ModelDerivatives(const ModelDescription& model, Index states);

  /// Apply a force at a marker and a moment, with their derivatives. The wrenches on the bodies
  /// receive the values. The residual of M u̇ = ... receives the changes beyond motion with the
  /// body. Uses `turned`.
  void apply(const ModelDescription& model, Index marker, const Vector3& F, const Vector3& M,
             const Rows3& dF, const Rows3& dM);

  void subtract(const MarkerKinematics& marker, const MarkerKinematics::Columns& J);

  /// Apply force F on the second marker and -F on the first; `F` holds dF.
  void push(const ModelDescription& model, Index first, Index second, const Vector3& force);

  ModelWorkspace* work = nullptr;
  TreeDerivatives tree;
  std::vector<MarkerDerivatives> markers;
  Matrix residual, inverse;     // (nu, 2 nu)
  Matrix rows, elements;        // by positions and velocities: of γ̇, of γ and γ̇
  const Rows3 none;             // (3, 2 nu) zeros
  Rows3 d, e, v, F, M, turned;  // scratch
  Row gamma, rate;
  Matrix rates;                 // of the states, (nx_own, 2 nu)
  Matrix direct, direct_rates;  // of residual and rates, with respect to (q, u, x) directly
  Variations varied;
};

/// Compute the line between two markers and its derivatives: d.e, d.gamma and d.rate.
void line_derivatives(const MarkerKinematics& m1, const MarkerKinematics& m2, const Line& line,
                      const MarkerDerivatives& d1, const MarkerDerivatives& d2,
                      ModelDerivatives& d);

/// Return true if all parts of the model support derivatives.
bool knows_derivatives(const ModelDescription& model);

void line_force_derivatives(const ModelDescription& model, const PlacedForce& force,
                            const SignedLaw& law, double t, ModelDerivatives& d);
void joint_force_derivatives(const PlacedForce& force, const SignedLaw& law, double t,
                             const ConstVectorRef& q, const ConstVectorRef& u, ModelDerivatives& d);
/// Add the derivatives of an element with finite differences, whose states start at `first`.
void element_derivatives(const ModelDescription& model, const PlacedForce& force,
                         const ElementVariation& variation, Index first, ModelDerivatives& d);

/// Add the derivatives of loop `i` under the force lambda: row `row` of γ̇.
void loop_derivatives(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
                      ModelDerivatives& d);

/// Add the derivatives of slot `i` of a contact under its forces, at the point last found by
/// contact_kinematics: rows `i` and `row_T` of γ̇.
void contact_derivatives(const ModelDescription& model, const ContourContact& contact, Index i,
                         double lambda_N, double lambda_T, Index row_T, ModelDerivatives& d);

/// Add the derivatives of a limit between two markers under lambda_N: row `row` of γ̇.
void stop_derivatives(const ModelDescription& model, const JointStop& stop, double lambda,
                      Index row, ModelDerivatives& d);

/// Add the derivatives of a resistance to rolling between two markers under `moment`: row `row` of
/// γ̇.
void rolling_derivatives(const ModelDescription& model, Index marker_1, Index marker_2,
                         double moment, Index row, ModelDerivatives& d);

}  // namespace nsmb
