// Shapes on the bodies of a model, and what of them touches what.
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
  Index owner = -1;  // the body it is a part of, of which `place` may be a section; -1: the ground
  Index material = 0;
  // Two shapes may touch if the group of each is in the mask of the other.
  std::uint32_t group = 1, mask = ~std::uint32_t{0};
};

/// Two shapes that may touch, by numbers, and their law.
struct TouchingShapes {
  Index first = 0, second = 0, law = 0;
};

struct ShapeSet {
  std::vector<PlacedShape> shapes;
  std::vector<SurfaceLaw> laws;
  // (materials²) law of two materials, symmetric; -1: they pass through each other.
  std::vector<Index> law_of;
  std::vector<std::pair<Index, Index>> apart;  // owners that never touch, as those of a joint
};

struct ModelDescription;
struct ModelWorkspace;

/// Scratch of one thread.
struct ShapeScratch;
std::shared_ptr<ShapeScratch> make_shape_scratch();

/// Broad phase with boxes swept along the motion of a step; contact points of the pairs left;
/// directions from the columns of the recursion. Shapes that no velocity moves against each other
/// do not touch.
class ShapeContacts final : public ContactFinder {
 public:
  ShapeContacts() = default;
  /// Both live as long as this. Throws std::invalid_argument for places outside their range.
  ShapeContacts(const ModelDescription& model, const Cliques& cliques);

  const std::vector<SurfaceLaw>& surface_laws() const override;
  const std::vector<std::string>& shape_names() const override { return names_; }
  /// All that may touch. The first is never of the later kind.
  std::vector<TouchingShapes> pairs() const;
  void find_contacts(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin,
                     double step, const std::vector<char>* at_rest, ContactSet& found,
                     SystemWorkspace& work) const override;
  TouchOnTheWay first_touch(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                            double gap_tolerance, double step, double look,
                            SystemWorkspace& work) const override;

 private:
  /// What is known of a shape before it moves.
  struct Body {
    Index link = -1;     // -1: the environment
    Index group = -1;    // of bodies that no velocity moves against each other; -1: the environment
    Index clique = -1;   // that moves it; -1: none
    Frame frame;         // in the frame of the link
    double reach = 0.0;  // m, of its points from its origin, as far as a turn moves them
    double depth = 0.0, share = 0.0;  // m, of depth_of, share_of_depth
  };

  void share_depths();
  void place(const ModelWorkspace& work, double margin, double step, ShapeScratch& scratch) const;
  const std::vector<char>& still(const std::vector<char>* at_rest, ShapeScratch& scratch) const;
  bool may_touch(Index i, Index k) const;
  /// Of two shapes that may touch.
  TouchingShapes in_order(Index i, Index k) const;
  void add_contact(Index first, Index second, Index law, const ShapeContact& point,
                   const ModelWorkspace& work, ContactSet& found) const;

  const ModelDescription* model_ = nullptr;
  const Cliques* cliques_ = nullptr;
  std::vector<std::string> names_;
  std::vector<Body> bodies_;  // of each shape
  std::vector<char> is_fixed_;
  std::vector<Index> place_in_clique_;          // (nu) of each velocity
  std::vector<std::pair<Index, Index>> apart_;  // sorted, the smaller one first
  Index materials_ = 0;
};

}  // namespace nsmb
