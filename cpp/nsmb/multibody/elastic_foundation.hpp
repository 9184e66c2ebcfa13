// Contact as a pressure over an area: an elastic layer between two closed meshes, on rigid bodies
// or on bodies that deform.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "nsmb/geometry/mesh_intersection.hpp"
#include "nsmb/multibody/force_element.hpp"
#include "nsmb/multibody/foundation_law.hpp"

namespace nsmb {

/// One of both surfaces, in the frame of its marker.
struct FoundationSide {
  std::shared_ptr<const ArealMesh> mesh;
  /// Displacements of the vertices, one below the other, for elastic coordinates of one (3 k, n);
  /// n = 0: rigid.
  Matrix shapes = Matrix();
  /// And how they turn, rad; empty: not known.
  Matrix turns = Matrix();
};

/// How contact elements come about.
enum class FoundationElements {
  Clipped,     // the base clipped at the layer of the target: continuous in the motion
  Barycentre,  // whole triangles of the base, by the line through their middle
};

/// Whose triangles are elements; both: half of each.
enum class FoundationBase { First, Second, Both };

/// How fast a point of a triangle moves as the body deforms.
enum class FoundationVelocity {
  Barycentric,  // as the vertices do by area coordinates: conjugate to the forces
  Average,      // mean of what the motions of the three vertices say, (6.11)-(6.14)
};

struct FoundationOptions {
  FoundationElements elements = FoundationElements::Clipped;
  FoundationBase base = FoundationBase::Both;
  FoundationVelocity velocity = FoundationVelocity::Barycentric;
  bool same_body = false;  // both surfaces deform by the same coordinates
};

/// Where both surfaces are and how they move.
struct FoundationMotion {
  struct Side {
    Placement pose;
    Vector3 v = Vector3::Zero(), Omega = Vector3::Zero();
    Vector q{}, u{};  // elastic coordinates and rates
  };
  std::array<Side, 2> side;
};

/// A contact element and what acts there, inertial components.
struct FoundationElement {
  Vector3 place = Vector3::Zero(),
          push = Vector3::UnitZ();                 // push: along it the base is pushed back
  Vector3 force = Vector3::Zero();                 // on the base
  double area = 0.0, depth = 0.0, pressure = 0.0;  // pressure: the largest in it
  double approach = 0.0;                           // v_n
  Index base = -1, target = -1;                    // triangles
  bool base_is_first = true;
};

/// Of one instant.
struct FoundationResult {
  Vector3 force = Vector3::Zero();                 // on the first body
  Vector3 moment = Vector3::Zero();                // on it, about the origin of its frame
  Index active = 0;                                // elements with a force
  double area = 0.0, pressure = 0.0, depth = 0.0;  // patch; the largest
  double power = 0.0;                              // of the contact forces on both bodies, W
  ArealCounts counts;
};

struct FoundationWorkspace;

class ElasticFoundation final : public ForceElement {
 public:
  /// Throws std::invalid_argument for shapes that do not fit, and numbers that are none.
  ElasticFoundation(FoundationSide first, FoundationSide second, FoundationLaw law,
                    FoundationOptions options);

  std::size_t markers() const override { return 2; }
  /// Elastic coordinates, those of the first body first; of one body once.
  std::size_t joints() const override;
  std::unique_ptr<ForceWorkspace> make_workspace() const override;
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  /// Of the layer as clipped elements see it: exact where the bodies are rigid. Elements by
  /// barycentres have none.
  double energy(const ForceInput& in, ForceWorkspace& work) const override;

  /// Until the surfaces have come nearer by their distance and half of a layer; any where they are
  /// in each other, which errors of steps do see.
  double longest_step(const ForceInput& in, ForceWorkspace& work) const override;
  /// Two parts of one body move against each other by its stiffness, which errors of steps see.
  bool may_be_stepped_over() const override { return !options_.same_body; }

  const FoundationSide& side(std::size_t i) const { return sides_[i]; }
  /// The elements are in the workspace until the next call.
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
  std::array<Vector, 2> q;      // elastic coordinates the surfaces are at
  std::array<Vector, 2> modal;  // generalised forces on them
  std::array<Vector3, 2> force, moment;
  FoundationMotion motion;
  ArealScratch scratch;
  MeshIntersection intersection;
  std::array<std::vector<ArealElement>, 2> found;  // by base
  std::vector<FoundationElement> elements;
};

/// Signed area coordinates of the foot of `p` in a triangle, (6.16), (6.17).
Vector3 area_coordinates(const NumberedTriangle& triangle, const Vector3& p);

}  // namespace nsmb
