#include "nsmb/stepping/stage_solver.hpp"

#include "nsmb/stepping/implicit_stages.hpp"

namespace nsmb {

namespace {

/// Explicit stages, one after another, (A.4)-(A.10).
class ExplicitStages final : public StageSolver {
 public:
  ExplicitStages(const RungeKuttaTableau& tableau, StageEquations& equations)
      : tableau_(tableau), equations_(equations) {}

  void solve(double t, double h, const Vector& y_0, bool /*again*/, Stages& stages,
             StageSums& sums) override {
    for (Index i = 0; i < tableau_.stages(); ++i) {
      auto y = stages.Y.col(i);
      y = y_0;
      for (Index j = 0; j < i; ++j) {
        if (tableau_.A(i, j) != 0.0) y += h * tableau_.A(i, j) * stages.K.col(j);
      }
      const double t_i = t + tableau_.c(i) * h;
      if (tableau_.b(i) == 0.0 && tableau_.A.col(i).isZero(0.0)) {
        equations_.coordinate_rates(t_i, y, stages.K.col(i));
      } else {
        equations_.rates(t_i, y, stages.K.col(i));
      }
      sums.add(i, stages.K.col(i), equations_);
    }
  }

 private:
  const RungeKuttaTableau& tableau_;
  StageEquations& equations_;
};

}  // namespace

StageSums::StageSums(const RungeKuttaTableau& tableau, const Mechanics& mechanics)
    : gamma_N(Vector::Zero(mechanics.nc())),
      gamma_T(Vector::Zero(mechanics.nt())),
      lambda_B(Vector::Zero(mechanics.nb())),
      tableau_(tableau),
      forces_(mechanics.nb()) {}

void StageSums::begin() {
  for (Vector* sum : {&gamma_N, &gamma_T, &lambda_B}) sum->setZero();
}

void StageSums::add(Index stage, const ConstVectorRef& ydot, StageEquations& equations) {
  gamma_N += tableau_.b_q(stage) * equations.mechanics().gamma_N;
  gamma_T += tableau_.b_q(stage) * equations.mechanics().gamma_T;
  if (lambda_B.size() == 0 || tableau_.b(stage) == 0.0) return;
  equations.constraint_forces(ydot, forces_);
  lambda_B += tableau_.b(stage) * forces_;
}

std::unique_ptr<StageSolver> make_stage_solver(const RungeKuttaTableau& tableau,
                                               StageEquations& equations) {
  if (tableau.is_explicit()) return std::make_unique<ExplicitStages>(tableau, equations);
  return std::make_unique<ImplicitStages>(tableau, equations);
}

}  // namespace nsmb
