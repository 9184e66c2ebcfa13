#include "nsmb/stepping/centre_motion.hpp"

#include <Eigen/Geometry>

namespace nsmb {

namespace {

// A b, with A of the body's quaternion.
Eigen::Vector3d turned(const FreeBody& body, const ConstVectorRef& q, const Eigen::Vector3d& b) {
  const auto p = q.segment<4>(body.q + 3);
  return Eigen::Quaterniond(p(0), p(1), p(2), p(3)).normalized() * b;
}

// ω × c, in the body.
Eigen::Vector3d of_centre(const FreeBody& body, const ConstVectorRef& u) {
  return Eigen::Vector3d(u.segment<3>(body.u + 3)).cross(body.center);
}

}  // namespace

CentreMotion::CentreMotion(const System& system) {
  if (!system.free_bodies()) return;
  for (const FreeBody& body : *system.free_bodies()) {
    if (!body.center.isZero(0.0)) bodies_.push_back(body);
  }
}

void CentreMotion::transfer(const ConstVectorRef& q, const ConstVectorRef& q_next,
                            VectorRef u) const {
  for (const FreeBody& body : bodies_) {
    const Eigen::Vector3d v = of_centre(body, u);
    u.segment<3>(body.u) += turned(body, q, v) - turned(body, q_next, v);
  }
}

void CentreMotion::follow(const ConstVectorRef& q, const ConstVectorRef& q_u,
                          const ConstVectorRef& u, double h, VectorRef q_next) const {
  for (const FreeBody& body : bodies_) {
    q_next.segment<3>(body.q) += h * turned(body, q_u, of_centre(body, u)) +
                                 turned(body, q, body.center) - turned(body, q_next, body.center);
  }
}

void CentreMotion::add_turning(const ConstVectorRef& q, const ConstVectorRef& u, double h,
                               VectorRef change) const {
  for (const FreeBody& body : bodies_) {
    const Eigen::Vector3d omega = u.segment<3>(body.u + 3);
    change.segment<3>(body.u) += h * turned(body, q, omega.cross(of_centre(body, u)));
  }
}

}  // namespace nsmb
