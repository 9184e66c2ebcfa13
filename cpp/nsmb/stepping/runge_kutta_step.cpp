#include "nsmb/stepping/runge_kutta_step.hpp"

namespace nsmb {

RungeKuttaStep::RungeKuttaStep(Mechanics& mechanics, RungeKuttaMethod method)
    : mechanics_(mechanics),
      tableau_(tableau(method)),
      equations_(mechanics),
      solver_(make_stage_solver(tableau_, equations_)),
      stages_(mechanics.system().ny(), tableau_.stages()),
      sums_(tableau_, mechanics),
      columns_(at(tableau_.stages())),
      moved_(at(tableau_.stages())) {}

void RungeKuttaStep::begin(double t, double h, const Vector& y) {
  t_ = t;
  h_ = h;
  start_ = y;
  again_ = false;
}

void RungeKuttaStep::run(const Vector& lambda_N, const Vector& lambda_T) {
  equations_.hold(lambda_N, lambda_T);
  sums_.begin();
  solver_->solve(t_, h_, start_, again_, stages_, sums_);
  again_ = true;
  find_end();
  if (!end_.allFinite()) return;
  if (mechanics_.nb() > 0) mechanics_.approach_constraints(t_ + h_, end_);
}

void RungeKuttaStep::find_end() {
  const Index nq = mechanics_.nq(), s = tableau_.stages();
  // Sums of rates would amplify residuals of stiff stages.
  if (tableau_.ends_with_a_stage()) {
    end_ = stages_.Y.col(s - 1);
  } else {
    end_ = start_;
    for (Index p = 0; p < s; ++p) {
      end_.head(nq) += h_ * tableau_.b_q(p) * stages_.K.col(p).head(nq);
      const Index rest = end_.size() - nq;
      end_.tail(rest) += h_ * tableau_.b(p) * stages_.K.col(p).tail(rest);
    }
  }
  mechanics_.system().normalise(end_.head(nq));
}

void RungeKuttaStep::find_map(const std::vector<Index>& rows) {
  const Index s = tableau_.stages(), n = static_cast<Index>(rows.size());
  const Vector position = tableau_.position_weights();
  for (Index p = 0; p < s; ++p) {
    const bool counts = tableau_.b(p) != 0.0 || !tableau_.A.col(p).isZero(0.0);
    if (counts) {
      equations_.columns(t_ + tableau_.c(p) * h_, stages_.Y.col(p), rows, columns_[at(p)]);
    } else {
      columns_[at(p)].setZero(mechanics_.nu(), n);
    }
  }
  W_q_.setZero(mechanics_.nu(), n);
  W_u_.setZero(mechanics_.nu(), n);
  if (solver_->move(h_, columns_, moved_)) {
    for (Index p = 0; p < s; ++p) W_q_ += h_ * tableau_.b_q(p) * moved_[at(p)];
    W_u_ = moved_[at(s - 1)];
    return;
  }
  for (Index p = 0; p < s; ++p) {
    W_q_ += h_ * h_ * position(p) * columns_[at(p)];  // (A.13)
    W_u_ += h_ * tableau_.b(p) * columns_[at(p)];     // (A.14)
  }
}

}  // namespace nsmb
