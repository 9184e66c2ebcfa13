// Shapes on the bodies of a model, and the contacts between them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsmb/geometry/shape_contact.hpp"
#include "nsmb/multibody/kinematics.hpp"
#include "nsmb/system/contact_finder.hpp"

namespace nsmb {

/// A shape fixed in a body, or in the environment.
struct PlacedShape {
  std::string name;
  std::shared_ptr<const Shape> shape;
  Marker place;
  Index owner = -1;  // body it belongs to, `place` may be on its section; -1: ground
  Index material = 0;
  // Two shapes may touch if the group of each is in the mask of the other.
  std::uint32_t group = 1, mask = ~std::uint32_t{0};
};

/// Two shapes that may touch, by index, and their law.
struct TouchingShapes {
  Index first = 0, second = 0, law = 0;
};

/// All shapes of a model and their laws.
struct ShapeSet {
  std::vector<PlacedShape> shapes;
  std::vector<UnilateralContact> laws;
  // Law of two materials (materials²), symmetric; -1: no contact.
  std::vector<Index> law_of;
  std::vector<std::pair<Index, Index>> apart;  // owners that never touch, e.g. joined ones
};

struct ModelDescription;
struct ModelWorkspace;

/// Scratch memory of one thread.
struct ShapeScratch;
std::shared_ptr<ShapeScratch> make_shape_scratch();

/// Contacts of shapes. The broad phase uses boxes swept along the motion of a step. The remaining
/// pairs get contact points, and directions come from the columns of the recursion. Shapes that no
/// velocity moves relative to each other do not touch.
class ShapeContacts final : public ContactFinder {
 public:
  ShapeContacts() = default;
  /// Construct the contacts. Both arguments outlive this object. Throws std::invalid_argument for
  /// indices out of range.
  ShapeContacts(const ModelDescription& model, const Cliques& cliques);

  const std::vector<UnilateralContact>& surface_laws() const override;
  const std::vector<std::string>& shape_names() const override { return names_; }
  /// Return all pairs that may touch. The first shape is never of a later kind than the second.
  std::vector<TouchingShapes> pairs() const;
  void find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin,
                     double step, const std::vector<char>* at_rest, ContactSet& found,
                     SystemWorkspace& work) const override;
  TouchOnTheWay first_touch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            double gap_tolerance, double step, double look,
                            SystemWorkspace& work) const override;

 private:
  /// Constant data of a shape.
  struct Body {
    Index link = -1;     // -1: the environment
    Index group = -1;    // of bodies without relative motion; -1: the environment
    Index clique = -1;   // the clique that moves it; -1: none
    Frame frame;         // in the frame of the link
    double reach = 0.0;  // m, of its points from its origin, as far as rotation moves them
    double depth = 0.0, share = 0.0;  // m, see depth_of, share_of_depth
  };

  void share_depths();
  void place(const ModelWorkspace& work, double margin, double step, ShapeScratch& scratch) const;
  const std::vector<char>& still(const std::vector<char>* at_rest, ShapeScratch& scratch) const;
  bool may_touch(Index i, Index k) const;
  /// Return two shapes that may touch, in order.
  TouchingShapes in_order(Index i, Index k) const;
  void add_contact(Index first, Index second, Index law, const ShapeContact& point,
                   const ModelWorkspace& work, ContactSet& found) const;

  const ModelDescription* model_ = nullptr;
  const Cliques* cliques_ = nullptr;
  std::vector<std::string> names_;
  std::vector<Body> bodies_;  // of each shape
  std::vector<char> is_fixed_;
  std::vector<Index> place_in_clique_;          // (nu) of each velocity
  std::vector<std::pair<Index, Index>> apart_;  // sorted, smaller index first
  Index materials_ = 0;
};

}  // namespace nsmb
