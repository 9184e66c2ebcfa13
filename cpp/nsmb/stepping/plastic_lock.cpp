#include "nsmb/stepping/plastic_lock.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "nsmb/complementarity/nnls.hpp"
#include "nsmb/core/dense_cholesky.hpp"
#include "nsmb/core/dense_qr.hpp"
#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

namespace {

// Corners of the polygon in a friction disc. The polygon lies within the disc, so the loads that it
// explains are solutions.
constexpr int kCorners = 16;

// Rows of a block that are velocities of points. The other rows are rotations.
Index translations(const ContactBlock& block) { return (block.normal ? 1 : 0) + block.tangents; }

double largest(const CoupledContacts& contacts, const Vector& gamma) {
  double most = 0.0;
  for (const ContactBlock& block : contacts.blocks) {
    if (!block.normal) continue;
    most = std::max(most, gamma.segment(block.first, translations(block)).cwiseAbs().maxCoeff());
  }
  return most;
}

// One lock, to which contacts are added.
class Lock {
 public:
  Lock(const CoupledContacts& contacts, const Vector& Lambda)
      : c_(contacts),
        locked_(contacts.blocks.size(), false),
        is_normal_(at(contacts.W.cols()), false) {
    for (std::size_t k = 0; k < locked_.size(); ++k) {
      const ContactBlock& block = c_.blocks[k];
      if (!block.normal) continue;
      is_normal_[at(block.first)] = true;
      locked_[k] = Lambda(block.first) > 0.0 || approach(block.first, 0.0) < 0.0;
    }
  }

  PlasticLock run() {
    PlasticLock result;
    do {
      result.holds = bring_to_rest(result.change);
    } while (result.holds && add_closing(result.change));
    if (result.holds) explain(result);
    return result;
  }

 private:
  // Negative: faster than the contact may approach.
  double approach(Index row, double change) const {
    return c_.gamma_free(row) + change + may_go_on(row);
  }

  bool has_friction(const ContactBlock& block) const {
    return block.tangents > 0 && (block.mu > 0.0 || block.bound > 0.0);
  }

  // Return the speed of approach that the contact may keep.
  double may_go_on(Index row) const {
    return is_normal_[at(row)] ? std::max(c_.given(row), 0.0) : 0.0;
  }

  // Add the rows that the law of the contact can hold.
  void add_rows(const ContactBlock& block) {
    rows_.push_back(block.first);
    Index row = block.first + 1;
    for (Index k = 0; k < block.tangents; ++k, ++row) {
      if (has_friction(block)) rows_.push_back(row);
    }
    for (Index k = 0; k < block.rolling + block.drilling; ++k, ++row) rows_.push_back(row);
  }

  // Return false if the rows cannot all come to rest.
  bool bring_to_rest(Vector& d) {
    rows_.clear();
    for (std::size_t k = 0; k < locked_.size(); ++k) {
      if (locked_[k]) add_rows(c_.blocks[k]);
    }
    const Index n = c_.M.rows();
    directions_.resize(n, 0);
    gamma_.resize(0);
    d.setZero(n);
    for (const Index row : rows_) {
      const double size = c_.W.col(row).norm();
      if (!(size > 0.0)) continue;  // nothing moves it
      directions_.conservativeResize(n, directions_.cols() + 1);
      gamma_.conservativeResize(directions_.cols());
      directions_.rightCols(1) = c_.W.col(row) / size;
      gamma_(gamma_.size() - 1) = (c_.gamma_free(row) + may_go_on(row)) / size;
    }
    if (gamma_.size() == 0) return true;
    RankedQr qr(plastic_lock::kDependent);
    qr.compute(directions_.transpose());
    d = qr.solve(-gamma_);
    const Vector left = gamma_ + directions_.transpose() * d;
    if (left.cwiseAbs().maxCoeff() > plastic_lock::kAtRest * gamma_.cwiseAbs().maxCoeff()) {
      return false;
    }
    qr.compute(directions_);
    const Index free = n - qr.rank();
    if (free == 0) return true;
    const Matrix Z = qr.Q().rightCols(free);
    DenseCholesky cholesky(free);
    cholesky.compute(Z.transpose() * c_.M * Z);
    if (!cholesky.is_definite()) return false;
    Vector s = -Z.transpose() * (c_.M * d);
    cholesky.solve(s);
    d += Z * s;
    return true;
  }

  bool add_closing(const Vector& d) {
    const double fastest = largest(c_, c_.gamma_free);
    bool any = false;
    for (std::size_t k = 0; k < locked_.size(); ++k) {
      const ContactBlock& block = c_.blocks[k];
      if (locked_[k] || !block.normal) continue;
      const double change = c_.W.col(block.first).dot(d);
      if (approach(block.first, change) >= -plastic_lock::kAtRest * fastest) continue;
      locked_[k] = any = true;
    }
    return any;
  }

  // Edges of a polyhedral cone inside the cone of the block, in the rows of the block.
  std::vector<Vector> edges(const ContactBlock& block) const {
    Vector normal = Vector::Zero(block.rows());
    normal(0) = 1.0;
    std::vector<Vector> all{normal};
    const auto spread = [&](Index row, Index dim, double radius, double aspect) {
      if (dim == 0 || !(radius > 0.0)) return;
      const int corners = dim == 1 ? 2 : kCorners;
      std::vector<Vector> more;
      for (const Vector& edge : all) {
        for (int k = 0; k < corners; ++k) {
          const double angle = 2.0 * std::numbers::pi * k / corners;
          Vector turned = edge;
          turned(row) = radius * std::cos(angle);
          if (dim == 2) turned(row + 1) = radius * aspect * std::sin(angle);
          more.push_back(turned);
        }
      }
      all = std::move(more);
    };
    spread(1, block.tangents, block.mu, block.aspect);
    spread(1 + block.tangents, block.rolling, block.mu_R, 1.0);
    spread(1 + block.tangents + block.rolling, block.drilling, block.mu_D, 1.0);
    return all;
  }

  // Find impulses of these contacts that produce d.
  void explain(PlasticLock& result) const {
    result.Lambda = Vector::Zero(c_.W.cols());
    const Vector load = c_.M * result.change;
    const double most = load.cwiseAbs().maxCoeff();
    if (!(most > 0.0)) {
      result.certified = !restitutes();
      return;
    }
    std::vector<Vector> all;
    std::vector<std::size_t> of;
    for (std::size_t k = 0; k < locked_.size(); ++k) {
      if (!locked_[k]) continue;
      for (const Vector& edge : edges(c_.blocks[k])) {
        all.push_back(edge);
        of.push_back(k);
      }
    }
    Matrix columns(load.size(), static_cast<Index>(all.size()));
    Vector sizes(columns.cols());
    for (Index j = 0; j < columns.cols(); ++j) {
      const ContactBlock& block = c_.blocks[of[at(j)]];
      columns.col(j) = c_.W.middleCols(block.first, block.rows()) * all[at(j)];
      sizes(j) = std::max(columns.col(j).norm(), 1e-300);
      columns.col(j) /= sizes(j);
    }
    const NnlsResult found = solve_nnls(columns, load / most);
    for (Index j = 0; j < columns.cols(); ++j) {
      const ContactBlock& block = c_.blocks[of[at(j)]];
      result.Lambda.segment(block.first, block.rows()) += found.z(j) * most / sizes(j) * all[at(j)];
    }
    result.residual = found.residual;
    result.certified = found.residual <= plastic_lock::kExplained && !restitutes();
  }

  // Rest is no solution if restitution requires more.
  bool restitutes() const {
    for (std::size_t k = 0; k < locked_.size(); ++k) {
      const ContactBlock& block = c_.blocks[k];
      if (!locked_[k]) continue;
      if (c_.given(block.first) < 0.0) return true;
      if (!c_.given.segment(block.first + 1, block.tangents).isZero(0.0)) return true;
    }
    return false;
  }

  const CoupledContacts& c_;
  std::vector<bool> locked_;     // by block
  std::vector<bool> is_normal_;  // by row
  std::vector<Index> rows_;
  Matrix directions_;  // (n, .), normalised
  Vector gamma_;       // velocities without impulses, along the directions
};

}  // namespace

bool are_acceptable(const CoupledContacts& c, const Vector& Lambda, const Vector& gamma) {
  if (!Lambda.allFinite() || !gamma.allFinite()) return false;
  double work = Lambda.dot(c.given), turned_over = 0.0;
  for (Index row = 0; row < Lambda.size(); ++row) {
    work += 0.5 * Lambda(row) * (c.gamma_free(row) + gamma(row));
    turned_over +=
        std::abs(Lambda(row)) * std::max(std::abs(c.gamma_free(row)), std::abs(gamma(row)));
  }
  if (work > plastic_lock::kCreated * turned_over) return false;
  const double came = largest(c, c.gamma_free.cwiseAbs() + c.given.cwiseAbs());
  return largest(c, gamma) <= (1.0 + plastic_lock::kFaster) * came;
}

double braking_share(const CoupledContacts& c, const Vector& Lambda, const Vector& gamma) {
  const double turned = Lambda.dot(gamma - c.gamma_free);
  if (!(turned > 0.0)) return 0.0;
  return std::clamp(-Lambda.dot(c.gamma_free + c.given) / turned, 0.0, 1.0);
}

PlasticLock lock(const CoupledContacts& contacts, const Vector& Lambda) {
  return Lock(contacts, Lambda).run();
}

}  // namespace nsmb
