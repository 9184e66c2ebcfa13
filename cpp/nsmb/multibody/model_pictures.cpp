#include "nsmb/multibody/model_pictures.hpp"

#include <algorithm>
#include <limits>

#include "nsmb/core/check.hpp"
#include "nsmb/multibody/model_workspace.hpp"
#include "nsmb/multibody/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

}  // namespace

std::vector<Frame> marker_frames(const ModelSystem& system, double t, const ConstVectorRef& q) {
  check_size("q", q, system.nq());
  ModelWorkspace work(system.model());
  work.update(system.model(), t, q);
  std::vector<Frame> frames;
  for (std::size_t k = 0; k < work.markers.size(); ++k) {
    frames.push_back({work.markers[k].r, work.markers[k].A});
  }
  return frames;
}

ContactPlacer::ContactPlacer(const ModelSystem& system)
    : system_(system),
      contacts_(system.nu(), system.rows()),
      work_(system.workspace()),
      rest_(Vector::Zero(system.nu())) {
  for (Matrix* of : {&places_.r, &places_.n, &places_.t}) of->resize(3, system.nc());
}

const ContactPlaces& ContactPlacer::at(double t, const ConstVectorRef& q) {
  if (const FeatureSearch* search = system_.feature_search()) {
    std::fill(contacts_.features.slots.begin(), contacts_.features.slots.end(), ContactFeature{});
    search->find_features(t, q, contacts_.features, *work_);
  }
  system_.contact_kinematics(t, q, rest_, contacts_, *work_);
  for (Matrix* of : {&places_.r, &places_.n, &places_.t}) {
    of->setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  ModelWorkspace& work = model_workspace(*work_);
  place_contours(work);
  place_surfaces(work);
  return places_;
}

bool ContactPlacer::has_point(Index i) const {
  return contacts_.domain(i) >= -model_corners::kBeyondFeatures * system_.length_of(i);
}

void ContactPlacer::place_contours(const ModelWorkspace& work) {
  for (Index i = 0; i < system_.nc(); ++i) {
    if (system_.contact_of(i) < 0 || !has_point(i)) continue;
    const ContourContact& contact = system_.model().contacts[nsmb::at(system_.contact_of(i))];
    const MarkerKinematics& m1 = work.markers[nsmb::at(contact.marker_1)];
    const MarkerKinematics& m2 = work.markers[nsmb::at(contact.marker_2)];
    const ContactFeature& slot = slots()[nsmb::at(i)];
    const ContourPair contours = work.contours(contact);
    ContactPoint p;
    contact_point(contours.first, Pose{}, contours.second, relative_pose(m1, m2),
                  {slot.first, slot.second, slot.sigma_1, slot.sigma_2}, p);
    if (p.status != ContactPointStatus::Found) continue;
    const bool first = system_.model().markers[nsmb::at(contact.marker_1)].body >= 0;
    const auto plane = m1.A.leftCols<2>();
    places_.r.col(i) = m1.r + plane * (first ? p.r_1 : p.r_2);
    places_.n.col(i) = plane * (first ? p.n_1 : p.n_2);
    places_.t.col(i) = plane * (first ? p.t_1 : p.t_2);
  }
}

void ContactPlacer::place_surfaces(ModelWorkspace& work) {
  const std::vector<SurfaceContact>& surfaces = system_.model().surfaces;
  const Index first = system_.first_surface();
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const MarkerKinematics& m1 = work.markers[nsmb::at(surfaces[k].marker_1)];
    const MarkerKinematics& m2 = work.markers[nsmb::at(surfaces[k].marker_2)];
    put(first + static_cast<Index>(k),
        surface_point(surfaces[k].surface_1, motion_of(m1), surfaces[k].surface_2, motion_of(m2)));
  }
  const Index end = system_.resistances().first();
  for (Index i = first + static_cast<Index>(surfaces.size()); i < end; ++i) {
    const ContactFeature& slot = slots()[nsmb::at(i)];
    if (slot.used() && has_point(i)) put(i, system_.shape_pairs().point(i, slot, work));
  }
}

void ContactPlacer::put(Index i, const SurfacePoint& p) {
  if (p.is_singular) return;
  places_.r.col(i) = 0.5 * (p.r_1 + p.r_2);
  places_.n.col(i) = p.axes.col(0);
  places_.t.col(i) = p.axes.col(1);
}

}  // namespace nsmb
