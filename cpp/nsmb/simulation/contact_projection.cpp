#include "nsmb/simulation/contact_projection.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

double largest(const Vector& values) {
  return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

ContactProjection::ContactProjection(Mechanics& mechanics, const TransitionOptions& options)
    : mechanics_(mechanics),
      held_gap_(drift::kHeldPart * options.gap_tolerance),
      held_velocity_(drift::kHeldPart * options.rest_velocity),
      equations_(mechanics.rows(), mechanics.delassus.cliques()),
      correction_(mechanics.nu()),
      reach_(mechanics.nu()),
      q_step_(mechanics.nq()) {}

// Factorise G_SS of this set S of rows.
void ContactProjection::factorise(const std::vector<Index>& rows) {
  const Delassus& delassus = mechanics_.delassus;
  equations_.list(rows, rows);
  equations_.factorise(
      [&](const std::vector<Index>& of_block, const std::vector<Index>& /*same*/, MatrixRef A) {
        for (std::size_t i = 0; i < of_block.size(); ++i) {
          for (std::size_t j = 0; j < of_block.size(); ++j) {
            A(static_cast<Index>(i), static_cast<Index>(j)) = delassus.G(of_block[i], of_block[j]);
          }
        }
      });
}

// Add -M⁻¹ W_S G_SS⁻¹ right to correction_.
void ContactProjection::spread(const std::vector<Index>& rows) {
  const Delassus& delassus = mechanics_.delassus;
  equations_.substitute();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double impulse = equations_.lambda()(static_cast<Index>(k));
    for (const VelocityRange& r : delassus.reach(rows[k])) {
      correction_.segment(r.first, r.size) -=
          delassus.Minv_W.col(rows[k]).segment(r.first, r.size) * impulse;
    }
  }
}

// Add to correction_ the step that takes `value` of the rows to zero. The effect of correction_ so
// far is included.
void ContactProjection::correct_rows(const std::vector<Index>& rows, const Vector& value_N,
                                     const Vector& value_T) {
  if (rows.empty()) return;
  const Index nc = mechanics_.nc();
  factorise(rows);
  Vector& right = equations_.right();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Index row = rows[k];
    right(static_cast<Index>(k)) =
        (row < nc ? value_N(row) : value_T(row - nc)) + mechanics_.delassus.rate(correction_, row);
  }
  spread(rows);
}

const Vector& ContactProjection::reach_of(const std::vector<Index>& rows) {
  reach_.setZero();
  if (rows.empty()) return reach_;
  factorise(rows);
  for (Index k = 0; k < equations_.right().size(); ++k) {
    equations_.right().setZero();
    equations_.right()(k) = 1.0;
    correction_.setZero();
    spread(rows);
    reach_ += correction_.cwiseAbs();
  }
  return reach_;
}

double ContactProjection::largest_of(const std::vector<Index>& rows, const Vector& value_N,
                                     const Vector& value_T) const {
  double largest = 0.0;
  const Index nc = mechanics_.nc();
  for (const Index row : rows) {
    largest = std::max(largest, std::abs(row < nc ? value_N(row) : value_T(row - nc)));
  }
  return largest;
}

bool ContactProjection::project_positions(double t, const std::vector<Index>& normal_rows,
                                          VectorRef y) {
  const Index nq = mechanics_.nq();
  bool moved = mechanics_.system().normalise(y.head(nq));
  if (normal_rows.empty() && mechanics_.nb() == 0) return moved;
  for (int pass = 0; pass < 4; ++pass) {
    mechanics_.update_contacts(t, y);
    const Vector& g_N = mechanics_.contacts.g_N;
    const double gap = largest_of(normal_rows, g_N, g_N);
    if (std::max(gap, largest(mechanics_.bilateral.kinematics.g)) <= held_gap_) break;
    correction_.setZero();
    if (mechanics_.nb() > 0) {
      mechanics_.bilateral.correction(mechanics_.bilateral.kinematics.g, correction_);
    }
    correct_rows(normal_rows, g_N, g_N);
    // δq = B δs, the same map as for velocities.
    mechanics_.coordinate_rates(t, y.head(nq), correction_, q_step_);
    y.head(nq) += q_step_;
    mechanics_.system().normalise(y.head(nq));
    moved = true;
  }
  return moved;
}

bool ContactProjection::project_velocities(double t, const std::vector<Index>& rows, VectorRef y) {
  if (rows.empty() && mechanics_.nb() == 0) return false;
  mechanics_.update_contacts(t, y);
  const double drift = largest_of(rows, mechanics_.gamma_N, mechanics_.gamma_T);
  if (std::max(drift, largest(mechanics_.bilateral.gamma)) <= held_velocity_) return false;
  correction_.setZero();
  if (mechanics_.nb() > 0) {
    mechanics_.bilateral.velocity_correction(y.segment(mechanics_.nq(), mechanics_.nu()),
                                             correction_);
  }
  correct_rows(rows, mechanics_.gamma_N, mechanics_.gamma_T);
  y.segment(mechanics_.nq(), mechanics_.nu()) += correction_;
  return true;
}

bool ContactProjection::project_walls(double t, VectorRef y) {
  const System& system = mechanics_.system();
  if (system.nx() == system.nx_own()) return false;
  bool moved = false;
  mechanics_.update_elements(t, y);
  for (Index e = 0; e < system.ne(); ++e) {
    const bool closed =
        mechanics_.elements.modes[static_cast<std::size_t>(e)] == ElementMode::Closed;
    if (system.wall(e) < 0 || !closed) continue;
    double& wall = y(system.nq() + system.nu() + system.wall(e));
    moved = moved || std::abs(wall - mechanics_.elements.kinematics.gamma(e)) > held_gap_;
    wall = mechanics_.elements.kinematics.gamma(e);
  }
  return moved;
}

}  // namespace nsmb
