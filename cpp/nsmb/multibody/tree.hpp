// A tree of bodies and joints: the description, immutable and shared between threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nsmb/multibody/elastic.hpp"
#include "nsmb/multibody/joint.hpp"

namespace nsmb {

/// The predecessor of bodies that hang on the inertial frame.
inline constexpr std::string_view kEnvironment = "environment";

/// A body and the joint that leads to it. All components are those of its body frame.
struct BodyDescription {
  std::string name;
  double mass = 0.0;                   // kg; zero for a massless part
  Vector3 center = Vector3::Zero();    // centre of mass S from the origin of the body frame, m
  Matrix3 inertia = Matrix3::Zero();   // I_S about the centre of mass, kg m²
  std::string parent{kEnvironment};    // name of the predecessor
  std::string joint_name;              // empty: that of the body
  std::shared_ptr<const Joint> joint;  // between the two frames:
  Frame parent_frame;                  // F, fixed in the predecessor
  Frame body_frame;                    // G, fixed in this body
  std::vector<JointMotion> motions{};  // prescribed in time
  /// Not a rigid body; mass, center and inertia are those at p = 0. Its coordinates p come behind
  /// those of its joint.
  std::shared_ptr<const ElasticDescription> elastic{};
  /// No body by itself but a section of its predecessor, an elastic body: without a joint, F in the
  /// section where the predecessor is not deformed.
  std::shared_ptr<const ElasticNode> node{};
};

/// How the recursion treats a joint: the frequent ones without virtual calls.
enum class JointKind { Revolute, Prismatic, General, Node };

/// What the recursions need of a body. Their body frame is frame G of its joint, turned so that the
/// axis of a revolute or prismatic joint is e_z.
struct Link {
  JointKind kind = JointKind::General;
  Index parent = -1;  // place in the order of evaluation; -1: the environment
  Index first_u = 0;  // first velocity in the order of evaluation
  Index nu = 0;       // of the joint; elastic velocities come behind them
  Index first_q = 0;  // first coordinate in the order of the user
  Index first_u_user = 0;
  Index end_u = 0;  // behind the last velocity of the subtree, in the order of evaluation
  bool has_children = false;
  bool last_sibling = true;  // the first to be met from the tips inwards
  Frame parent_frame;        // F in the frame of the parent's link
  Frame frame;               // the link's frame in the body frame of the description
  double mass = 0.0;
  Vector3 moment = Vector3::Zero();   // mass times centre of mass
  Matrix3 inertia = Matrix3::Zero();  // about the origin of the link's frame
  const Joint* joint = nullptr;
  // Of an elastic body: its place among them, number, first coordinate, and matrices as seen from
  // the link's frame. Of a node: its place among them, first column, and functions as seen from the
  // parent's.
  Index elastic = -1, n_el = 0, first_q_el = 0;
  Index node = -1, first_column = 0;
  std::shared_ptr<const ElasticLink> flexible{};
  std::shared_ptr<const ElasticNode> section{};

  /// First elastic velocity in the order of evaluation, and in that of the user.
  Index first_el() const { return first_u + nu; }
  Index first_el_user() const { return first_u_user + nu; }
  Index velocities() const { return nu + n_el; }
};

class Tree {
 public:
  /// Bodies in any order; coordinates keep the order in which the bodies are given. Throws
  /// std::invalid_argument naming the body and the fault.
  explicit Tree(std::vector<BodyDescription> bodies, const Vector3& gravity = Vector3::Zero());

  Index nq() const { return static_cast<Index>(coordinates_.size()); }
  Index nu() const { return nu_; }
  Index bodies() const { return static_cast<Index>(bodies_.size()); }
  /// Of elastic bodies, and columns of all nodes.
  const std::vector<Index>& elastic_sizes() const { return elastic_sizes_; }
  Index nodes() const { return nodes_; }
  Index node_columns() const { return node_columns_; }
  const BodyDescription& body(Index i) const { return bodies_[static_cast<std::size_t>(i)]; }
  /// -1 for the environment. Throws std::invalid_argument for an unknown name.
  Index index(std::string_view name) const;
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  const Vector3& gravity() const { return gravity_; }
  /// Some joint moves as prescribed in time.
  bool rheonomic() const { return rheonomic_; }

  /// q̇ = u, and nothing to normalise.
  bool has_plain_rates() const;
  /// q̇ = B(q) u.
  void coordinate_rates(const ConstVectorRef& q, const ConstVectorRef& u, VectorRef qdot) const;
  /// Unit quaternions again; was there anything to do?
  bool normalise(VectorRef q) const;
  /// Coordinates with which the two frames of every joint coincide, where it has such.
  Vector reference() const;

  // For the recursions.
  /// Bodies in the order of evaluation, depth first: predecessors before successors, and every
  /// subtree without gap.
  const std::vector<Link>& links() const { return links_; }
  /// Place of body i among the links.
  Index link(Index body) const { return place_[static_cast<std::size_t>(body)]; }
  /// Velocity k in the order of evaluation is velocity user_u(k) of u.
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
  std::vector<std::shared_ptr<const Joint>> joints_;  // with their prescribed motion
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
