#include "nsmb/stepping/free_turning.hpp"

#include <array>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Substeps of Yoshida's sixth-order composition, as fractions of the step.
constexpr std::array<double, 7> kSubsteps = {
    0.784513610477560, 0.235573213359357, -1.17767998417887, 1.315186320683906,
    -1.17767998417887, 0.235573213359357, 0.784513610477560};

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d result;
  result << 0.0, -a(2), a(1), a(2), 0.0, -a(0), -a(1), a(0), 0.0;
  return result;
}

// The same of fourth order, which is enough for small rotations.
constexpr std::array<double, 3> kFewSubsteps = {1.351207191959658, -1.702414383919315,
                                                1.351207191959658};

// Newton steps for the mean angular velocity. A third of a radian already needs only a few of them.
constexpr int kTurnSteps = 12;

// If the gradients are nearly parallel, each step leaves about the square of its correction.
constexpr int kRestoringSteps = 3;

// Rounding accumulates over thousands of substeps, so Ω is projected onto energy and momentum.
// Their gradients are parallel for rotation about a fixed axis, and each of them then suffices.
void restore(const Eigen::Matrix3d& I, double energy, double momentum, Eigen::Vector3d& Omega) {
  const Eigen::Vector3d L = I * Omega;
  Eigen::Matrix<double, 3, 2> gradients;
  gradients << L / energy, I * L / momentum;
  const Eigen::Vector2d left(1.0 - 0.5 * Omega.dot(L) / energy,
                             1.0 - 0.5 * L.squaredNorm() / momentum);
  Eigen::Matrix2d G = gradients.transpose() * gradients;
  const double product = G.trace() * 0.5;
  if (G.determinant() <= turning::kParallel * product * product) {
    Omega *= 1.0 + 0.25 * (left(0) + left(1));
  } else {
    Omega += gradients * (G.inverse() * left);
  }
}

void turn_once(const Eigen::Matrix3d& I, double k, Eigen::Quaterniond& A, Eigen::Vector3d& Omega) {
  Eigen::Vector3d mean = Omega;
  const double scale = (I * Omega).norm();
  for (int step = 0; step < kTurnSteps; ++step) {
    const Eigen::Vector3d L = I * mean;
    const Eigen::Vector3d left = 2.0 * (I * Omega - L) - k * mean.cross(L);
    if (!(left.norm() > turning::kRounding * scale)) break;
    const Eigen::Matrix3d J = 2.0 * I + k * (cross_matrix(mean) * I - cross_matrix(L));
    mean += J.inverse() * left;
  }
  Omega = 2.0 * mean - Omega;
  const Eigen::Vector3d half = 0.5 * k * mean;
  A = (A * Eigen::Quaterniond(1.0, half(0), half(1), half(2))).normalized();
}

bool is_even(const Eigen::Matrix3d& I) {
  const double mean = I.trace() / 3.0;
  return (I - mean * Eigen::Matrix3d::Identity()).norm() <= turning::kEven * mean;
}

}  // namespace

void turn_freely(const Eigen::Matrix3d& I, double h, Eigen::Quaterniond& A,
                 Eigen::Vector3d& Omega) {
  const double rate = Omega.norm();
  const double angle = std::abs(rate * h);
  if (angle == 0.0) return;
  if (is_even(I)) {
    const double half = 0.5 * rate * h;
    const Eigen::Vector3d axis = std::sin(half) / rate * Omega;
    A = (A * Eigen::Quaterniond(std::cos(half), axis(0), axis(1), axis(2))).normalized();
    return;
  }
  if (angle < turning::kSmall) return turn_once(I, h, A, Omega);
  if (angle < turning::kModest) {
    for (const double part : kFewSubsteps) turn_once(I, part * h, A, Omega);
    return;
  }
  const double energy = 0.5 * Omega.dot(I * Omega), momentum = 0.5 * (I * Omega).squaredNorm();
  const auto n = static_cast<int>(std::ceil(angle / turning::kLongest));
  for (int i = 0; i < n; ++i) {
    for (const double part : kSubsteps) turn_once(I, part * h / n, A, Omega);
  }
  for (int step = 0; step < kRestoringSteps; ++step) restore(I, energy, momentum, Omega);
}

}  // namespace nsmb
