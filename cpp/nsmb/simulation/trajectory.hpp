// Record of a run: samples, events, and steps as polynomials.
#pragma once

#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/table.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

/// A table of samples. Both sides of an event are separate samples with the same t.
struct SampleTable : Table {
  explicit SampleTable(const RowSizes& sizes) : Table(sizes) {
    impact_loss.use(false);
    displaced_work.use(false);
    found.use(false);
  }
  Column<double> t{*this, "t", Per::Row};
  Column<double> y{*this, "y", Per::Component};
  Column<double> g_N{*this, "g_N", Per::Contact};
  Column<double> gamma_N{*this, "gamma_N", Per::Contact};
  Column<double> gamma_T{*this, "gamma_T", Per::Tangent};
  Column<double> lambda_N{*this, "lambda_N", Per::Contact};
  Column<double> lambda_T{*this, "lambda_T", Per::Tangent};
  Column<double> friction_loss{*this, "friction_loss", Per::Contact};  // J, since the start
  Column<double> impact_loss{*this, "impact_loss", Per::Row};          // J, likewise; stepped runs
  // J, likewise, of loads on bodies that steps have displaced
  Column<double> displaced_work{*this, "displaced_work", Per::Row};
  Column<double> drive_work{*this, "drive_work", Per::Row};  // J, of moving surfaces, constraints
  Column<std::int8_t> contact_state{*this, "contact_state", Per::Contact};  // ContactState
  Column<double> lambda_B{*this, "lambda_B", Per::Constraint};
  Column<std::int32_t> features{*this, "features", Per::Feature};  // in contact, first and second
  Column<double> element_gamma{*this, "element_gamma", Per::Element};
  Column<double> element_force{*this, "element_force", Per::Element};
  Column<std::int8_t> element_mode{*this, "element_mode", Per::Element};  // ElementMode
  Column<double> inputs{*this, "inputs", Per::Input};
  Column<std::int32_t> found{*this, "found_count", Per::Row};  // rows of the FoundTable
};

struct EventTable : Table {
  using Table::Table;
  Column<double> t{*this, "event_t", Per::Row};
  Column<std::int8_t> kind{*this, "event_kind", Per::Row};               // EventKind
  Column<std::int32_t> user{*this, "event_user", Per::Row};              // index of the event, or
                                                                         // -1
  Column<std::uint8_t> contacts{*this, "event_contacts", Per::Contact};  // 0 or 1
  Column<std::uint8_t> elements{*this, "event_elements", Per::Element};  // 0 or 1
  Column<double> q{*this, "event_q", Per::Coordinate};
  Column<double> u_minus{*this, "event_u_minus", Per::Velocity};
  Column<double> u_plus{*this, "event_u_plus", Per::Velocity};
  Column<double> x{*this, "event_x", Per::State};
  Column<double> Lambda_N{*this, "event_Lambda_N", Per::Contact};
  Column<double> Lambda_T{*this, "event_Lambda_T", Per::Tangent};
  Column<double> Lambda_NC{*this, "event_Lambda_NC", Per::Contact};  // at the end of compression
  Column<double> Lambda_TC{*this, "event_Lambda_TC", Per::Tangent};
  Column<std::int8_t> state_minus{*this, "event_state_minus", Per::Contact};
  Column<std::int8_t> state_plus{*this, "event_state_plus", Per::Contact};
  Column<std::int32_t> features{*this, "event_features", Per::Feature};
  Column<double> energy_loss{*this, "event_energy_loss", Per::Row};            // J
  Column<double> compression_loss{*this, "event_compression_loss", Per::Row};  // J
  Column<double> drive_work{*this, "event_drive_work", Per::Row};  // J, of moving surfaces
  Column<double> work_N{*this, "event_work_N", Per::Contact};      // J, of the impulses
  Column<double> work_T{*this, "event_work_T", Per::Contact};
  Column<double> friction_loss{*this, "event_friction_loss", Per::Contact};  // J, since the start
};

/// A table of steps as polynomials y(t) = Σ_k c_k sᵏ, s = (t - t_start)/(t_end - t_start). The
/// coefficients of a step are columns. They start at `offset` in all `coefficients` of the run,
/// including those that were dropped.
struct StepTable : Table {
  explicit StepTable(const RowSizes& sizes) : Table(sizes) {
    part.use(false);
    use_solver_columns(false);
    use_log(false);
  }
  Column<double> start{*this, "step_start", Per::Row};
  Column<double> end{*this, "step_end", Per::Row};
  Column<std::int64_t> offset{*this, "step_offset", Per::Row};
  Column<std::int32_t> degree{*this, "step_degree", Per::Row};
  Column<std::int8_t> state{*this, "step_state", Per::Contact};
  Column<std::int8_t> mode{*this, "step_mode", Per::Element};  // ElementMode during the step
  Column<std::int32_t> part{*this, "step_part", Per::Row};  // number of its part in a divided run
  // Result of the contact problem of the step, in stepped runs.
  Column<double> residual{*this, "step_residual", Per::Row};   // relative to the largest velocity
  Column<std::int8_t> status{*this, "step_status", Per::Row};  // StepVerdict
  Column<std::int32_t> iterations{*this, "step_iterations", Per::Row};
  // On request.
  Column<std::int8_t> order{*this, "step_order", Per::Row};  // of the integrator; 0: none
  Column<double> seconds{*this, "step_seconds", Per::Row};   // processor time since the last step
  Column<double> coefficients{*this, "coefficients", Per::Series};

  void use_solver_columns(bool used);
  void use_log(bool used);
  void add_log(int order, double seconds);
  void add(double from, double to, const ConstMatrixRef& series, Index power, Index rows);
  /// Append all of another table as steps of one part. Their contact states are added later.
  void take_part(const StepTable& steps, std::int32_t of);
  void drop_last(std::size_t count);
  /// Drop all steps. Later steps keep their offsets in the coefficients of the whole run.
  void drop_all();
  void forget();
  void take(StepTable& other);

 private:
  std::int64_t gone_ = 0;  // coefficients that have been dropped
};

/// A table of contacts found by a search, in any number. The contacts of each sample follow those
/// of the previous sample.
struct FoundTable : Table {
  explicit FoundTable(const RowSizes& sizes) : Table(sizes) { use_all(false); }
  Column<std::uint64_t> identity{*this, "found_identity", Per::Row};
  Column<std::int32_t> shape_1{*this, "found_shape_1", Per::Row};
  Column<std::int32_t> shape_2{*this, "found_shape_2", Per::Row};
  Column<std::int32_t> law{*this, "found_law", Per::Row};
  Column<double> g_N{*this, "found_g_N", Per::Row};
  Column<double> point{*this, "found_point", Per::Space};
  Column<double> normal{*this, "found_normal", Per::Space};    // n, from 1 to 2
  Column<double> tangent{*this, "found_tangent", Per::Space};  // t_1; t_2 = n × t_1
  Column<double> force{*this, "found_force", Per::Space};      // along n, t_1, t_2; N
  Column<double> moment{*this, "found_moment", Per::Space};    // about t_1, t_2, n; N m
  Column<std::int8_t> state{*this, "found_state", Per::Row};   // ContactState
};

struct Trajectory {
  explicit Trajectory(const RowSizes& sizes)
      : samples(sizes), events(sizes), steps(sizes), found(sizes) {}

  SampleTable samples;
  EventTable events;
  StepTable steps;
  FoundTable found;

  std::array<const Table*, 4> tables() const { return {&samples, &events, &steps, &found}; }
  /// Use the columns for contacts that are found.
  void use_found();
  /// Return the number of found contacts in the first `count` samples.
  std::size_t found_rows(std::size_t count) const;
  void clear();
  /// Take over everything from another trajectory of the same sizes.
  void take(Trajectory& other);
  /// Return the bytes in use, including reserved memory.
  double size() const;
  /// Return the bytes of the stored numbers.
  std::size_t filled_bytes() const;
  /// Drop events and steps, but keep their memory.
  void rewind();
  void add_sample(double time, const ConstVectorRef& state_vector, const Observation& observation,
                  const ConstVectorRef& loss, double work, const ContactStates& states,
                  const ElementModes& modes);
  void add_event(double time, const ConstVectorRef& q, const ConstVectorRef& x,
                 const TransitionEvent& event, const ConstVectorRef& loss);
  /// Add inputs to the last sample.
  void add_inputs(const ConstVectorRef& values) { samples.inputs.add_row(values); }
  /// Add features to the last sample, and to the last event: those of used slots, otherwise those
  /// before.
  void add_features(const ContactFeatures& now);
  void add_event_features(const ContactFeatures& before, const ContactFeatures& now);
};

}  // namespace nsmb
