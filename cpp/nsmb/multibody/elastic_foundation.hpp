// Contact as pressure over an area: an elastic layer between two closed meshes, on rigid or
// deformable bodies.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "nsmb/geometry/mesh_intersection.hpp"
#include "nsmb/multibody/force_element.hpp"
#include "nsmb/multibody/foundation_law.hpp"

namespace nsmb {

/// One of the two surfaces, in the frame of its marker.
struct FoundationSide {
  std::shared_ptr<const ArealMesh> mesh;
  /// Displacements of the vertices, stacked, for each elastic coordinate at 1, shape (3 k, n);
  /// n = 0 for a rigid body.
  Matrix shapes = Matrix();
  /// Rotations of the vertices, rad; empty if unknown.
  Matrix turns = Matrix();
};

/// Construction of contact elements.
enum class FoundationElements {
  Clipped,     // the base clipped at the layer of the target: continuous in the motion
  Barycentre,  // whole triangles of the base, by the line through their barycentre
};

/// The surface whose triangles are elements. With Both, each surface contributes half.
enum class FoundationBase { First, Second, Both };

/// Velocity of a point of a triangle due to deformation.
enum class FoundationVelocity {
  Barycentric,  // interpolated from the vertices by area coordinates: conjugate to the forces
  Average,      // mean of the velocities given by the three vertices, (6.11)-(6.14)
};

struct FoundationOptions {
  FoundationElements elements = FoundationElements::Clipped;
  FoundationBase base = FoundationBase::Both;
  FoundationVelocity velocity = FoundationVelocity::Barycentric;
  bool same_body = false;  // both surfaces deform with the same coordinates
};

/// Position and motion of both surfaces.
struct FoundationMotion {
  struct Side {
    Placement pose;
    Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();
    Vector q{}, u{};  // elastic coordinates and rates
  };
  std::array<Side, 2> side;
};

/// A contact element and the loads there, in inertial components.
struct FoundationElement {
  Vector3 place = Vector3::Zero(),
          push = Vector3::UnitZ();                 // push: direction of the push on the base
  Vector3 force = Vector3::Zero();                 // on the base
  double area = 0.0, depth = 0.0, pressure = 0.0;  // pressure: the maximum in the element
  double approach = 0.0;                           // v_n
  Index base = -1, target = -1;                    // triangles
  bool base_is_first = true;
};

/// Result at one instant.
struct FoundationResult {
  Vector3 force = Vector3::Zero();                 // on the first body
  Vector3 moment = Vector3::Zero();                // on it, about the origin of its frame
  Index active = 0;                                // number of elements with a force
  double area = 0.0, pressure = 0.0, depth = 0.0;  // contact area; maximum values
  double power = 0.0;                              // of the contact forces on both bodies, W
  ArealCounts counts;
};

struct FoundationWorkspace;

class ElasticFoundation final : public ForceElement {
 public:
  /// Throws std::invalid_argument for shapes that do not match and for invalid numbers.
  ElasticFoundation(FoundationSide first, FoundationSide second, FoundationLaw law,
                    FoundationOptions options);

  std::size_t markers() const override { return 2; }
  /// Return the number of elastic coordinates, those of the first body first. The coordinates of a
  /// single body are counted once.
  std::size_t joints() const override;
  std::unique_ptr<ForceWorkspace> make_workspace() const override;
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  /// Return the energy of the layer as given by clipped elements. It is exact for rigid bodies.
  /// Elements by barycentres have no energy.
  double energy(const ForceInput& in, ForceWorkspace& work) const override;

  /// Return the time until the surfaces have approached by their distance plus half a layer. It is
  /// unlimited where they overlap, since the error control of steps then sees the force.
  double longest_step(const ForceInput& in, ForceWorkspace& work) const override;
  /// Return false for two parts of one body. Their relative motion is governed by the body's
  /// stiffness, which the error control of steps sees.
  bool may_be_stepped_over() const override { return !options_.same_body; }

  const FoundationSide& side(std::size_t i) const { return sides_[i]; }
  /// Compute the contact. The elements remain in the workspace until the next call.
  FoundationResult contact(const FoundationMotion& motion, FoundationWorkspace& work) const;
  double energy(const FoundationMotion& motion, FoundationWorkspace& work) const;

 private:
  void check() const;
  void read(const ForceInput& in, FoundationMotion& motion) const;
  void deform(const FoundationMotion& motion, FoundationWorkspace& work) const;
  void find_elements(const FoundationMotion& motion, FoundationWorkspace& work,
                     ArealCounts& counts) const;
  void act(const FoundationMotion& motion, std::size_t base, double weight,
           const ArealElement& element, FoundationWorkspace& work, FoundationResult& result) const;
  double largest_speed(const FoundationMotion& motion, const FoundationWorkspace& work) const;
  Vector3 deformation_velocity(const FoundationMotion& motion, std::size_t side, Index triangle,
                               const Vector3& place, const Vector3& weights,
                               const FoundationWorkspace& work) const;

  std::array<FoundationSide, 2> sides_;
  FoundationLaw law_;
  FoundationOptions options_;
};

struct FoundationWorkspace final : ForceWorkspace {
  explicit FoundationWorkspace(const ElasticFoundation& element);

  std::array<ArealInstance, 2> surface;
  std::array<Vector, 2> q;      // elastic coordinates of the current surfaces
  std::array<Vector, 2> modal;  // generalised forces on them
  std::array<Vector3, 2> force, moment;
  FoundationMotion motion;
  ArealScratch scratch;
  MeshIntersection intersection;
  std::array<std::vector<ArealElement>, 2> found;  // by base
  std::vector<FoundationElement> elements;
};

/// Return signed area coordinates of the projection of `p` onto a triangle, (6.16), (6.17).
Vector3 area_coordinates(const NumberedTriangle& triangle, const Vector3& p);

}  // namespace nsmb
