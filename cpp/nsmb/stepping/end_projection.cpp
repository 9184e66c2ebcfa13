#include "nsmb/stepping/end_projection.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/step_place.hpp"
#include "nsmb/stepping/tolerances.hpp"
#include "nsmb/system/constraint_set.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Limit of Newton steps. Gaps are nearly linear in these displacements.
constexpr int kEndSteps = 6;

}  // namespace

EndProjection::EndProjection(Mechanics& mechanics, ContactModel& model)
    : mechanics_(mechanics),
      model_(model),
      inertia_(mechanics, model.cliques()),
      problem_(mechanics, model, inertia_),
      constraints_(mechanics.nu(), mechanics.nb()),
      step_(mechanics.nu()),
      moved_(mechanics.nu()) {}

void EndProjection::keep(const FoundContact& contact, std::size_t k, Way way) {
  kept_.push_back({contact.identity, k, way});
  pairs_.emplace_back(contact.shape_1, contact.shape_2);
}

const EndProjection::Kept* EndProjection::find_kept(const FoundContact& contact) const {
  const auto place = std::lower_bound(
      kept_.begin(), kept_.end(), contact.identity,
      [](const Kept& kept, ContactIdentity identity) { return kept.identity < identity; });
  return place != kept_.end() && place->identity == contact.identity ? &*place : nullptr;
}

// Return the largest gap in S, or penetration of a lifted contact.
double EndProjection::find(double t, const ConstVectorRef& y, const Options& options,
                           const std::vector<char>* at_rest) {
  const Index nq = mechanics_.nq();
  const auto q = y.head(nq), u = y.segment(nq, mechanics_.nu());
  model_.update(t, q, u);
  model_.find(t, q, u, options.margin, 0.0, at_rest, set_);
  deepest_ = 0.0;
  double largest = 0.0;
  std::erase_if(set_.contacts, [&](const FoundContact& contact) {
    if (!contact.normal || !contact.moves) return true;
    const Kept* kept = find_kept(contact);
    if (!kept || kept->way == Way::Lifts) {
      // The features in contact change while a pair rolls.
      const bool may_be_lifted =
          kept || std::binary_search(pairs_.begin(), pairs_.end(),
                                     std::pair(contact.shape_1, contact.shape_2));
      const auto place = std::lower_bound(lifted_.begin(), lifted_.end(), contact.identity);
      const bool was_lifted = place != lifted_.end() && *place == contact.identity;
      if (!may_be_lifted || !(was_lifted || contact.g_N < -options.gap_tolerance)) return true;
      // Contacts stay lifted so that others do not push them back.
      if (!was_lifted) lifted_.insert(place, contact.identity);
    }
    deepest_ = std::max(deepest_, -contact.g_N);
    largest = std::max(largest, std::abs(contact.g_N));
    return false;
  });
  return largest;
}

// Compute M, and the constraints that displacements and velocity changes satisfy.
void EndProjection::prepare(double t, const ConstVectorRef& y) {
  const Index nq = mechanics_.nq();
  const double inside = mechanics_.span().inside(t);
  inertia_.stand(inside, y.head(nq));
  if (mechanics_.nb() == 0) return;
  mechanics_.system().constraint_set()->constraint_kinematics(
      inside, y.head(nq), y.segment(nq, mechanics_.nu()), constraints_, mechanics_.work());
  problem_.constrain(constraints_.W);
}

// Return false if there is no solution.
bool EndProjection::solve(double enough) {
  problem_.assemble_rows(set_, rows_);
  change_.solve(problem_.problem(), left_, enough);
  step_.setZero();
  if (!change_.velocities().allFinite()) return false;
  problem_.scatter(change_.velocities(), step_);
  return true;
}

// Return true if no contact moves farther than a few times the largest gap to be closed. Larger
// displacements come from nearly contradictory directions.
bool EndProjection::is_near(double largest) const {
  for (const FoundContact& contact : set_.contacts) {
    for (std::size_t side = 0; side < 2; ++side) {
      if (contact.cliques[side] < 0) continue;
      const double* entry = set_.entries.data() + contact.first_entry[side];
      double way = 0.0;
      for (const VelocityRange& r : model_.cliques().members(contact.cliques[side])) {
        for (Index k = r.first; k < r.first + r.size; ++k, entry += contact.rows) {
          way += *entry * step_(k);
        }
      }
      if (!(std::abs(way) <= end_projection::kFarthest * largest)) return false;
    }
  }
  return true;
}

// Move by step_. With M = L Lᵀ the moved cliques keep w = Lᵀu, and thus their energy and v_S of a
// body.
void EndProjection::move(double t, VectorRef y) {
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  auto q = y.head(nq), u = y.segment(nq, nu);
  const bool turns = !mechanics_.system().constant_mass_matrix();
  for (const Index clique : problem_.touched()) {
    if (!turns) break;
    const Index unit = inertia_.unit_of(clique);
    inertia_.gather(unit, u, part_);
    w_.resize(part_.size());
    llt_.compute(inertia_.mass(unit));
    llt_.multiply_upper(part_, w_);
    inertia_.scatter(unit, w_, u);
  }
  move_coordinates(mechanics_, t, 1.0, step_, q, q_step_);
  if (!turns) return;
  inertia_.stand(mechanics_.span().inside(t), q);
  for (const Index clique : problem_.touched()) {
    const Index unit = inertia_.unit_of(clique);
    inertia_.gather(unit, u, w_);
    llt_.compute(inertia_.mass(unit));
    llt_.solve_upper(w_);
    inertia_.scatter(unit, w_, u);
  }
}

void EndProjection::apply(double t, const ConstVectorRef& loads, const Options& options,
                          const std::vector<char>* at_rest, VectorRef y) {
  deepest_ = loss_ = work_ = 0.0;
  impulses_.clear();
  if (kept_.empty()) return;
  std::sort(pairs_.begin(), pairs_.end());
  lifted_.clear();
  std::sort(kept_.begin(), kept_.end(),
            [](const Kept& a, const Kept& b) { return a.identity < b.identity; });
  const Index nq = mechanics_.nq(), nu = mechanics_.nu();
  auto u = y.segment(nq, nu);
  double before = 0.0;
  moved_.setZero();
  bool has_moved = false;
  for (int step = 0;; ++step) {
    const std::size_t known = lifted_.size();
    const double largest = find(t, y, options, at_rest);
    if (!(largest > options.gap_tolerance) || step == kEndSteps) break;
    if (step > 0 && lifted_.size() == known && largest > stepping::kGained * before) break;
    before = largest;
    rows_.assign(set_.contacts.size(), 1);
    left_.resize(static_cast<Index>(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      left_(static_cast<Index>(k)) = -set_.contacts[k].g_N;
    }
    prepare(t, y);
    if (!solve(0.1 * options.gap_tolerance) || !is_near(largest)) break;
    moved_ += step_;
    move(t, y);
    has_moved = true;
  }
  if (set_.contacts.empty()) return;
  prepare(t, y);
  if (has_moved) {
    // The impact has lost the work of loads between its actual and its projected position.
    work_ = loads.dot(moved_);
    loss_ = work_;
  }
  Index n = 0;
  rows_.resize(set_.contacts.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Kept* kept = find_kept(set_.contacts[k]);
    const bool is_none = !kept || kept->way == Way::Lifts;
    rows_[k] = is_none ? 0 : kept->way == Way::Sticks ? 1 + set_.contacts[k].tangents : 1;
    n += rows_[k];
  }
  left_.resize(n);
  if (n == 0) return;
  problem_.rates(set_, rows_, u, left_);
  if (!(left_.cwiseAbs().maxCoeff() > options.speed_tolerance)) return;
  left_ *= -1.0;
  if (!solve(0.1 * options.speed_tolerance)) return;
  for (const Index clique : problem_.touched())
    loss_ += 0.5 * problem_.energy(clique, change_.velocities());
  u += step_;
  // The positions have followed the velocities without this change.
  work_ -= options.rest * loads.dot(step_);
  Index row = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k] == 0) continue;
    impulses_.push_back({find_kept(set_.contacts[k])->k, {}});
    Impulse& impulse = impulses_.back();
    for (Index i = 0; i < rows_[k]; ++i) impulse.Lambda[at(i)] = change_.impulses()(row + i);
    row += rows_[k];
  }
}

}  // namespace nsmb
