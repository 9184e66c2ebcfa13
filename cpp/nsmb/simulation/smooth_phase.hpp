// Phases of any system: integrated numerically, watched through polynomials on every step.
#pragma once

#include <Eigen/LU>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/simulation/phase.hpp"
#include "nsmb/simulation/stall_watch.hpp"
#include "nsmb/system/jacobians.hpp"

namespace nsmb {

class SmoothPhase final : public Phase, private OdeProblem {
 public:
  SmoothPhase(const System& system, std::string_view method, const IntegratorOptions& options,
              const FrictionOptions& friction, double rest_velocity);

  void reset() override;
  void enter(const FrozenRoles& roles, const ElementModes& modes, double t, VectorRef y) override;
  void set_span(const Discontinuity& from, const Discontinuity& to) override {
    mechanics_.set_span(TimeSpan(from, to));
  }
  void set_inputs(const ConstVectorRef& values) override { mechanics_.set_inputs(values); }
  void set_features(const ContactFeatures& features) override {
    mechanics_.contacts.features = features;
  }
  const ContactFeatures* features() const override { return &mechanics_.contacts.features; }
  StepStatus step(double t_stop) override;
  double jump() const override { return jump_; }
  StepStatus end_before_jump() override;
  StepStatus locate(const Indicator& indicator, double s_guess) override;
  double touch_tolerance(const Indicator& indicator) const override;
  double end_value(const Indicator& indicator, double sum) const override;
  StepStatus cut(double s) override;
  void state_at(double s, VectorRef y) override;
  StepStatus cut_at_zero(const TimedFunction& f, double s) override;
  void mark_rest(std::vector<bool>& contacts) override;
  bool slips_on(Index contact) const override;
  bool jams() override;
  void rest_speeds(double t, const ConstVectorRef& y, VectorRef speeds) override;
  void observe(double t, const ConstVectorRef& y, Observation& observation) override;
  void expand(const std::vector<Indicator>& indicators, bool starts, Matrix& coefficients) override;
  bool expand_friction_power(Matrix& power) override;
  bool expand_drive_power(VectorRef power) override;
  double domain_at(double s, Index contact) override;
  const Matrix& series() override;
  Index series_degree() const override { return kNodes; }
  double t() const override { return t_; }
  const Vector& y() const override { return y_; }
  double duration() const override { return duration_; }
  const Integrator& integrator() const override { return *integrator_; }
  std::string trouble(StepStatus status) const override;
  bool knows_remedy(StepStatus status) const override {
    return status == StepStatus::StandsStill && stall_.component() >= 0;
  }
  void freeze(const FrozenRoles& roles, const ElementModes& modes) override;
  void adopt(const Phase& other) override;
  bool recalls() const override;
  void rate(double t, const ConstVectorRef& y, VectorRef ydot) override { rhs(t, y, ydot); }
  bool rate_jacobian(double t, const ConstVectorRef& y, MatrixRef J) override {
    return jacobian(t, y, J);
  }

  /// Degree of the polynomials the indicators are watched through.
  static constexpr Index kNodes = 8;
  static constexpr Index kMaxDegree = kNodes + 2;
  // Constraints of which less than this part of the largest one is left amplify what stages of a
  // step miss them by.
  static constexpr double kNearlyDependent = 0.25;

 private:
  // A_R of (5.15) and its factors, one per number of constraint rows.
  struct LinearSolver {
    explicit LinearSolver(Index n) : A(n, n), right(n), lambda(n), lu(n) {}
    void solve();       // A lambda = right
    void substitute();  // the same with A as it was
    Matrix A;
    Vector right, lambda;
    Eigen::PartialPivLU<Matrix> lu;
  };

  Index dimension() const override { return mechanics_.system().ny(); }
  void rhs(double t, const ConstVectorRef& y, VectorRef ydot) override;
  bool jacobian(double t, const ConstVectorRef& y, MatrixRef dfdy) override;
  bool project(double t, VectorRef y) override;
  bool project_velocities(double t, const std::vector<Index>& rows, VectorRef y);
  bool project_walls(double t, VectorRef y);
  void observe_gaps(double t, const ConstVectorRef& y, Observation& observation);
  bool shows_gaps_only() const;
  void look(double t, const ConstVectorRef& y, Observation& observation);
  const Vector& on_constraints(double t, const ConstVectorRef& y);

  LinearSolver& solver_of(std::size_t n);
  LinearSolver& frozen_solver();
  void solve_rows(const std::vector<Index>& rows, LinearSolver& solver);
  void correct_rows(const std::vector<Index>& rows, const Vector& value_N, const Vector& value_T);
  double largest_of(const std::vector<Index>& rows, const Vector& value_N,
                    const Vector& value_T) const;
  void solve_forces();  // λ and u̇ at the last update of mechanics_
  void list_rows();
  void renew_rows();
  bool project_positions(double t, VectorRef y);
  double short_time(double energy) const;
  double node_state(Index node, VectorRef y) const;
  StepStatus resolve(StepStatus status);
  void sample();
  bool is_resolved();
  void measure_noise();
  void largest_change(Index node, double direction, Matrix& change);
  bool features_are_resolved(Index check) const;
  bool is_looked_at(Index contact, Observable observable) const;
  double noise(Index contact, Observable observable) const;
  double element_noise(Index element) const;
  bool is_watched_function(const Indicator& indicator) const;
  template <typename Sample>
  bool agrees(Index check, double motion, double floor, bool is_gap, const Sample& sample) const;
  StepStatus end_at(double t);
  StepStatus go_to(double dt);
  double slope_at_end(const Indicator& indicator, double f, double dt);
  void small_step(double h);
  double resolution(Index contact, bool velocity) const;
  double rounding(Index contact) const;
  double slip_resolution(Index contact) const;
  bool is_watched_in_plane(const Indicator& indicator) const;
  double watched_value(const Indicator& indicator, const Observation& observation) const;
  // Jumps nobody told of: smooth_phase_jump.cpp.
  bool find_jump();
  // Slip in a plane, and states the law is asked about: smooth_phase_plane.cpp.
  void update_slip_directions();
  void observe_slip(Index contact, Observation& observation) const;
  void ask_law(bool warm);
  bool law_gives_state() const;
  bool law_moves_alike();
  bool law_lasts(const ConstVectorRef& u);
  double find_end_of_law();
  void arm_slips();
  void keep_slow_directions();
  void remember_rounding(double t, const ConstVectorRef& y);
  StepStatus locate_rest(const Indicator& indicator, double s_guess);
  void come_to_rest(const Indicator& indicator, double longest);
  bool is_straight_slip(Index contact) const;
  double side_of(Index contact, Index node, const Observation& observation) const;
  void follow_sides();
  bool is_noise(const Indicator& indicator, bool at_zero) const;
  void fit(const Indicator& indicator, VectorRef c);
  void fit_behind_zero(const Indicator& indicator, Index zeros, VectorRef c);
  void restrict_to_closed();
  // Tolerances, and words for what went wrong: smooth_phase_scale.cpp.
  void measure_scale(double t, const ConstVectorRef& y);
  void measure_rest(double t, const ConstVectorRef& y);
  void allow_for_projection();
  void follow_scale();
  std::string name_of(Index component) const;
  Index lost_contact() const;

  // ∂ẏ/∂y of systems that know their derivatives: smooth_phase_jacobian.cpp.
  struct Derivatives {
    explicit Derivatives(const System& system);
    GivenForces forces;
    Jacobians system;
    Vector udot, w_bar_B, lambda_N, lambda_T;  // changes along one column
  };
  bool knows_jacobian() const;
  std::unique_ptr<Derivatives> derivatives_;

  Mechanics mechanics_;
  const ContactRows& contact_rows_;
  FrozenRoles roles_;
  bool is_open_ = false;    // all contacts are
  bool flies_ = false;      // no force depends on them
  bool gaps_only_ = false;  // is what the last step is watched for
  double entered_ = 0.0;    // when the phase began
  std::vector<Index> rows_, normal_rows_, unknowns_;
  std::vector<bool> closed_;  // (nc)
  ContactFeatures features_;  // at the start of the step
  std::map<Index, LinearSolver> solvers_, frozen_solvers_;
  bool factors_last_ = false;   // those of the frozen equations, as long as their rows do
  bool knows_factors_ = false;  // and they have been found
  Vector lambda_N_, lambda_T_, udot_;
  std::unique_ptr<Integrator> integrator_;
  std::string method_;
  IntegratorOptions options_;
  bool scaled_tolerance_;
  double largest_energy_ = 0.0;  // J, kinetic, so far
  double rest_energy_ = 0.0;     // J, what the forces make of rest
  Vector size_;                  // (ny) largest values so far
  Vector state_rate_;            // (nx) largest rates of the internal states near rest
  Vector scale_, atol_;          // (ny)
  StallWatch stall_;
  std::string no_value_;  // why the system had no value at a trial step

  // Samples of the last step: at its start and at the nodes.
  Vector nodes_;                      // (kNodes) in (0, 1]
  Matrix from_nodes_;                 // values at nodes -> power series of degree kNodes - 1
  std::vector<Observation> samples_;  // kNodes + 1 of them
  Matrix sampled_y_;                  // (dim, kNodes + 1)
  Matrix series_;                     // (dim, kNodes + 1)
  Matrix node_slopes_;                // (dim, kNodes)
  // Two points at which the polynomials are compared with the motion.
  static constexpr Index kChecks = 2;
  // Samples before them.
  static constexpr Index node_before(Index check) { return 3 + 2 * check; }
  Eigen::Matrix<double, kChecks, 1> checks_;
  Eigen::Matrix<double, kChecks, kNodes + 1> check_weights_;
  Observation check_sample_;
  Matrix rounding_;  // (nc, kObservables) what rounding was seen to make, zero: not looked for
  Matrix change_, end_change_;  // likewise, of the step
  Vector fit_, fitted_, indicator_series_, correction_, q_step_, y_scratch_;
  Vector y_on_;                 // on the bilateral constraints
  bool near_singular_ = false;  // some are nearly dependent on this step
  double t_ = 0.0;              // end of the last step or location
  double duration_ = 0.0;       // of the last step or location, s
  double whole_ = 0.0;          // of the last step, whatever locations have left of it
  double t_stop_ = 0.0;
  bool tiny_ = false;  // the location is too close to t_old for the integrator
  Vector y_, y_end_;
  Matrix small_step_slopes_;  // (dim, 4)
  bool sampled_ = false;
  Index unresolved_contact_ = -1;  // and what of it no polynomial describes; -1: something else
  Observable unresolved_ = kGap;
  double jump_ = std::numeric_limits<double>::infinity();  // on the last step
  bool phase_starts_ = false;                           // the last step is the first of the phase
  double determinant_ = 1.0, first_determinant_ = 0.0;  // of the frozen equations

  // Slip in a plane.
  double rest_velocity_;        // m/s, TransitionOptions
  double layer_ = 0.0;          // m/s: below it slip keeps the direction in which it began
  std::vector<bool> in_layer_;  // (nc)
  std::vector<bool> armed_;     // (nc) speed has been seen clearly above zero
  // (nc, kNodes + 1) -1: slip has turned round since the start of the step, through zero.
  Matrix sides_;
  Vector rest_friction_;  // (nt) friction at the start of the phase

  // States the law is asked about.
  ContactSolver law_solver_;
  RowSelection selection_;
  AccelerationResult law_;
  std::vector<ContactRole> law_roles_;
  bool law_is_warm_ = false;
  bool is_dependent_ = false;  // the frozen equations do not give the force of each contact
  Vector last_N_, last_T_;     // forces of the law where the state was last seen to last
};

}  // namespace nsmb
