#include "nsmb/multibody/user_joint.hpp"

#include <algorithm>
#include <cmath>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

constexpr Index kMost = 7;  // maximum number of coordinates of a joint

struct Rates {
  Vector3 T, R;
};

Rates rates(const JointKinematics& k, const Vector& u) {
  const Index nu = u.size();
  return {k.J_T.leftCols(nu) * u + k.j_T, k.J_R.leftCols(nu) * u + k.j_R};
}

void require(const char* part, const Matrix& given, const Matrix& difference) {
  check_finite(part, given);
  // Central differences with step 1e-5 are accurate to about 1e-10 in units of the third
  // derivative.
  const double scale = 1.0 + difference.cwiseAbs().maxCoeff();
  const double error = (given - difference).cwiseAbs().maxCoeff();
  if (!(error <= 1e-6 * scale)) {
    reject(part, "the derivative of the corresponding function", "an error of " + to_text(error));
  }
}

}  // namespace

void check_derivatives(const Joint& joint) {
  const Index nq = joint.nq();
  const Index nu = joint.nu();
  for (int sample = 1; sample <= 3; ++sample) {
    const double t = 0.37 * sample;
    Vector q(nq), u(nu), qdot(nq);
    joint.reference(q.data());
    for (Index i = 0; i < nq; ++i)
      q[i] += 0.2 * std::sin(1.0 + 2.3 * static_cast<double>(i) * sample);
    for (Index i = 0; i < nu; ++i) u[i] = std::cos(0.5 + 1.7 * static_cast<double>(i) + sample);
    joint.normalise(q.data());
    joint.coordinate_rates(q.data(), u.data(), qdot.data());
    JointKinematics k, before, after;
    const Vector q_before = q - joints::kJointStep * qdot;
    const Vector q_after = q + joints::kJointStep * qdot;
    joint.evaluate(t, q.data(), u.data(), k);
    joint.evaluate(t - joints::kJointStep, q_before.data(), u.data(), before);
    joint.evaluate(t + joints::kJointStep, q_after.data(), u.data(), after);
    checked_frame("position", Frame{k.r, k.A});
    const Rates rate = rates(k, u);
    const Rates rate_before = rates(before, u);
    const Rates rate_after = rates(after, u);
    require("velocity of translation", rate.T, (after.r - before.r) / (2.0 * joints::kJointStep));
    require("velocity of rotation", skew(rate.R) * k.A,
            (after.A - before.A) / (2.0 * joints::kJointStep));
    require("bias of translation", k.b_T,
            (rate_after.T - rate_before.T) / (2.0 * joints::kJointStep));
    require("bias of rotation", k.b_R, (rate_after.R - rate_before.R) / (2.0 * joints::kJointStep));
  }
}

FunctionJoint::FunctionJoint(std::vector<std::string> coordinates, Index nu, Functions functions,
                             Vector reference, bool rheonomic)
    : coordinates_(std::move(coordinates)),
      nu_(nu),
      functions_(std::move(functions)),
      reference_(std::move(reference)),
      rheonomic_(rheonomic) {
  const auto nq = static_cast<Index>(coordinates_.size());
  check_range("number of coordinates", static_cast<double>(nq), 0.0, kMost);
  check_range("nu", static_cast<double>(nu), 0.0, 6.0);
  check_size("reference", reference_, nq);
  check_finite("reference", reference_);
  if (!functions_.evaluate) reject("evaluate", "a function", "none");
  if (nq != nu && !functions_.coordinate_rates) {
    reject("coordinate_rates",
           "a function, because there are not as many velocities as coordinates", "none");
  }
  check_derivatives(*this);
}

void FunctionJoint::evaluate(double t, const double* q, const double* u, JointKinematics& k) const {
  functions_.evaluate(t, q, u, k);
}

void FunctionJoint::coordinate_rates(const double* q, const double* u, double* qdot) const {
  if (functions_.coordinate_rates) {
    functions_.coordinate_rates(q, u, qdot);
  } else {
    Joint::coordinate_rates(q, u, qdot);
  }
}

bool FunctionJoint::normalise(double* q) const {
  if (functions_.normalise) functions_.normalise(q);
  return static_cast<bool>(functions_.normalise);
}

void FunctionJoint::reference(double* q) const {
  std::copy_n(reference_.data(), reference_.size(), q);
}

namespace {

Vector3 polynomial(const Vector& c, double t) {
  Vector3 s = Vector3::Zero();  // Horner's scheme for s, ṡ and s̈/2
  for (Index k = c.size() - 1; k >= 0; --k) {
    s[2] = s[2] * t + s[1];
    s[1] = s[1] * t + s[0];
    s[0] = s[0] * t + c[k];
  }
  return {s[0], s[1], 2.0 * s[2]};
}

}  // namespace

Motion polynomial_motion(Vector coefficients) {
  return [c = std::move(coefficients)](double t) { return polynomial(c, t); };
}

Motion polynomial_pieces(std::vector<double> starts, std::vector<Vector> coefficients) {
  if (starts.empty() || starts.size() != coefficients.size()) {
    reject("motion", "a start for each polynomial", std::to_string(starts.size()));
  }
  return [starts = std::move(starts), c = std::move(coefficients)](double t) {
    const auto behind = std::upper_bound(starts.begin() + 1, starts.end(), t);
    return polynomial(c[static_cast<std::size_t>(behind - starts.begin()) - 1], t);
  };
}

DrivenJoint::DrivenJoint(std::shared_ptr<const Joint> joint,
                         const std::vector<JointMotion>& motions)
    : joint_(std::move(joint)), motions_(motions) {
  std::vector<bool> driven(static_cast<std::size_t>(joint_->nq()), false);
  std::vector<bool> locked = driven;
  for (const JointMotion& motion : motions_) {
    const Index k = motion.coordinate;
    if (!joint_->can_be_driven(k)) {
      reject("motion", "a coordinate that is a translation or an angle",
             "coordinate " + std::to_string(k));
    }
    if (!motion.s) reject("motion", "a function", "none");
    const auto place = static_cast<std::size_t>(k);
    if (driven[place])
      reject("motion", "one per coordinate", "two for coordinate " + std::to_string(k));
    driven[place] = true;
    locked[place] = motion.locked;
  }
  // Coordinates that can be driven have a velocity with the same index.
  for (Index k = 0; k < joint_->nq(); ++k) {
    if (!locked[static_cast<std::size_t>(k)]) free_q_.push_back(k);
  }
  for (Index k = 0; k < joint_->nu(); ++k) {
    if (!locked[static_cast<std::size_t>(k)]) free_u_.push_back(k);
  }
}

std::vector<std::string> DrivenJoint::coordinates() const {
  const std::vector<std::string> all = joint_->coordinates();
  std::vector<std::string> names;
  for (const Index k : free_q_) names.push_back(all[static_cast<std::size_t>(k)]);
  return names;
}

void DrivenJoint::expand(const double* q, double* z) const {
  joint_->reference(z);
  for (std::size_t i = 0; i < free_q_.size(); ++i) z[free_q_[i]] = q[i];
}

void DrivenJoint::evaluate(double t, const double* q, const double* u, JointKinematics& k) const {
  std::array<double, kMost> z{};
  std::array<double, 6> zdot{}, rate{}, acceleration{};
  expand(q, z.data());
  for (std::size_t i = 0; i < free_u_.size(); ++i)
    zdot[static_cast<std::size_t>(free_u_[i])] = u[i];
  for (const JointMotion& motion : motions_) {
    const auto c = static_cast<std::size_t>(motion.coordinate);
    const Vector3 s = motion.s(t);
    z[c] = motion.locked ? s[0] : z[c] + s[0];
    zdot[c] += s[1];
    rate[c] = s[1];
    acceleration[c] = s[2];
  }
  joint_->evaluate(t, z.data(), zdot.data(), k);
  for (Index c = 0; c < joint_->nu(); ++c) {
    const auto place = static_cast<std::size_t>(c);
    k.j_T += rate[place] * k.J_T.col(c);
    k.j_R += rate[place] * k.J_R.col(c);
    k.b_T += acceleration[place] * k.J_T.col(c);
    k.b_R += acceleration[place] * k.J_R.col(c);
  }
  for (std::size_t i = 0; i < free_u_.size();
       ++i) {  // free_u_[i] >= i: nothing read is overwritten
    const auto to = static_cast<Index>(i);
    const Index from = free_u_[i];
    if (from == to) continue;
    const Vector3 T = k.J_T.col(from);
    const Vector3 R = k.J_R.col(from);
    k.J_T.col(to) = T;
    k.J_R.col(to) = R;
  }
}

void DrivenJoint::coordinate_rates(const double* q, const double* u, double* qdot) const {
  std::array<double, kMost> z{}, zdot{};
  std::array<double, 6> full{};
  expand(q, z.data());
  for (std::size_t i = 0; i < free_u_.size(); ++i)
    full[static_cast<std::size_t>(free_u_[i])] = u[i];
  joint_->coordinate_rates(z.data(), full.data(), zdot.data());
  for (std::size_t i = 0; i < free_q_.size(); ++i)
    qdot[i] = zdot[static_cast<std::size_t>(free_q_[i])];
}

bool DrivenJoint::normalise(double* q) const {
  std::array<double, kMost> z{};
  expand(q, z.data());
  if (!joint_->normalise(z.data())) return false;
  for (std::size_t i = 0; i < free_q_.size(); ++i) q[i] = z[static_cast<std::size_t>(free_q_[i])];
  return true;
}

void DrivenJoint::reference(double* q) const {
  std::array<double, kMost> z{};
  joint_->reference(z.data());
  for (std::size_t i = 0; i < free_q_.size(); ++i) q[i] = z[static_cast<std::size_t>(free_q_[i])];
}

}  // namespace nsmb
