#include "nsmb/stepping/set_projection.hpp"

#include <algorithm>

#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Newton steps; the gaps of bodies bend little on the way out.
constexpr int kSetSteps = 5;

}  // namespace

SetProjection::SetProjection(Mechanics& mechanics, ContactModel& model)
    : mechanics_(mechanics),
      model_(model),
      problem_(mechanics, model),
      displacement_(mechanics.nu()) {
  solver_.measure.impulse_scale = 0.0;
}

void SetProjection::find(double t, const ConstVectorRef& y, double margin,
                         const std::vector<char>* at_rest) {
  const Index nq = mechanics_.nq();
  const auto q = y.head(nq), u = y.segment(nq, mechanics_.nu());
  model_.update(t, q, u);
  model_.find(t, q, u, margin, 0.0, at_rest, set_);
  std::erase_if(set_.contacts,
                [](const FoundContact& contact) { return !contact.moves || !contact.normal; });
  deepest_ = 0.0;
  for (const FoundContact& contact : set_.contacts) deepest_ = std::max(deepest_, -contact.g_N);
}

void SetProjection::apply(double t, VectorRef y, double allowed, const std::vector<char>* at_rest) {
  const Index nq = mechanics_.nq();
  double before = 0.0;
  for (int step = 0; step < kSetSteps; ++step) {
    find(t, y, 0.0, at_rest);
    if (deepest_ <= allowed || (step > 0 && deepest_ > stepping::kGained * before)) return;
    before = deepest_;
    // What is so near that others may be pushed into it belongs to the problem.
    find(t, y, deepest_, at_rest);
    mechanics_.mass.factorise(mechanics_.span().inside(t), y.head(nq));
    problem_.assemble_gaps(set_);
    const double size = problem_.problem().w.norm();
    solver_.measure.scale = 0.0;
    solver_.tol = std::clamp(0.1 * allowed / size, stepping::kFinestGap, 1e-2);
    solve_sparse_friction(problem_.problem(), solver_, workspace_, result_);
    if (!result_.v.allFinite()) return;
    displacement_.setZero();
    problem_.scatter(result_.v, displacement_);
    move_coordinates(mechanics_, t, 1.0, displacement_, y.head(nq), q_step_);
  }
  find(t, y, 0.0, at_rest);
}

}  // namespace nsmb
