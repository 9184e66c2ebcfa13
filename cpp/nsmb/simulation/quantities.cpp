// Every kind of watched quantity, and the order in which they are listed.
#include <algorithm>
#include <array>
#include <cmath>

#include "nsmb/simulation/instant_resolution.hpp"
#include "nsmb/simulation/instant_states.hpp"
#include "nsmb/simulation/instant_workspace.hpp"
#include "nsmb/simulation/quantity.hpp"
#include "nsmb/simulation/tolerances.hpp"

namespace nsmb {

namespace {

using namespace tolerances;

using Indicators = std::vector<Indicator>;

bool has_point(const PhaseStart& s, Index i) {
  return s.work.mechanics.system().feature_search() && s.work.rows.is_unilateral(i);
}

bool is_used(const PhaseStart& s, Index i) {
  return s.work.mechanics.contacts.features.slots[at(i)].used();
}

double length_of(const PhaseStart& s, Index i) {
  return s.work.mechanics.system().feature_search()->length_of(i);
}

// A contact without a point on its features is not watched as a contact.
bool is_contact(const PhaseStart& s, Index i) {
  return !has_point(s, i) || (is_used(s, i) && s.work.mechanics.contacts.is_valid(i));
}

bool is_closed_at(const PhaseStart& s, Index i) {
  return is_contact(s, i) && is_closed(s.work.roles[at(i)].state);
}

// Return true if the tangential state is watched. A planar contact that cannot stick always slips.
bool has_tangential_state(const PhaseStart& s, Index i) {
  return is_closed_at(s, i) && (s.work.rows.dim(i) == 1 || s.work.mechanics.can_stick(i));
}

// Margin of the candidate search: positive while the candidates are certainly complete.
class Margin final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    if (has_point(s, i) && std::isfinite(s.work.mechanics.contacts.margin(i))) {
      out.push_back({this, i});
    }
  }
  double value(const Indicator& i, const Observation& o) const override {
    return o.margin(i.contact);
  }
  Place place() const override { return Place::Near; }
  void tell(const Indicator&, Triggers& triggers) const override { triggers.features = true; }
  bool only_searches() const override { return true; }
};

// Distance of the contact point from the end of its features, negative beyond it.
class Domain final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const ContactKinematics& contacts = s.work.mechanics.contacts;
    if (!has_point(s, i) || !is_used(s, i) || !std::isfinite(contacts.domain(i))) return;
    const bool valid = contacts.is_valid(i);
    const bool closed = is_closed(s.work.roles[at(i)].state);
    out.push_back({this, i, valid ? 1.0 : -1.0, offset(s, i, valid, closed)});
  }
  double value(const Indicator& i, const Observation& o) const override {
    return i.offset + i.sign * o.domain(i.contact);
  }
  void tell(const Indicator&, Triggers& triggers) const override { triggers.features = true; }

 private:
  // Return the distance at which the end of the features counts. A contact that was rejected at a
  // corner is checked again where its point lies clearly within the features.
  static double offset(const PhaseStart& s, Index i, bool valid, bool closed) {
    const double domain = s.work.mechanics.contacts.domain(i), length = length_of(s, i);
    const double coming = features::kComing * length, overrun = features::kOverrun * length;
    if (valid) return closed ? overrun : 2.0 * coming;
    return domain > -coming ? 2.0 * std::max(domain, 0.0) + overrun : 0.0;
  }
};

// Gap g_N of an open contact whose point lies beyond its features. Where the gap vanishes the point
// may be within them.
class Approach final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const ContactKinematics& contacts = s.work.mechanics.contacts;
    if (!has_point(s, i) || !is_used(s, i) || contacts.is_valid(i)) return;
    // At a corner a point may lie within its features only while it passes.
    if (contacts.g_N(i) > features::kApart * length_of(s, i)) out.push_back({this, i});
  }
  double value(const Indicator& i, const Observation& o) const override {
    return o.approach(i.contact);
  }
  bool slope(const Indicator& i, const Observation& o, double& slope) const override {
    slope = o.contacts(i.contact, kGammaN);
    return true;
  }
  bool may_pass_beside() const override { return true; }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, Trigger::Closes);
  }
};

// Gap g_N of an open contact.
class Gap final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    if (!s.work.rows.is_unilateral(i)) return;
    if (is_contact(s, i) && !is_closed(s.work.roles[at(i)].state)) out.push_back({this, i});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    const Index i = indicator.contact;
    const double acceleration = s.resolution.acceleration(i);
    indicator.noise = acceleration;
    if (!(s.work.mechanics.contacts.g_N(i) <= s.work.options.gap_tolerance)) return;
    const bool accelerates = s.work.forces.gammadot_N(i) > acceleration;
    indicator.zeros = s.work.mechanics.gamma_N(i) > s.resolution.velocity(i) ? 1
                      : accelerates                                          ? 2
                                                                             : 3;
  }
  Weights weights(const Indicator&) const override { return Weights::Unit(kGap); }
  bool slope(const Indicator& i, const Observation& o, double& slope) const override {
    slope = o.contacts(i.contact, kGammaN);
    return true;
  }
  Measure measure() const override { return Measure::Gap; }
  double negligible(const Indicator&, const TransitionOptions& options, bool) const override {
    return options.gap_tolerance;
  }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, Trigger::Closes);
  }
};

class Force : public Quantity {
 public:
  Measure measure() const override { return Measure::Force; }
  double negligible(const Indicator& i, const TransitionOptions&, bool with_forces) const override {
    return with_forces ? watching::kForceBeyond * i.noise : std::numeric_limits<double>::infinity();
  }
};

// Normal force λ_N of a closed contact.
class NormalForce final : public Force {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const bool known = s.work.roles[at(i)].normal_force && !s.work.roles.ask_law;
    if (is_closed_at(s, i) && known) out.push_back({this, i});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    indicator.noise = s.resolution.force(indicator.contact);
    if (s.work.forces.lambda_N(indicator.contact) <= indicator.noise) indicator.zeros = 1;
  }
  Weights weights(const Indicator&) const override { return Weights::Unit(kLambdaN); }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, Trigger::Detaches);
  }
};

// Slip velocity ±γ_T of a sliding contact.
class SlipVelocity final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const ContactState state = s.work.roles[at(i)].state;
    if (!has_tangential_state(s, i) || !is_slip_state(state)) return;
    out.push_back({this, i, s.work.rows.dim(i) > 1 ? 1.0 : slip_sign(state)});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    indicator.noise = s.resolution.slip(indicator.contact);
    if (starts_from_rest(indicator, s)) indicator.zeros = order_of_slip(indicator.contact, s);
  }
  Weights weights(const Indicator& i) const override { return i.sign * Weights::Unit(kGammaT); }
  bool slope(const Indicator& i, const Observation& o, double& slope) const override {
    slope = i.sign * o.contacts(i.contact, kGammaDotT);
    return true;
  }
  Measure measure() const override { return Measure::Slip; }
  double negligible(const Indicator&, const TransitionOptions& options, bool) const override {
    return options.rest_velocity;
  }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, Trigger::Sticks);
  }

 private:
  static bool is_slip_state(ContactState state) { return nsmb::is_slip(state); }

  // Return the order of the zero of γ_T at the onset of slip. At the friction limit slip starts
  // without acceleration, within the accuracy of the limit. In a plane, each slip that ended at
  // once raises the order.
  static Index order_of_slip(Index i, const PhaseStart& s) {
    const InstantMemory& memory = s.work.memory;
    if (memory.insists[at(i)]) return 3;
    double zero = s.resolution.slip_acceleration(i);
    if (memory.left_limit[at(i)]) {
      const Index row = s.work.rows.row(i);
      const double inaccuracy = resolutions::kAtLimit * s.work.forces.radius(i);
      zero = std::max(zero, inaccuracy * s.work.mechanics.delassus.G(row, row));
    }
    const Index order = std::abs(s.work.gammadot_T(i)) > zero ? 1 : 2;
    return std::min<Index>(3, order + memory.restarts[at(i)]);
  }

  // Return true if γ_T is zero at the start of a phase with slip. Clear slip in its direction does
  // not count, since its zero would be displaced. Such slip occurs where the rest of a contact
  // without friction ends, or the phase of another contact.
  static bool starts_from_rest(const Indicator& indicator, const PhaseStart& s) {
    const Index i = indicator.contact;
    if (s.work.memory.from_rest[at(i)]) return true;
    const double slip = s.work.mechanics.slip(i), zero = s.resolution.slip(i);
    const bool in_plane = s.work.rows.dim(i) > 1;
    return std::abs(slip) <= zero && (in_plane || indicator.sign * slip <= 0.5 * zero);
  }
};

// Slip velocity of a contact at rest that friction cannot hold, tolerance ∓ γ_T.
class RestVelocity final : public Quantity {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const bool slips = nsmb::is_slip(s.work.roles[at(i)].state);
    if (!has_tangential_state(s, i) || slips || s.work.mechanics.can_stick(i)) return;
    const Index row = s.work.rows.row(i);
    const bool moves = s.work.mechanics.delassus.G(row, row) > 0.0;
    if (!moves && s.work.mechanics.is_frictionless(i)) return;
    out.push_back({this, i, 1.0});
    out.push_back({this, i, -1.0});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    indicator.offset = s.resolution.slip(indicator.contact);
  }
  Weights weights(const Indicator& i) const override { return -i.sign * Weights::Unit(kGammaT); }
  bool slope(const Indicator& i, const Observation& o, double& slope) const override {
    slope = -i.sign * o.contacts(i.contact, kGammaDotT);
    return true;
  }
  Measure measure() const override { return Measure::RestVelocity; }
  double negligible(const Indicator&, const TransitionOptions& options, bool) const override {
    return options.rest_velocity;
  }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, Trigger::None);
  }
};

// Friction reserve of a sticking contact, β + μ λ_N ∓ λ_T. At zero, slip starts against the force.
class Reserve final : public Force {
 public:
  void list(const PhaseStart& s, Index i, Indicators& out) const override {
    const FrozenRole& role = s.work.roles[at(i)];
    const bool sticks =
        has_tangential_state(s, i) && !nsmb::is_slip(role.state) && s.work.mechanics.can_stick(i);
    if (!sticks || !role.tangential_force[0] || s.work.roles.ask_law) return;
    out.push_back({this, i, 1.0});
    out.push_back({this, i, -1.0});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    const Index i = indicator.contact, row = s.work.rows.row(i);
    const double bound = s.work.forces.radius(i), force = s.resolution.force(i);
    indicator.noise = s.work.mechanics.mu(i) * force +
                      s.resolution.acceleration(row) / s.work.mechanics.delassus.G(row, row);
    const double reserve = bound - indicator.sign * s.work.forces.lambda_T(s.work.rows.tangent(i));
    if (reserve <= resolutions::kAtLimit * bound + force) indicator.zeros = 1;
  }
  Weights weights(const Indicator& i) const override {
    Weights w = Weights::Unit(kRadius);
    w(kLambdaT) = -i.sign;
    return w;
  }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.tell(i.contact, i.sign > 0.0 ? Trigger::SlipsNegative : Trigger::SlipsPositive);
  }
};

// Switch function of a force element.
class Switch final : public Quantity {
 public:
  void list(const PhaseStart&, Index e, Indicators& out) const override {
    out.push_back({this, e});
  }
  void prepare(Indicator& indicator, const PhaseStart& s) const override {
    // The switch function is zero up to rounding after a switch. A wall that was just left has the
    // velocity of the mass unless an impact changed it, (3.23).
    const Index i = indicator.contact;
    const Mechanics& mechanics = s.work.mechanics;
    indicator.offset = watching::kSwitchRounding * s.resolution.switch_function(i);
    const bool switched = s.work.memory.switched[at(i)];
    if (!switched || mechanics.elements.switch_value(i) > indicator.offset) return;
    const bool wall = has_wall(mechanics.system().elements()[at(i)].law);
    const bool opens = mechanics.elements.modes[at(i)] == ElementMode::Open;
    const Index place = mechanics.system().wall(i);
    const double speed = mechanics.elements.speed(i);
    const bool together =
        wall && opens && !s.work.had_impact &&
        std::abs(speed - mechanics.xdot(place)) <= watching::kMovesWithWall * std::abs(speed);
    indicator.zeros = together ? 2 : 1;
  }
  double value(const Indicator& i, const Observation& o) const override {
    return i.offset + o.element_switch(i.contact);
  }
  void tell(const Indicator& i, Triggers& triggers) const override {
    triggers.switches[at(i.contact)] = true;
  }
  bool is_of_element() const override { return true; }
};

// Validity of the frozen state: negative where the law no longer gives it.
class Law final : public Quantity {
 public:
  void list(const PhaseStart& s, Index, Indicators& out) const override {
    if (s.work.roles.ask_law) out.push_back({this, -1});
  }
  Place place() const override { return Place::EndOfLaw; }
  double value(const Indicator&, const Observation& o) const override {
    return o.lasts ? 1.0 : -1.0;
  }
  void tell(const Indicator&, Triggers&) const override {}
  bool is_differentiable() const override { return false; }
};

// Regularity of the frozen equations, which sliding friction may make singular (5.3).
class Regularity final : public Quantity {
 public:
  void list(const PhaseStart& s, Index, Indicators& out) const override {
    const FrozenRoles& roles = s.work.roles;
    bool slides = false;
    for (std::size_t c = 0; c < roles.size(); ++c) {
      const bool pressed = s.work.rows.normal_of(static_cast<Index>(c)) >= 0;
      slides = slides || (roles[c].at_bound && pressed);
    }
    if (slides && !roles.law_forces) out.push_back({this, -1});
  }
  double value(const Indicator&, const Observation& o) const override {
    return o.regularity - watching::kSingularMotion;
  }
  bool is_of_matrices() const override { return true; }
  void tell(const Indicator&, Triggers& triggers) const override { triggers.jams = true; }
  bool is_differentiable() const override { return false; }
};

const Margin kMargin;
const Domain kDomain;
const Approach kApproach;
const Gap kGapQuantity;
const NormalForce kNormalForce;
const SlipVelocity kSlipVelocity;
const RestVelocity kRestVelocity;
const Reserve kReserve;
const Switch kSwitch;
const Law kLaw;
const Regularity kRegularity;

const std::array<const Quantity*, 8> kOfContacts = {&kMargin,       &kDomain,      &kApproach,
                                                    &kGapQuantity,  &kNormalForce, &kSlipVelocity,
                                                    &kRestVelocity, &kReserve};
const std::array<const Quantity*, 1> kOfElements = {&kSwitch};
const std::array<const Quantity*, 2> kOfTheSystem = {&kLaw, &kRegularity};

}  // namespace

const Quantity& gap_quantity() { return kGapQuantity; }

void list_indicators(const PhaseStart& start, std::vector<Indicator>& indicators) {
  indicators.clear();
  for (Index i = 0; i < start.work.rows.nc; ++i) {
    for (const Quantity* quantity : kOfContacts) quantity->list(start, i, indicators);
  }
  for (Index e = 0; e < start.work.mechanics.system().ne(); ++e) {
    for (const Quantity* quantity : kOfElements) quantity->list(start, e, indicators);
  }
  for (const Quantity* quantity : kOfTheSystem) quantity->list(start, -1, indicators);
  for (Indicator& indicator : indicators) indicator.quantity->prepare(indicator, start);
}

}  // namespace nsmb
