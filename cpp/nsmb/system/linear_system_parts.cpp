// Division of a linear system into independent coordinates.
#include <algorithm>
#include <numeric>

#include "nsmb/system/linear_system.hpp"

namespace nsmb {

namespace {

using Indices = std::vector<Index>;

// Sets of coordinates that are merged. The first member identifies a set.
class Groups {
 public:
  explicit Groups(Index n) : leader_(static_cast<std::size_t>(n)) {
    std::iota(leader_.begin(), leader_.end(), Index{0});
  }
  Index of(Index i) const {
    while (leader_[static_cast<std::size_t>(i)] != i) i = leader_[static_cast<std::size_t>(i)];
    return i;
  }
  void join(Index i, Index j) {
    const Index a = of(i), b = of(j);
    leader_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  Indices leader_;
};

// Join the nonzero rows. Return the first of them, or 0 if there is none.
Index join_rows(const ConstMatrixRef& columns, Groups& groups) {
  Index first = -1;
  for (Index i = 0; i < columns.rows(); ++i) {
    if (columns.row(i).isZero(0.0)) continue;
    if (first < 0) first = i;
    groups.join(first, i);
  }
  return std::max(first, Index{0});
}

Vector select(const Vector& values, const Indices& places) { return values(places); }

LinearForce select(const LinearForce& force, const Indices& places) {
  LinearForce part{select(force.constant, places), select(force.ramp, places), {}, {}, {}, {}};
  if (force.pieces.ends.size() > 0) {
    part.pieces.ends = force.pieces.ends;
    part.pieces.constant = force.pieces.constant(places, Eigen::all);
    part.pieces.ramp = force.pieces.ramp(places, Eigen::all);
  }
  for (const HarmonicForce& harmonic : force.harmonics) {
    HarmonicForce of_part{select(harmonic.cosine, places), select(harmonic.sine, places),
                          harmonic.omega};
    const bool acts = !of_part.cosine.isZero(0.0) || !of_part.sine.isZero(0.0);
    if (acts) part.harmonics.push_back(std::move(of_part));
  }
  return part;
}

}  // namespace

void LinearSystem::find_cliques() {
  const Index n = nq();
  Groups groups(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) {
      if (form_.M(i, j) != 0.0) groups.join(i, j);
    }
  }
  Indices of_velocity;
  for (Index i = 0; i < n; ++i) of_velocity.push_back(groups.of(i));
  std::vector<Indices> contacts(static_cast<std::size_t>(nc()));
  for (Index i = 0; i < nc(); ++i) {
    for (Index k = 0; k < n; ++k) {
      const auto tangents = form_.W_T.row(k).segment(rows().tangent(i), rows().dim(i));
      if (form_.W_N(k, i) == 0.0 && tangents.isZero(0.0)) continue;
      contacts[static_cast<std::size_t>(i)].push_back(k);
    }
  }
  cliques_ = Cliques(of_velocity, contacts);
}

std::vector<SystemPart> LinearSystem::split(std::size_t fewest) const {
  const Index n = nq();
  if (form_.force.user || n < 2 || nx_own() > 0 || ni() > 0) return {};
  Groups groups(n);
  for (const Matrix* matrix : {&form_.M, &form_.K, &form_.D}) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) {
        if ((*matrix)(i, j) != 0.0) groups.join(i, j);
      }
    }
  }
  Indices of_contact, of_element;  // one coordinate of each
  for (Index i = 0; i < nc(); ++i) {
    Matrix directions(n, 1 + rows().dim(i));
    directions << form_.W_N.col(i), form_.W_T.middleCols(rows().tangent(i), rows().dim(i));
    of_contact.push_back(join_rows(directions, groups));
  }
  for (Index i = 0; i < nc(); ++i) {
    const Index normal = rows().normal_of(i);
    if (normal < 0) continue;
    groups.join(of_contact[static_cast<std::size_t>(i)],
                of_contact[static_cast<std::size_t>(normal)]);
  }
  for (const LinearForceElement& element : elements_) {
    of_element.push_back(join_rows(element.w, groups));
  }

  Indices part_of(static_cast<std::size_t>(n), -1);  // by first coordinate
  std::vector<SystemPart> parts;
  for (Index i = 0; i < n; ++i) {
    Index& part = part_of[static_cast<std::size_t>(groups.of(i))];
    if (part < 0) {
      part = static_cast<Index>(parts.size());
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(part)].q.push_back(i);
  }
  if (parts.size() < fewest) return {};
  const auto part_with = [&](Index coordinate) -> SystemPart& {
    const Index part = part_of[static_cast<std::size_t>(groups.of(coordinate))];
    return parts[static_cast<std::size_t>(part)];
  };
  for (Index i = 0; i < nc(); ++i) {
    part_with(of_contact[static_cast<std::size_t>(i)]).contacts.push_back(i);
  }
  for (Index e = 0; e < ne(); ++e) {
    SystemPart& part = part_with(of_element[static_cast<std::size_t>(e)]);
    part.elements.push_back(e);
    if (wall(e) >= 0) part.x.push_back(wall(e));
  }
  for (SystemPart& part : parts) {
    part.u = part.q;
    part.system = make_part(part);
  }
  return parts;
}

std::shared_ptr<const System> LinearSystem::make_part(const SystemPart& part) const {
  std::vector<std::string> names;
  for (const Index i : part.q) names.push_back(coordinates()[static_cast<std::size_t>(i)]);
  std::vector<LinearContact> of_part;
  for (const Index i : part.contacts) {
    const ContactDescription& description = contacts()[static_cast<std::size_t>(i)];
    LinearContact contact;
    contact.name = description.name;
    contact.law = description.law;
    contact.kind = description.kind;
    contact.w_N = select(form_.W_N.col(i), part.q);
    contact.w_T = form_.W_T.middleCols(rows().tangent(i), rows().dim(i))(part.q, Eigen::all);
    contact.gap = form_.gap(i);
    contact.w_tilde_N = form_.w_tilde_N(i);
    contact.w_tilde_T = form_.w_tilde_T.segment(rows().tangent(i), rows().dim(i));
    contact.bound = form_.bound(i);
    const auto place = std::find(part.contacts.begin(), part.contacts.end(), description.normal);
    if (description.normal >= 0) contact.normal = place - part.contacts.begin();
    of_part.push_back(std::move(contact));
  }
  std::vector<LinearForceElement> elements;
  for (const Index e : part.elements) {
    elements.push_back(elements_[static_cast<std::size_t>(e)]);
    elements.back().w = select(elements.back().w, part.q);
  }
  return std::make_shared<LinearSystem>(
      std::move(names), form_.M(part.q, part.q), form_.K(part.q, part.q), form_.D(part.q, part.q),
      select(form_.force, part.q), of_part, elements, discontinuities());
}

}  // namespace nsmb
