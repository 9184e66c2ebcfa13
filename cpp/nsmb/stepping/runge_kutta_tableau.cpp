#include "nsmb/stepping/runge_kutta_tableau.hpp"

#include <cmath>

namespace nsmb {

namespace {

RungeKuttaTableau euler() {
  RungeKuttaTableau t{Matrix::Zero(2, 2), Vector::Zero(2), Vector::Zero(2), Vector::Zero(2)};
  t.A(1, 0) = 1.0;
  t.b << 1.0, 0.0;
  t.b_q << 0.5, 0.5;
  t.c << 0.0, 1.0;
  return t;
}

RungeKuttaTableau rk4() {
  RungeKuttaTableau t{Matrix::Zero(4, 4), Vector::Zero(4), Vector::Zero(4), Vector::Zero(4)};
  t.A(1, 0) = t.A(2, 1) = 0.5;
  t.A(3, 2) = 1.0;
  t.b << 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0;
  t.b_q = t.b;
  t.c << 0.0, 0.5, 0.5, 1.0;
  return t;
}

// (A.17). Its third row must equal b.
RungeKuttaTableau radau() {
  const double r = std::sqrt(6.0);
  RungeKuttaTableau t{Matrix::Zero(3, 3), Vector::Zero(3), Vector::Zero(3), Vector::Zero(3)};
  t.A << (88.0 - 7.0 * r) / 360.0, (296.0 - 169.0 * r) / 1800.0, (-2.0 + 3.0 * r) / 225.0,
      (296.0 + 169.0 * r) / 1800.0, (88.0 + 7.0 * r) / 360.0, (-2.0 - 3.0 * r) / 225.0,
      (16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0;
  t.b = t.b_q = t.A.row(2).transpose();
  t.c << (4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0;
  return t;
}

}  // namespace

const RungeKuttaTableau& tableau(RungeKuttaMethod method) {
  static const RungeKuttaTableau known[] = {euler(), rk4(), radau()};
  return known[static_cast<std::size_t>(method)];
}

}  // namespace nsmb
