#include "nsmb/multibody/model_pictures.hpp"

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

ContactPlaces contact_places(const ModelSystem& system, double t, const ConstVectorRef& q) {
  check_size("q", q, system.nq());
  ContactKinematics contacts(system.nu(), system.rows());
  const auto work = system.workspace();
  if (const FeatureSearch* search = system.feature_search()) {
    search->find_features(t, q, contacts.features, *work);
  }
  system.contact_kinematics(t, q, Vector::Zero(system.nu()), contacts, *work);
  ModelWorkspace& w = model_workspace(*work);
  const Matrix nowhere = Matrix::Constant(3, system.nc(), std::numeric_limits<double>::quiet_NaN());
  ContactPlaces places{nowhere, nowhere, nowhere};
  for (Index i = 0; i < system.nc(); ++i) {
    if (system.contact_of(i) < 0 ||
        !(contacts.domain(i) >= -model_corners::kBeyondFeatures * system.length_of(i)))
      continue;
    const auto& contact = system.model().contacts[static_cast<std::size_t>(system.contact_of(i))];
    const MarkerKinematics& m1 = w.markers[static_cast<std::size_t>(contact.marker_1)];
    const MarkerKinematics& m2 = w.markers[static_cast<std::size_t>(contact.marker_2)];
    const ContactFeature& slot = contacts.features.slots[static_cast<std::size_t>(i)];
    const ContourPair contours = w.contours(contact);
    ContactPoint p;
    contact_point(contours.first, Pose{}, contours.second, relative_pose(m1, m2),
                  {slot.first, slot.second, slot.sigma_1, slot.sigma_2}, p);
    if (p.status != ContactPointStatus::Found) continue;
    const bool first = system.model().markers[static_cast<std::size_t>(contact.marker_1)].body >= 0;
    const auto plane = m1.A.leftCols<2>();
    places.r.col(i) = m1.r + plane * (first ? p.r_1 : p.r_2);
    places.n.col(i) = plane * (first ? p.n_1 : p.n_2);
    places.t.col(i) = plane * (first ? p.t_1 : p.t_2);
  }
  const auto put = [&](Index i, const SurfacePoint& p) {
    if (p.is_singular) return;
    places.r.col(i) = 0.5 * (p.r_1 + p.r_2);
    places.n.col(i) = p.axes.col(0);
    places.t.col(i) = p.axes.col(1);
  };
  const std::vector<SurfaceContact>& surfaces = system.model().surfaces;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const MarkerKinematics& m1 = w.markers[static_cast<std::size_t>(surfaces[k].marker_1)];
    const MarkerKinematics& m2 = w.markers[static_cast<std::size_t>(surfaces[k].marker_2)];
    put(system.first_surface() + static_cast<Index>(k),
        surface_point(surfaces[k].surface_1, motion_of(m1), surfaces[k].surface_2, motion_of(m2)));
  }
  for (Index i = system.first_surface() + static_cast<Index>(surfaces.size()); i < system.nc();
       ++i) {
    const ContactFeature& slot = contacts.features.slots[at(i)];
    if (!slot.used() ||
        !(contacts.domain(i) >= -model_corners::kBeyondFeatures * system.length_of(i)))
      continue;
    put(i, system.shape_pairs().point(i, slot, w));
  }
  return places;
}

}  // namespace nsmb
