#include "bindings/equations.hpp"

#include "nsmb/core/check.hpp"
#include "nsmb/system/constraint_set.hpp"
#include "nsmb/system/element_set.hpp"
#include "nsmb/system/feature_search.hpp"
#include "nsmb/system/internal_states.hpp"
#include "nsmb/system/state_bounds.hpp"

using nsmb::Matrix;
using nsmb::Vector;

std::vector<Matrix> equations(const nsmb::System& s, const Vector& t, const Matrix& y) {
  using nsmb::ContactKinematics;
  using nsmb::Index;
  const Index m = t.size(), nq = s.nq(), nu = s.nu();
  nsmb::check_shape("y", y, m, s.ny());
  std::vector<Matrix> tables;
  Vector q(nq), u(nu), x(s.nx_own()), h(nu), xdot(s.nx_own());
  Matrix M(nu, nu);
  const auto work = s.workspace();
  for (Index k = 0; k < m; ++k) {
    std::size_t place = 0;
    const auto add = [&](const auto& values) {
      if (k == 0) tables.emplace_back(m, values.size());
      tables[place++].row(k) = values.reshaped().transpose();
    };
    q = y.row(k).head(nq);
    u = y.row(k).segment(nq, nu);
    x = y.row(k).segment(nq + nu, s.nx_own());
    s.mass_matrix(t(k), q, M, *work);
    s.forces(t(k), q, u, x, h, *work);
    add(M);
    add(h);
    if (s.nx_own() > 0) {
      xdot.setZero();
      s.internal_states()->state_rates(t(k), q, u, x, xdot, *work);
      add(xdot);
    }
    if (s.nc() > 0) {
      ContactKinematics c(nu, s.rows());
      if (const nsmb::FeatureSearch* search = s.feature_search()) {
        search->find_features(t(k), q, c.features, *work);
      }
      s.contact_kinematics(t(k), q, u, c, *work);
      if (const nsmb::StateBounds* bounds = s.state_bounds()) {
        bounds->friction_bounds(t(k), q, u, x, c.bound, *work);
      }
      for (const Matrix* matrix : {&c.W_N, &c.W_T}) add(*matrix);
      for (const Vector* vector :
           {&c.g_N, &c.w_tilde_N, &c.w_tilde_T, &c.w_bar_N, &c.w_bar_T, &c.bound}) {
        add(*vector);
      }
    }
    if (s.ne() > 0) {
      nsmb::ElementKinematics e(nu, s.ne());
      if (s.element_set()) s.element_set()->element_kinematics(t(k), q, e, *work);
      add(e.W);
      for (const Vector* vector : {&e.gamma, &e.w_tilde}) add(*vector);
    }
    if (s.nb() > 0) {
      nsmb::ConstraintKinematics c(nu, s.nb());
      s.constraint_set()->constraint_kinematics(t(k), q, u, c, *work);
      add(c.W);
      for (const Vector* vector : {&c.g, &c.w_tilde, &c.w_bar}) add(*vector);
    }
  }
  return tables;
}
