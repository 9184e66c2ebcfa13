#include "nsmb/simulation/neighbours.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// The best step of a central difference of a smooth function, relative to its argument.
const double kDifference = std::cbrt(std::numeric_limits<double>::epsilon());

}  // namespace

Neighbours::Neighbours(const System& system)
    : y_plus(system.ny()),
      y_minus(system.ny()),
      system_(system),
      scale_(Vector::Zero(system.ny())),
      reach_(Vector::Zero(system.ny())) {}

void Neighbours::clear() {
  scale_.setZero();
  reach_.setZero();
  longest_step_ = 0.0;
}

void Neighbours::see_way(const ConstVectorRef& way, double h) {
  longest_step_ = std::max(longest_step_, h);
  reach_ = reach_.cwiseMax(way.cwiseAbs());
}

double Neighbours::size(Index i) const {
  const Index nq = system_.nq(), nu = system_.nu();
  const Index begin = i < nq ? 0 : i < nq + nu ? nq : nq + nu;
  const Index count = i < nq ? nq : i < nq + nu ? nu : system_.nx();
  // Functions of a coordinate vary with its displacement. Its total, such as the revolutions of a
  // shaft, does not matter.
  const Vector& sizes = i < nq && reach_.head(nq).any() ? reach_ : scale_;
  const double group = sizes.segment(begin, count).maxCoeff();
  return group > 0.0 ? std::max(sizes(i), derivatives::kSmallestVaried * group) : 1.0;
}

double Neighbours::flow_time(const ConstVectorRef& rate) const {
  double fastest = 0.0;
  for (Index i = 0; i < rate.size(); ++i) fastest = std::max(fastest, std::abs(rate(i)) / size(i));
  const double longest = longest_step_ > 0.0 ? longest_step_ : 1.0;
  return fastest * longest > 1.0 ? 1.0 / fastest : longest;
}

double Neighbours::vary(const ConstVectorRef& y, Index i, double longest) {
  const double step =
      std::max(kDifference * size(i), derivatives::kVariedCoordinate * std::abs(y(i)));
  y_plus = y;
  y_minus = y;
  y_plus(i) += std::min(step, longest);
  y_minus(i) -= std::min(step, longest);
  return y_plus(i) - y_minus(i);
}

double Neighbours::vary_along(double t, const ConstVectorRef& y, const ConstVectorRef& rate) {
  const double tau =
      std::max(kDifference * flow_time(rate), derivatives::kVariedTime * std::abs(t));
  t_plus = t + tau;
  t_minus = t - tau;
  y_plus = y + (t_plus - t) * rate;
  y_minus = y - (t - t_minus) * rate;
  return t_plus - t_minus;
}

}  // namespace nsmb
