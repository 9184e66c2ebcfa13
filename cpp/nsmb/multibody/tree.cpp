#include "nsmb/multibody/tree.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "nsmb/core/check.hpp"
#include "nsmb/core/dense_eigen.hpp"
#include "nsmb/multibody/tolerances.hpp"
#include "nsmb/multibody/user_joint.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

// Check principal moments: inertia tensors of mass distributions satisfy I_1 + I_2 >= I_3, with
// equality for a planar one.
void check_inertia(const std::string& argument, const Matrix3& inertia) {
  check_finite(argument, inertia);
  const double scale = inertia.cwiseAbs().maxCoeff();
  const double asymmetry = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > joints::kInertiaRounding * scale) {
    reject(argument, "a symmetric matrix", "asymmetry " + to_text(asymmetry));
  }
  const Vector3 I = symmetric_eigenvalues(inertia);
  if (I[0] < -joints::kInertiaRounding * scale) {
    reject(argument, "principal moments >= 0", to_text(I[0]));
  }
  if (I[0] + I[1] < (1.0 - joints::kInertiaRounding) * I[2]) {
    reject(argument, "principal moments none of which is larger than the sum of the others",
           to_text(I[0]) + ", " + to_text(I[1]) + ", " + to_text(I[2]));
  }
}

// Return the frame `inner`, fixed in the same body as `outer`, in components of `outer`.
Frame relative(const Frame& outer, const Frame& inner) {
  return {outer.A.transpose() * (inner.r - outer.r), outer.A.transpose() * inner.A};
}

std::string joint_name(const BodyDescription& body) {
  return body.joint_name.empty() ? body.name : body.joint_name;
}

// Check the inertia of a body for all its velocities at once: kinetic energy must not be negative.
void check_whole_inertia(const std::string& where, const BodyDescription& body) {
  const ElasticDescription& e = *body.elastic;
  const Index n = e.size();
  Matrix M = Matrix::Zero(6 + n, 6 + n);
  const Matrix3 c = skew(body.center);
  M.topLeftCorner<3, 3>() = body.inertia - body.mass * c * c;
  M.block<3, 3>(0, 3) = body.mass * c;
  M.block<3, 3>(3, 3) = body.mass * Matrix3::Identity();
  M.bottomRightCorner(n, n) = e.mass_matrix();
  for (Index k = 0; k < n; ++k) {
    M.block<3, 1>(0, 6 + k) = axial(e.first.middleRows<3>(3 * k)) + e.turn.col(k);
    M.block<3, 1>(3, 6 + k) = e.displacement.col(k);
  }
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
  // Entries have different units, so scale the diagonal to one.
  const Vector root =
      M.diagonal().cwiseSqrt().unaryExpr([](double d) { return d > 0.0 ? d : 1.0; });
  const Matrix shares = root.cwiseInverse().asDiagonal() * M * root.cwiseInverse().asDiagonal();
  const double least = symmetric_eigenvalues(shares)[0];
  if (least < -elastic::kSymmetry) {
    reject(where + "mass and inertia", "values that include the elastic part",
           "a negative kinetic energy");
  }
}

void check_body(BodyDescription& body) {
  const std::string where = "body '" + body.name + "': ";
  check_range(where + "mass", body.mass, 0.0, std::numeric_limits<double>::infinity());
  check_finite(where + "mass", body.mass);
  check_finite(where + "center", body.center);
  check_inertia(where + "inertia", body.inertia);
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
  if (body.node) {
    if (body.joint) reject(where + "joint", "none, as for every node", "a joint");
    if (body.elastic) reject(where + "elastic", "none, as for every node", "elastic coordinates");
  } else if (!body.joint) {
    reject(where + "joint", "a joint", "none");
  }
  if (body.elastic) {
    body.elastic = std::make_shared<ElasticDescription>(checked_elastic(where, *body.elastic));
    check_whole_inertia(where, body);
  }
  body.parent_frame = checked_frame(where + "parent_frame", body.parent_frame);
  body.body_frame = checked_frame(where + "body_frame", body.body_frame);
}

// Return the joint, wrapped with its prescribed motion if there is any.
std::shared_ptr<const Joint> with_motion(const BodyDescription& body) {
  if (body.node) return std::make_shared<FixedJoint>();
  if (body.motions.empty()) return body.joint;
  try {
    return std::make_shared<DrivenJoint>(body.joint, body.motions);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("joint '" + joint_name(body) + "': " + error.what());
  }
}

void append_names(const BodyDescription& body, const Joint& joint,
                  std::vector<std::string>& names) {
  for (const std::string& suffix : joint.coordinates()) {
    names.push_back(suffix.empty() ? joint_name(body) : joint_name(body) + "." + suffix);
  }
}

}  // namespace

Tree::Tree(std::vector<BodyDescription> bodies, const Vector3& gravity)
    : bodies_(std::move(bodies)), gravity_(gravity) {
  check_finite("gravity", gravity);
  std::set<std::string, std::less<>> names, joint_names;
  for (BodyDescription& body : bodies_) {
    if (body.name.empty()) reject("name of a body", "a text that is not empty", "''");
    if (body.name == kEnvironment)
      reject("name of a body", "a name other than 'environment'", "'environment'");
    if (!names.insert(body.name).second) {
      reject("bodies", "unique names", "two with the name '" + body.name + "'");
    }
    if (!joint_names.insert(joint_name(body)).second) {
      reject("joints", "unique names", "two with the name '" + joint_name(body) + "'");
    }
    check_body(body);
    joints_.push_back(with_motion(body));
    rheonomic_ = rheonomic_ || joints_.back()->rheonomic();
    append_names(body, *joints_.back(), coordinates_);
    for (Index k = 0; body.elastic && k < body.elastic->size(); ++k) {
      coordinates_.push_back(body.name + ".q" + std::to_string(k + 1));
    }
  }
  const std::vector<Index> parents = find_parents();
  check_nodes(parents);
  order_links(parents);
}

Index Tree::index(std::string_view name) const {
  if (name == kEnvironment) return -1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return static_cast<Index>(i);
  }
  reject("body", "the name of a body or 'environment'", "'" + std::string(name) + "'");
}

std::vector<Index> Tree::find_parents() const {
  std::unordered_map<std::string_view, Index> numbers{{kEnvironment, -1}};
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    numbers.emplace(bodies_[i].name, static_cast<Index>(i));
  }
  std::vector<Index> parents;
  for (const BodyDescription& body : bodies_) {
    const auto found = numbers.find(body.parent);
    if (found == numbers.end()) {
      reject("body '" + body.name + "': parent", "the name of a body or 'environment'",
             "'" + body.parent + "'");
    }
    parents.push_back(found->second);
  }
  check_ways(parents);
  return parents;
}

// Follow the path from each body until it meets a body of an earlier path.
void Tree::check_ways(const std::vector<Index>& parents) const {
  std::vector<std::size_t> walk(bodies_.size(),
                                0);  // path through each body; 0: none
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Index p = static_cast<Index>(i);
    while (p >= 0 && walk[static_cast<std::size_t>(p)] == 0) {
      walk[static_cast<std::size_t>(p)] = i + 1;
      p = parents[static_cast<std::size_t>(p)];
    }
    if (p < 0 || walk[static_cast<std::size_t>(p)] != i + 1) continue;
    Index first = p;
    for (Index k = parents[static_cast<std::size_t>(p)]; k != p;) {
      first = std::min(first, k);
      k = parents[static_cast<std::size_t>(k)];
    }
    p = first;
    std::string way = bodies_[static_cast<std::size_t>(first)].name;
    do {
      p = parents[static_cast<std::size_t>(p)];
      way += " -> " + bodies_[static_cast<std::size_t>(p)].name;
    } while (p != first);
    reject("body '" + bodies_[static_cast<std::size_t>(first)].name + "': parent",
           "a path that ends at the environment", "the loop " + way);
  }
}

void Tree::check_nodes(const std::vector<Index>& parents) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_[i].node) continue;
    const std::string where = "body '" + bodies_[i].name + "': ";
    const Index parent = parents[i];
    if (parent < 0 || !bodies_[static_cast<std::size_t>(parent)].elastic) {
      reject(where + "parent", "an elastic body, as for every node", "'" + bodies_[i].parent + "'");
    }
    const Index n = bodies_[static_cast<std::size_t>(parent)].elastic->size();
    check_node(where, *bodies_[i].node, n);
  }
}

void Tree::order_links(const std::vector<Index>& parents) {
  const auto n = static_cast<Index>(bodies_.size());
  std::vector<Index> first_u(bodies_.size()), first_q(bodies_.size());
  Index nq = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    first_q[i] = nq;
    first_u[i] = nu_;
    const Index n_el = bodies_[i].elastic ? bodies_[i].elastic->size() : 0;
    nq += joints_[i]->nq() + n_el;
    nu_ += joints_[i]->nu() + n_el;
  }
  // Depth first with a stack. Children are pushed in reverse so that they follow the user's order.
  std::vector<Index> stack;
  std::vector<std::vector<Index>> children(bodies_.size() + 1);  // the environment's are last
  const auto children_of = [&](Index body) -> std::vector<Index>& {
    return body < 0 ? children.back() : children[static_cast<std::size_t>(body)];
  };
  for (Index i = n - 1; i >= 0; --i) children_of(parents[static_cast<std::size_t>(i)]).push_back(i);
  const auto push_children = [&](Index body) {
    stack.insert(stack.end(), children_of(body).begin(), children_of(body).end());
  };
  place_.assign(bodies_.size(), -1);
  push_children(-1);
  while (!stack.empty()) {
    const Index body = stack.back();
    const auto b = static_cast<std::size_t>(body);
    stack.pop_back();
    push_children(body);
    place_[b] = static_cast<Index>(links_.size());
    Link link;
    const Index parent = parents[b];
    link.parent = parent < 0 ? -1 : place_[static_cast<std::size_t>(parent)];
    link.joint = joints_[b].get();
    link.nu = link.joint->nu();
    link.first_u = static_cast<Index>(user_u_.size());
    link.first_q = first_q[b];
    link.first_u_user = first_u[b];
    link.n_el = bodies_[b].elastic ? bodies_[b].elastic->size() : 0;
    for (Index k = 0; k < link.velocities(); ++k) {
      same_order_ = same_order_ && link.first_u_user == link.first_u;
      user_u_.push_back(link.first_u_user + k);
    }
    fill_link(link, bodies_[b]);
    links_.push_back(link);
  }
  for (Index j = n - 1; j >= 0; --j) {
    Link& link = links_[static_cast<std::size_t>(j)];
    link.end_u = std::max(link.end_u, link.first_u + link.velocities());
    if (link.parent < 0) continue;
    Link& parent = links_[static_cast<std::size_t>(link.parent)];
    link.last_sibling = !parent.has_children;
    parent.has_children = true;
    parent.end_u = std::max(parent.end_u, link.end_u);
  }
}

void Tree::fill_link(Link& link, const BodyDescription& body) {
  Matrix3 turn = Matrix3::Identity();
  if (const auto* revolute = dynamic_cast<const RevoluteJoint*>(link.joint)) {
    link.kind = JointKind::Revolute;
    turn = rotation_to(revolute->axis());
  } else if (const auto* prismatic = dynamic_cast<const PrismaticJoint*>(link.joint)) {
    link.kind = JointKind::Prismatic;
    turn = rotation_to(prismatic->axis());
  }
  link.frame = {body.body_frame.r, body.body_frame.A * turn};
  const Frame F{body.parent_frame.r, body.parent_frame.A * turn};
  link.parent_frame =
      link.parent < 0 ? F : relative(links_[static_cast<std::size_t>(link.parent)].frame, F);
  link.mass = body.mass;
  const Vector3 center = link.frame.A.transpose() * (body.center - link.frame.r);
  link.moment = body.mass * center;
  const Matrix3 c = skew(center);
  link.inertia = link.frame.A.transpose() * body.inertia * link.frame.A - body.mass * c * c;
  fill_elastic(link, body);
}

void Tree::fill_elastic(Link& link, const BodyDescription& body) {
  if (body.elastic) {
    link.elastic = static_cast<Index>(elastic_sizes_.size());
    link.first_q_el = link.first_q + link.joint->nq();
    link.flexible = std::make_shared<ElasticLink>(*body.elastic, link.frame);
    elastic_sizes_.push_back(link.n_el);
  }
  if (body.node) {
    const Link& parent = links_[static_cast<std::size_t>(link.parent)];
    link.kind = JointKind::Node;
    link.section = std::make_shared<ElasticNode>(body.node->seen_from(parent.frame));
    link.node = nodes_++;
    link.first_column = node_columns_;
    node_columns_ += parent.n_el;
  }
}

bool Tree::has_plain_rates() const {
  return std::all_of(links_.begin(), links_.end(), [](const Link& link) {
    return link.first_q == link.first_u_user && link.joint->has_plain_rates();
  });
}

void Tree::coordinate_rates(const ConstVectorRef& q, const ConstVectorRef& u,
                            VectorRef qdot) const {
  for (const Link& link : links_) {
    link.joint->coordinate_rates(q.data() + link.first_q, u.data() + link.first_u_user,
                                 qdot.data() + link.first_q);
    std::copy_n(u.data() + link.first_el_user(), link.n_el, qdot.data() + link.first_q_el);
  }
}

bool Tree::normalise(VectorRef q) const {
  bool changed = false;
  for (const Link& link : links_) {
    changed = link.joint->normalise(q.data() + link.first_q) || changed;
  }
  return changed;
}

Vector Tree::reference() const {
  Vector q(nq());
  for (const Link& link : links_) {
    link.joint->reference(q.data() + link.first_q);
    q.segment(link.first_q_el, link.n_el).setZero();
  }
  return q;
}

}  // namespace nsmb
