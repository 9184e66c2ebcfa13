// Description of a tree of bodies and joints, immutable and shared between threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/multibody/elastic.hpp"
#include "nsmb/multibody/joint.hpp"

namespace nsmb {

/// Name of the predecessor of bodies attached to the inertial frame.
inline constexpr std::string_view kEnvironment = "environment";

/// A body and the joint that leads to it. All components are in its body frame.
struct BodyDescription {
  std::string name;
  double mass = 0.0;                   // kg; zero for a massless part
  Vector3 center = Vector3::Zero();    // centre of mass S from the origin of the body frame, m
  Matrix3 inertia = Matrix3::Zero();   // I_S about the centre of mass, kg m²
  std::string parent{kEnvironment};    // name of the predecessor
  std::string joint_name;              // if empty, the name of the body
  std::shared_ptr<const Joint> joint;  // between the following two frames
  Frame parent_frame;                  // F, fixed in the predecessor
  Frame body_frame;                    // G, fixed in this body
  std::vector<JointMotion> motions{};  // prescribed in time
  /// Data of an elastic body; mass, center and inertia are then those at p = 0. Its coordinates p
  /// follow those of its joint.
  std::shared_ptr<const ElasticDescription> elastic{};
  /// Data of a section of the predecessor, an elastic body. The section is not a separate body and
  /// has no joint. F is in the section of the undeformed predecessor.
  std::shared_ptr<const ElasticNode> node{};
};

/// Treatment of a joint in the recursion: frequent joints avoid virtual calls.
enum class JointKind { Revolute, Prismatic, General, Node };

/// Data of a body for the recursions. Its body frame is frame G of its joint, rotated so that the
/// axis of a revolute or prismatic joint is e_z.
struct Link {
  JointKind kind = JointKind::General;
  Index parent = -1;  // position in the order of evaluation; -1: the environment
  Index first_u = 0;  // first velocity in the order of evaluation
  Index nu = 0;       // of the joint; elastic velocities follow them
  Index first_q = 0;  // first coordinate in the order of the user
  Index first_u_user = 0;
  Index end_u = 0;  // end of the velocities of the subtree, in the order of evaluation
  bool has_children = false;
  bool last_sibling = true;  // the first sibling met on the inward sweep
  Frame parent_frame;        // F in the frame of the parent's link
  Frame frame;               // the link's frame in the body frame of the description
  double mass = 0.0;
  Vector3 moment = Vector3::Zero();   // mass times centre of mass
  Matrix3 inertia = Matrix3::Zero();  // about the origin of the link's frame
  const Joint* joint = nullptr;
  // Of an elastic body: its index among elastic bodies, size, first coordinate, and matrices seen
  // from the link's frame. Of a node: its index among nodes, first column, and functions seen from
  // the parent's frame.
  Index elastic = -1, n_el = 0, first_q_el = 0;
  Index node = -1, first_column = 0;
  std::shared_ptr<const ElasticLink> flexible{};
  std::shared_ptr<const ElasticNode> section{};

  /// Index of the first elastic velocity in the order of evaluation, and in the order of the user.
  Index first_el() const { return first_u + nu; }
  Index first_el_user() const { return first_u_user + nu; }
  Index velocities() const { return nu + n_el; }
};

/// An immutable tree of bodies, with its order of evaluation.
class Tree {
 public:
  /// Construct a tree from bodies in any order, which the coordinates keep. Throws
  /// std::invalid_argument that names the body and the error.
  explicit Tree(std::vector<BodyDescription> bodies, const Vector3& gravity = Vector3::Zero());

  Index nq() const { return static_cast<Index>(coordinates_.size()); }
  Index nu() const { return nu_; }
  Index bodies() const { return static_cast<Index>(bodies_.size()); }
  /// Sizes of the elastic bodies, number of nodes, and number of columns of all nodes.
  const std::vector<Index>& elastic_sizes() const { return elastic_sizes_; }
  Index nodes() const { return nodes_; }
  Index node_columns() const { return node_columns_; }
  const BodyDescription& body(Index i) const { return bodies_[static_cast<std::size_t>(i)]; }
  /// Return the index of a body, -1 for the environment. Throws std::invalid_argument for an
  /// unknown name.
  Index index(std::string_view name) const;
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const Vector3& gravity() const { return gravity_; }
  /// Return true if some joint has motion prescribed in time.
  bool rheonomic() const { return rheonomic_; }

  /// Return true if q̇ = u and q has nothing to normalise.
  bool has_plain_rates() const;
  /// Compute q̇ = B(q) u.
  void coordinate_rates(const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot) const;
  /// Restore unit quaternions. Return true if there was anything to change.
  bool normalise(VectorRef q) const;
  /// Return coordinates with which the two frames of every joint coincide, where possible.
  Vector reference() const;

  // For the recursions.
  /// Bodies in the order of evaluation, depth first: predecessors before successors, and every
  /// subtree contiguous.
  const std::vector<Link>& links() const { return links_; }
  /// Return the position of body i among the links.
  Index link(Index body) const { return place_[static_cast<std::size_t>(body)]; }
  /// Return the index in u of velocity k in the order of evaluation.
  Index user_u(Index k) const { return user_u_[static_cast<std::size_t>(k)]; }
  bool same_order() const { return same_order_; }

 private:
  std::vector<Index> find_parents() const;
  void check_ways(const std::vector<Index>& parents) const;
  void order_links(const std::vector<Index>& parents);
  void check_nodes(const std::vector<Index>& parents) const;
  void fill_link(Link& link, const BodyDescription& body);
  void fill_elastic(Link& link, const BodyDescription& body);

  std::vector<BodyDescription> bodies_;
  std::vector<std::shared_ptr<const Joint>> joints_;  // including prescribed motion
  Vector3 gravity_;
  std::vector<Link> links_;
  std::vector<Index> place_, user_u_;
  std::vector<std::string> coordinates_;
  std::vector<Index> elastic_sizes_;
  Index nu_ = 0, nodes_ = 0, node_columns_ = 0;
  bool rheonomic_ = false;
  bool same_order_ = true;
};

}  // namespace nsmb
