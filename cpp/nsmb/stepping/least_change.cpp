#include "nsmb/stepping/least_change.hpp"

#include <algorithm>
#include <cstdint>

#include "nsmb/stepping/tolerances.hpp"

namespace nsmb {

using namespace tolerances;

// wᵀ M⁻¹ w = |L⁻¹ w|², one node of M at a time.
void LeastChange::find_sizes(const SparseFrictionProblem& p) {
  size_.setOnes(p.H.cols());
  for (Index j = 0; j < p.H.cols(); ++j) {
    double sum = 0.0;
    if (!mass_.is_block_diagonal()) {
      part_ = p.H.col(j);
      mass_.solve(part_);
      sum = p.H.col(j).dot(part_);
    } else {
      nodes_.clear();
      for (SparseMatrix::InnerIterator entry(p.H, j); entry; ++entry) {
        nodes_.push_back(mass_.node()[at(entry.row())]);
      }
      std::sort(nodes_.begin(), nodes_.end());
      nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
      for (const Index node : nodes_) {
        part_.setZero(mass_.size(node));
        for (SparseMatrix::InnerIterator entry(p.H, j); entry; ++entry) {
          if (mass_.node()[at(entry.row())] != node) continue;
          part_(mass_.place()[at(entry.row())] - mass_.first()[at(node)]) = entry.value();
        }
        mass_.solve_lower(node, part_.data());
        sum += part_.squaredNorm();
      }
    }
    if (sum > 0.0) size_(j) = 1.0 / sum;
  }
}

void LeastChange::solve(const SparseFrictionProblem& p, const Vector& r, double enough) {
  mass_.assign(p.M, std::vector<std::uint64_t>(at(p.M.rows()), 0));
  find_sizes(p);
  v_.setZero(p.M.rows());
  x_.setZero(r.size());
  left_ = r;
  scaled_ = size_.cwiseProduct(left_);
  along_ = scaled_;
  double product = left_.dot(scaled_);
  const Index most = 2 * r.size() + 10;
  for (Index k = 0; k < most && left_.lpNorm<Eigen::Infinity>() > enough; ++k) {
    image_ = p.H * along_;
    mass_.solve(image_);
    const double curvature = along_.dot(p.H.transpose() * image_);
    const double usual = along_.cwiseProduct(along_).dot(size_.cwiseInverse());
    if (!(curvature > end_projection::kNearlyNone * usual)) break;
    const double length = product / curvature;
    v_ += length * image_;
    x_ += length * along_;
    left_ -= length * (p.H.transpose() * image_);
    scaled_ = size_.cwiseProduct(left_);
    const double next = left_.dot(scaled_);
    along_ = scaled_ + next / product * along_;
    product = next;
  }
}

}  // namespace nsmb
