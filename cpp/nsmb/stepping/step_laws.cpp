#include "nsmb/stepping/step_laws.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// The problem of one group, with its own scales.
class Group {
 public:
  Group(const StepContacts& c, StepImpulses& r) : c_(c), r_(r) {
    rows_.clear();
    for (const Index i : r_.members) {
      if (!c_.rows.is_unilateral(i)) continue;
      r_.normal_at[at(i)] = static_cast<Index>(rows_.size());
      rows_.push_back(i);
    }
    n_N_ = static_cast<Index>(rows_.size());
    for (const Index i : r_.members) {
      if (!r_.rough[at(i)]) continue;
      for (Index d = 0; d < c_.rows.dim(i); ++d) rows_.push_back(c_.rows.row(i) + d);
    }
    for (const Index g : rows_) {
      scale_G_ = std::max(scale_G_, c_.G(g, g));
      scale_b_ = std::max(scale_b_, std::abs(wanted(g, true)));
    }
  }

  // Return false if nothing happens. Numbers near the smallest ones cannot be scaled.
  bool moves() const { return scale_b_ > stepping::kNothing && scale_G_ > 0.0; }

  // Solve without restitution if restitutions contradict each other, as for a mass between two
  // walls.
  ContactProblem& solve(ContactSolver& solver, double tol) const {
    ContactProblem& problem = assemble(solver, true);
    solver.solve(problem);
    ++r_.problems;
    if (problem.status == LcpStatus::Solved || !restitutes()) return problem;
    if (problem.x.allFinite() && row_defects(problem).largest <= tol) return problem;
    assemble(solver, false);
    solver.solve(problem);
    ++r_.problems;
    return problem;
  }

  void scatter(const Vector& x) const {
    const double unit = scale_b_ / scale_G_;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Index g = rows_[k];
      double& impulse = g < c_.rows.nc ? r_.Lambda_N(g) : r_.Lambda_T(g - c_.rows.nc);
      impulse = unit * x(static_cast<Index>(k));
    }
  }

 private:
  double wanted(Index g, bool restitution) const {
    const Index nc = c_.rows.nc;
    const double free = g < nc ? c_.free_N(g) : c_.free_T(g - nc);
    if (!restitution) return free;
    return free + (g < nc ? c_.given_N(g) : c_.given_T(g - nc));
  }

  bool restitutes() const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](Index g) { return wanted(g, true) != wanted(g, false); });
  }

  ContactProblem& assemble(ContactSolver& solver, bool restitution) const {
    const Index n = static_cast<Index>(rows_.size());
    ContactProblem& problem = solver.problem(n, n_N_);
    problem.by_size = true;
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        problem.A(i, j) = c_.G(rows_[at(i)], rows_[at(j)]) / scale_G_;
      }
      problem.b(j) = wanted(rows_[at(j)], restitution) / scale_b_;
    }
    Index row = n_N_;
    for (const Index i : r_.members) {
      if (!r_.rough[at(i)]) continue;
      const Index k = c_.rows.normal_of(i);
      const Index normal = k < 0 ? -1 : r_.normal_at[at(k)];
      const double mu = normal < 0 ? 0.0 : c_.mu(i);
      // What could stop any velocity here stops these.
      const double bound = std::min(c_.bound(i) * scale_G_ / scale_b_, 1.0 / stepping::kNothing);
      problem.friction.push_back(
          {row, c_.rows.dim(i), normal, mu, mu, bound, bound, c_.laws[at(i)].aspect});
      row += c_.rows.dim(i);
    }
    return problem;
  }

  const StepContacts& c_;
  StepImpulses& r_;
  std::vector<Index> rows_;  // of G
  Index n_N_ = 0;
  double scale_G_ = 0.0, scale_b_ = 0.0;
};

// Return the largest velocity in m/s of the closed contacts by forces alone.
double largest_velocity(const StepContacts& c) {
  double largest = 0.0;
  for (const Index i : c.closed) {
    if (c.rows.is_unilateral(i)) largest = std::max(largest, std::abs(c.free_N(i)));
    for (Index t = c.rows.tangent(i); t < c.rows.tangent(i) + c.rows.dim(i); ++t) {
      largest = std::max(largest, std::abs(c.free_T(t)));
    }
  }
  return largest;
}

// Set the friction of a contact that cannot be moved. While it slips, its law applies. If it
// sticks, the law requires no more than the bound, which 0 satisfies.
void slide_unmoved(const StepContacts& c, Index i, double rest, StepImpulses& r) {
  const Index normal = c.rows.normal_of(i), t = c.rows.tangent(i), dim = c.rows.dim(i);
  const double radius = c.bound(i) + (normal < 0 ? 0.0 : c.mu(i) * r.Lambda_N(normal));
  const double aspect = dim > 1 ? c.laws[at(i)].aspect : 1.0;
  const double first = c.free_T(t), second = dim > 1 ? aspect * c.free_T(t + 1) : 0.0;
  const double size = std::hypot(first, second);
  if (!(size > rest)) return;
  r.Lambda_T(t) = -radius * first / size;
  if (dim > 1) r.Lambda_T(t + 1) = -radius * aspect * second / size;
}

}  // namespace

void solve_step_laws(const StepContacts& c, double tol, ContactSolver& solver, StepImpulses& r) {
  r.Lambda_N.setZero();
  r.Lambda_T.setZero();
  r.residual = 0.0;
  r.missed.clear();
  r.unsolved = false;
  r.problems = 0;
  if (c.closed.empty()) return;
  std::fill(r.normal_at.begin(), r.normal_at.end(), -1);
  std::fill(r.rough.begin(), r.rough.end(), false);
  std::fill(r.unmoved.begin(), r.unmoved.end(), false);
  for (const Index i : c.closed) {
    const Index t = c.rows.row(i), d = c.rows.dim(i), k = c.rows.normal_of(i);
    const bool pressed =
        k >= 0 && c.mu(i) > 0.0 && std::find(c.closed.begin(), c.closed.end(), k) != c.closed.end();
    const bool has_law = d > 0 && (pressed || c.bound(i) > 0.0);
    const bool moves = d > 0 && c.G.block(t, t, d, d).trace() > 0.0;
    r.rough[at(i)] = has_law && moves;
    r.unmoved[at(i)] = has_law && !moves;
  }
  r.groups.find(c.rows, c.G, c.closed, r.rough);
  for (std::size_t k = 0; k < r.groups.count(); ++k) {
    r.groups.list(k, r.members);
    const Group group(c, r);
    if (!group.moves()) continue;
    const ContactProblem& problem = group.solve(solver, tol);
    const bool found = problem.x.size() == problem.b.size() && problem.x.allFinite();
    const double left = found ? row_defects(problem).largest : 1.0;
    r.residual = std::max(r.residual, left);
    if (found) group.scatter(problem.x);
    if (left <= tol) continue;
    r.unsolved = r.unsolved || !found;
    r.missed.insert(r.missed.end(), r.members.begin(), r.members.end());
  }
  const double rest = stepping::kNoSlip * largest_velocity(c);
  for (const Index i : c.closed) {
    if (r.unmoved[at(i)]) slide_unmoved(c, i, rest, r);
  }
}

}  // namespace nsmb
