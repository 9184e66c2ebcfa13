#include "nsmb/stepping/step_curve.hpp"

namespace nsmb {

StepCurve::StepCurve(Mechanics& mechanics)
    : mechanics_(mechanics), series_(mechanics.system().ny(), 3) {}

void StepCurve::lay(const RunState& from, const RunState& to, double h) {
  const Index nq = mechanics_.nq();
  series_.col(0) = from.y;
  series_.col(1) = to.y - from.y;
  series_.col(2).setZero();
  mechanics_.coordinate_rates(from.t, from.y.head(nq), from.y.segment(nq, mechanics_.nu()),
                              series_.col(1).head(nq));
  series_.col(1).head(nq) *= h;
  series_.col(2).head(nq) = to.y.head(nq) - from.y.head(nq) - series_.col(1).head(nq);
  t_old_ = from.t;
  t_ = to.t;
  h_ = h;
}

void StepCurve::state_at(double s, VectorRef y) {
  y = series_.col(0) + s * (series_.col(1) + s * series_.col(2));
  mechanics_.system().normalise(y.head(mechanics_.nq()));
}

}  // namespace nsmb
