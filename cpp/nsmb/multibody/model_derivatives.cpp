// The Jacobians of a model: of the equations of motion, of γ̇ of its rows, of its elements.
#include "nsmb/multibody/model_derivatives.hpp"

#include "nsmb/system/jacobians.hpp"

namespace nsmb {

ModelDerivatives::ModelDerivatives(const ModelDescription& model, Index states)
    : tree(*model.tree),
      markers(model.markers.size(), MarkerDerivatives(model.tree->nu())),
      residual(Matrix::Zero(model.tree->nu(), 2 * model.tree->nu())),
      inverse(residual),
      none(Rows3::Zero(3, 2 * model.tree->nu())),
      d(none),
      e(none),
      v(none),
      F(none),
      M(none),
      turned(none),
      gamma(Row::Zero(2 * model.tree->nu())),
      rate(gamma),
      rates(Matrix::Zero(states, 2 * model.tree->nu())),
      direct(Matrix::Zero(model.tree->nu(), model.tree->nq() + model.tree->nu() + states)),
      direct_rates(Matrix::Zero(states, direct.cols())) {
  for (const PlacedForce& force : model.forces) {
    varied.elements.emplace_back(force, static_cast<Index>(force.element->states().size()));
  }
}

void ModelDerivatives::apply(const ModelDescription& model, Index marker, const Vector3& force,
                             const Vector3& moment, const Rows3& dF, const Rows3& dM) {
  const auto m = static_cast<std::size_t>(marker);
  const MarkerKinematics& kinematics = work->markers[m];
  if (!kinematics.moves) return;
  apply_force(*model.tree, model.markers[m].body, kinematics.r, force, moment, work->tree);
  turned.noalias() = skew(force) * markers[m].phi;
  turned += dF;
  subtract(kinematics, kinematics.J_S);
  turned.noalias() = skew(moment) * markers[m].phi;
  turned += dM;
  subtract(kinematics, kinematics.J_R);
}

// Subtract Jᵀ `turned` from the rows of the velocities of J.
void ModelDerivatives::subtract(const MarkerKinematics& marker,
                                const MarkerKinematics::Columns& J) {
  marker.each_range([&](const VelocityRange& range, Index column) {
    residual.middleRows(range.first, range.size).noalias() -=
        J.middleCols(column, range.size).transpose() * turned;
  });
}

void ModelDerivatives::push(const ModelDescription& model, Index first, Index second,
                            const Vector3& force) {
  apply(model, second, force, Vector3::Zero(), F, none);
  F = -F;
  apply(model, first, -force, Vector3::Zero(), F, none);
}

void line_derivatives(const MarkerKinematics& m1, const MarkerKinematics& m2, const Line& line,
                      const MarkerDerivatives& d1, const MarkerDerivatives& d2,
                      ModelDerivatives& d) {
  d.d = d2.r - d1.r;
  d.gamma.noalias() = line.e.transpose() * d.d;
  d.e.noalias() = line.e * d.gamma;
  d.e = (d.d - d.e) / line.distance;
  d.v = d2.v - d1.v;
  const Vector3 v = m2.v - m1.v;
  d.rate.noalias() = line.e.transpose() * d.v;
  d.rate.noalias() += v.transpose() * d.e;
}

bool knows_derivatives(const ModelDescription& model) {
  if (!model.surfaces.empty() || !model.shape_pairs.empty()) return false;
  for (const PlacedForce& force : model.forces) {
    const ForceElement* element = force.element.get();
    // Differences of a user function take dozens of calls, more than the motion needs.
    if (!element->law() && element->calls_user()) return false;
  }
  return has_derivatives(*model.tree);
}

void ModelSystem::jacobians(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            const ConstVectorRef& x, const GivenForces& given, Jacobians& J,
                            SystemWorkspace& work) const {
  ModelWorkspace& w = model_workspace(work);
  w.update(model_, t, q, u);
  if (!w.derivatives) w.derivatives = std::make_shared<ModelDerivatives>(model_, nx_own());
  ModelDerivatives& d = *w.derivatives;
  d.work = &w;
  const Tree& tree = *model_.tree;
  const Index n = tree.nq() + tree.nu();
  prepare_derivatives(tree, w.tree, u, given.udot, d.tree);
  for (std::size_t k = 0; k < d.markers.size(); ++k) {
    marker_derivatives(tree, d.tree, model_.markers[k], w.markers[k], d.markers[k]);
  }
  w.tree.clear_applied();
  d.residual.setZero();
  d.rates.setZero();
  d.direct.setZero();
  d.direct_rates.setZero();
  d.rows.setZero(J.gammadot.rows(), d.none.cols());
  d.elements.setZero(2 * ne(), d.none.cols());

  const auto find_line = [&](Index first, Index second) {
    const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
    const Line line(w.markers[a], w.markers[b]);
    if (line.distance > 0.0) {
      line_derivatives(w.markers[a], w.markers[b], line, d.markers[a], d.markers[b], d);
    }
    return line;
  };
  Variations& varied = d.varied;
  varied.q = q;
  varied.u = u;
  varied.x = x;
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const PlacedForce& force = model_.forces[k];
    const StatePlaces& place = state_places_[k];
    const SignedLaw* law = force.element->law();
    if (law && !force.markers.empty()) {
      line_force_derivatives(model_, force, *law, t, d);
    } else if (law) {
      joint_force_derivatives(force, *law, t, q, u, d);
    } else {
      varied.elements[k].find(*force.element, w, force, *w.elements[k], varied.q, varied.u,
                              varied.x, place.first, place.modes, t);
      element_derivatives(model_, force, varied.elements[k], place.first, d);
    }
  }
  for (std::size_t k = 0; k < model_.switching.size(); ++k) {
    const SwitchingElement& element = model_.switching[k];
    if (element.marker_1 < 0) continue;
    const Line line = find_line(element.marker_1, element.marker_2);
    if (!(line.distance > 0.0)) continue;
    const auto i = static_cast<Index>(k);
    d.elements.row(i) = d.gamma;
    d.elements.row(ne() + i) = d.rate;
    d.F = given.zeta(i) * d.e;
    d.push(model_, element.marker_1, element.marker_2, given.zeta(i) * line.e);
  }
  for (std::size_t k = 0; k < model_.loops.size(); ++k) {
    const auto i = static_cast<Index>(k);
    loop_derivatives(model_, model_.loops[k], given.lambda_B(i), nc() + nt() + i, d);
  }
  for (Index i = 0; i < first_stop_; ++i) {
    const ContourContact& contact = model_.contacts[static_cast<std::size_t>(contact_of(i))];
    contact_derivatives(model_, contact, i, given.lambda_N(i), given.lambda_T(rows().tangent(i)),
                        rows().row(i), d);
  }
  for (std::size_t k = 0; k < model_.stops.size(); ++k) {
    const Index i = first_stop_ + static_cast<Index>(k);
    if (model_.stops[k].marker_1 < 0) continue;  // z̈ = u̇ + s̈(t)
    stop_derivatives(model_, model_.stops[k], given.lambda_N(i), i, d);
  }
  for (Index i = resistances_.first(); i < nc(); ++i) {
    const ContourContact& contact = model_.contacts[at(contact_of(rows().required_by(i)))];
    rolling_derivatives(model_, contact.marker_1, contact.marker_2,
                        given.lambda_T(rows().tangent(i)), rows().row(i), d);
  }
  inverse_dynamics_derivatives(tree, w.tree, d.tree, d.inverse);
  d.residual += d.inverse;

  for (Matrix* part : {&J.residual, &J.gammadot, &J.element, &J.qdot, &J.xdot}) part->setZero();
  rate_derivatives(tree, q, u, J.qdot.leftCols(n));
  to_coordinates(tree, q, d.residual, J.residual.leftCols(n));
  to_coordinates(tree, q, d.rows, J.gammadot.leftCols(n));
  to_coordinates(tree, q, d.elements, J.element.leftCols(n));
  to_coordinates(tree, q, d.rates, J.xdot.leftCols(n));
  J.residual += d.direct;
  J.xdot += d.direct_rates;
  for (std::size_t k = 0; k < model_.switching.size(); ++k) {
    const SwitchingElement& element = model_.switching[k];
    if (element.marker_1 >= 0) continue;
    const auto i = static_cast<Index>(k);
    J.element(i, element.coordinate) = element.direction;
    J.element(ne() + i, nq() + element.velocity) = element.direction;
  }
}

}  // namespace nsmb
