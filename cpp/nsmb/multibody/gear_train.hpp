// Gears in mesh as a force element, with rigid teeth or with teeth that deflect along the
// circumference.
#pragma once

#include <array>
#include <vector>

#include "nsmb/multibody/force_element.hpp"
#include "nsmb/multibody/gear_mesh.hpp"

namespace nsmb {

/// Model of the teeth.
enum class Teeth {
  Rigid,
  Static,    // each pair in series with two springs
  Relaxing,  // massless on spring and damper: one state each
  Dynamic    // (7.18): two states each
};

/// A pair of teeth in contact.
struct GearContact {
  Index mesh = 0;
  bool is_left = true;
  Index tooth_1 = 0, tooth_2 = 0;
  double xi = 0.0;     // m, along the path of contact from the pitch point
  double delta = 0.0;  // m, normal to the flanks
  double K = 0.0;      // N/m
  double share = 0.0;  // fraction of its load that a pair has taken up on its path
  double F_n = 0.0, F_t = 0.0, energy = 0.0;
  Vector3 point = Vector3::Zero();
  Vector3 force = Vector3::Zero();  // on the second gear
};

/// A force element of gears in mesh.
class GearTrain final : public ForceElement, public ForceSwitches {
 public:
  struct Options {
    Teeth teeth = Teeth::Rigid;
    bool all_teeth = true;  // false: only teeth of each gear near a mesh, the others are rigid
    bool events = true;     // whether flanks that touch or separate cause events
  };
  /// Throws std::invalid_argument for gears and meshes that do not match.
  GearTrain(std::vector<GearWheel> wheels, std::vector<GearMesh> meshes, Options options);

  std::size_t markers() const override { return wheels_.size(); }
  std::size_t joints() const override { return 0; }
  std::vector<std::string> states() const override;
  Vector initial() const override;
  const ForceSwitches* switches() const override { return options_.events ? this : nullptr; }
  std::vector<WatchedFunction> watched() const override;
  void watch(const ForceInput& in, VectorRef values, ForceWorkspace& work) const override;
  std::unique_ptr<ForceWorkspace> make_workspace() const override;
  void evaluate(const ForceInput& in, WrenchSink& out, VectorRef xdot,
                ForceWorkspace& work) const override;
  /// Return the pattern of rates: each tooth by itself, and with every tooth of the partners it may
  /// touch.
  SparsityPattern rate_pattern() const override;
  /// Compute the derivatives for teeth out of mesh, which are springs alone.
  void state_slopes(const ForceInput& in, MatrixRef slopes, std::vector<char>& known,
                    ForceWorkspace& work) const override;
  double energy(const ForceInput& in, ForceWorkspace& work) const override;
  std::string trouble(const ForceInput& in, ForceWorkspace& work) const override;

  /// Return all pairs of teeth that touch, given poses of the gears, states of their teeth, and
  /// modes of all flanks (left and right of each mesh). With empty modes, all pairs that overlap
  /// touch.
  std::vector<GearContact> contacts(std::span<const GearPose> poses, std::span<const double> x,
                                    const Vector& modes) const;

 private:
  /// Teeth with their own states: displacements relative to the gear first, then velocities.
  struct Group {
    Index wheel = 0, first = 0, size = 0;
    std::vector<Index> place;  // of each tooth of the gear
    std::string name;
  };
  struct Tooth;

  bool has_states() const { return options_.teeth >= Teeth::Relaxing; }
  void add_group(Index wheel, Index size, std::string name);
  Tooth tooth(std::size_t mesh, bool second, Index number, const GearPose& pose,
              std::span<const double> x) const;
  /// Call f(contact, tooth of 1, tooth of 2).
  template <typename F>
  void each_contact(std::size_t mesh, bool left, const GearPlace& place,
                    std::span<const GearPose> poses, std::span<const double> x, F&& f) const;
  /// Call f for all flanks with closed(mesh, left). Return false if some gears are in a position
  /// where no mesh is possible.
  template <typename Closed, typename F>
  bool each_touching(std::span<const GearPose> poses, std::span<const double> x, Closed&& closed,
                     F&& f) const;
  template <typename F>
  void each_pair(std::size_t mesh, bool left, const GearPlace& place, F&& f) const;
  void springs(std::span<const GearPose> poses, std::span<const double> x, WrenchSink& out,
               VectorRef xdot) const;

  std::vector<GearWheel> wheels_;
  std::vector<GearMesh> meshes_;
  Options options_;
  std::vector<Group> groups_;
  std::vector<std::array<Index, 2>> group_of_;  // of both gears of each mesh
  Index states_ = 0;
};

}  // namespace nsmb
