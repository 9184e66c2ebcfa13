#include "nsmb/stepping/middle_forces.hpp"

#include <algorithm>
#include <limits>

#include "nsmb/core/dense_qr.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// What contracts as middle_tuning::kContracts is at rounding by then.
constexpr int kForceTurns = 30;
// Newton steps, their halves, and directions of one.
constexpr int kForceSteps = 20;
constexpr int kMostHalves = 10;
constexpr Index kMostDirections = 40;

double largest(const ConstVectorRef& v) { return v.lpNorm<Eigen::Infinity>(); }

}  // namespace

MiddleForces::MiddleForces(Mechanics& mechanics, const CentreMotion& centres)
    : mechanics_(mechanics),
      centres_(centres),
      forces_(mechanics),
      rates_(mechanics.nu() + mechanics.system().nx()),
      change_(mechanics.nu()),
      image_(mechanics.nu()) {}

void MiddleForces::evaluate(double t, double h, const ConstVectorRef& y) {
  forces_.evaluate(t, y, rates_);
  change_ = h * rates_.head(mechanics_.nu());
  mechanics_.mass.solve(change_);
  const Index nq = mechanics_.nq();
  centres_.add_turning(y.head(nq), y.segment(nq, mechanics_.nu()), h, change_);
}

void MiddleForces::find_image(const Step& step) {
  image_ = step.u_start + step.theta * change_;
  step.P(image_);
}

void MiddleForces::try_at(const Step& step, const ConstVectorRef& u, VectorRef y) {
  auto there = y.segment(mechanics_.nq(), mechanics_.nu());
  there = u;
  evaluate(step.t, step.h, y);
  find_image(step);
  residual_ = largest(image_ - there) / scale_;
}

void MiddleForces::settle(const Step& step, VectorRef y) {
  find_image(step);
  if (!image_.allFinite()) return;  // the step has no end
  scale_ = std::max({largest(step.u_start), largest(image_), std::numeric_limits<double>::min()});
  double before = largest(image_ - step.u_start) / scale_;
  for (int turn = 0; turn < kForceTurns; ++turn) {
    try_at(step, image_, y);
    if (residual_ <= middle::kSame) return;
    if (!(residual_ <= middle_tuning::kContracts * before)) break;
    before = residual_;
  }
  if (residual_ <= middle::kRounding) return;
  // Far from a solution, u ← g(u) leads farther away.
  try_at(step, step.u_start, y);
  for (int k = 0; k < kForceSteps && !(residual_ <= middle::kSame); ++k) {
    if (!improve(step, y)) break;
  }
  if (residual_ <= middle::kRounding || !(step.theta > 0.0)) return;
  // The nearest velocities of the middle are kept to, as forces there lead elsewhere.
  change_ = (y.segment(mechanics_.nq(), mechanics_.nu()) - step.u_start) / step.theta;
}

// A Newton step, halved until g - u shrinks; false: it does not.
bool MiddleForces::improve(const Step& step, VectorRef y) {
  u_ = y.segment(mechanics_.nq(), mechanics_.nu());
  miss_ = image_ - u_;
  if (!miss_.allFinite()) return false;
  find_direction(step, y);
  const double norm = miss_.norm();
  double share = 1.0;
  for (int k = 0; k < kMostHalves; ++k, share *= 0.5) {
    try_at(step, u_ + share * delta_, y);
    const double left = (image_ - y.segment(mechanics_.nq(), mechanics_.nu())).norm();
    if (left < (1.0 - 0.1 * share) * norm) return true;
  }
  try_at(step, u_, y);
  return false;
}

// (1 - ∂g/∂u) δ = g - u by GMRES; columns of V are orthonormal.
void MiddleForces::find_direction(const Step& step, VectorRef y) {
  const Index most = std::min(kMostDirections, miss_.size());
  const Vector image = image_;
  const double distance = stepping::kDifference * scale_;
  V_.resize(miss_.size(), most + 1);
  H_.setZero(most + 1, most);
  Vector right = Vector::Zero(most + 1), x;
  right(0) = miss_.norm();
  V_.col(0) = miss_ / right(0);
  for (Index k = 0; k < most; ++k) {
    try_at(step, u_ + distance * V_.col(k), y);
    Vector w = V_.col(k) - (image_ - image) / distance;
    for (int again = 0; again < 2; ++again) {
      const Vector along = V_.leftCols(k + 1).transpose() * w;
      H_.col(k).head(k + 1) += along;
      w -= V_.leftCols(k + 1) * along;
    }
    H_(k + 1, k) = w.norm();
    const auto H = H_.topLeftCorner(k + 2, k + 1);
    x = pivoted_least_squares(H, right.head(k + 2));
    delta_ = V_.leftCols(k + 1) * x;
    if ((H * x - right.head(k + 2)).norm() <= middle_tuning::kLinear * right(0)) return;
    V_.col(k + 1) = w / H_(k + 1, k);
  }
}

}  // namespace nsmb
