// Inside of ModelSystem: what the derivatives of a model are computed with, allocated once.
#pragma once

#include "nsmb/multibody/derivatives.hpp"
#include "nsmb/multibody/model_workspace.hpp"

namespace nsmb {

using Row = Eigen::Matrix<double, 1, Eigen::Dynamic>;

struct ModelDerivatives {
  explicit ModelDerivatives(const ModelDescription& model);

  /// Force at a marker and moment, and how they change: into the wrenches on the bodies, and what
  /// changes besides their moving along into the residual of M u̇ = ... Uses `turned`.
  void apply(const ModelDescription& model, Index marker, const Vector3& F, const Vector3& M,
             const Rows3& dF, const Rows3& dM);

  ModelWorkspace* work = nullptr;
  TreeDerivatives tree;
  std::vector<MarkerDerivatives> markers;
  Matrix residual, inverse;     // (nu, 2 nu)
  Matrix rows, elements;        // by positions and velocities: of γ̇, of γ and γ̇
  const Rows3 none;             // (3, 2 nu) zeros
  Rows3 d, e, v, F, M, turned;  // scratch
  Row gamma, rate;
};

/// The line between two markers, and how it changes: e, and of d.gamma and d.rate.
void line_derivatives(const MarkerKinematics& m1, const MarkerKinematics& m2, const Line& line,
                      const MarkerDerivatives& d1, const MarkerDerivatives& d2,
                      ModelDerivatives& d);

/// Of loop `i` under the force lambda: row `row` of γ̇.
void loop_derivatives(const ModelDescription& model, const LoopRow& loop, double lambda, Index row,
                      ModelDerivatives& d);

/// Of slot `i` of a contact under its forces, at the point where contact_kinematics found it last:
/// rows `i` and `row_T` of γ̇.
void contact_derivatives(const ModelDescription& model, const ContourContact& contact, Index i,
                         double lambda_N, double lambda_T, Index row_T, ModelDerivatives& d);

/// Of a limit between two markers under lambda_N: row `row` of γ̇.
void stop_derivatives(const ModelDescription& model, const JointStop& stop, double lambda,
                      Index row, ModelDerivatives& d);

}  // namespace nsmb
