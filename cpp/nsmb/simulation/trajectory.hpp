// What a run leaves behind: samples, events, and the steps as polynomials.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/simulation/observation.hpp"
#include "nsmb/simulation/transition.hpp"

namespace nsmb {

/// Flat, row-major storage: row k of an (n, m) table starts at k * m. Both sides of an event are
/// samples of their own with the same t.
struct Trajectory {
  // Samples.
  std::vector<double> t;                       // (n)
  std::vector<double> y;                       // (n, ny)
  std::vector<double> g_N, gamma_N, lambda_N;  // (n, nc)
  std::vector<double> gamma_T, lambda_T;       // (n, nt)
  std::vector<double> friction_loss;           // (n, nc) J, work lost to friction since the start
  std::vector<double> drive_work;              // (n) J, of moving contacts and constraints
  std::vector<std::int8_t> state;              // (n, nc) ContactState
  std::vector<double> lambda_B;                // (n, nb) forces of the bilateral constraints
  std::vector<std::int32_t> features;          // (n, 2 nc) features in contact, where they change
  std::vector<double> element_gamma, element_force;  // (n, ne)
  std::vector<std::int8_t> element_mode;             // (n, ne) ElementMode
  std::vector<double> inputs;                        // (n, ni)

  // Events.
  std::vector<double> event_t;                                   // (m)
  std::vector<std::int8_t> event_kind;                           // (m) EventKind
  std::vector<std::int32_t> event_user;                          // (m) of UserEvents, or -1
  std::vector<std::uint8_t> event_contacts;                      // (m, nc) 0 or 1
  std::vector<std::uint8_t> event_elements;                      // (m, ne) 0 or 1
  std::vector<double> event_q, event_u_minus, event_u_plus;      // (m, nq), (m, nu)
  std::vector<double> event_x;                                   // (m, nx)
  std::vector<double> event_Lambda_N, event_Lambda_T;            // (m, nc), (m, nt)
  std::vector<double> event_Lambda_NC, event_Lambda_TC;          // end of compression
  std::vector<std::int8_t> event_state_minus, event_state_plus;  // (m, nc)
  std::vector<std::int32_t> event_features;                      // (m, 2 nc)
  std::vector<double> event_energy_loss;                         // (m) J
  std::vector<double> event_compression_loss;                    // (m) J
  std::vector<double> event_work_N, event_work_T;                // (m, nc) J, of the impulses
  std::vector<double> event_friction_loss;                       // (m, nc) J, since the start

  // Steps: y(t) = Σ_k c_k sᵏ, s = (t - t_start)/(t_end - t_start); the coefficients of a step
  // are columns, and begin at `offset` in `coefficients`.
  std::vector<double> step_start, step_end;
  std::vector<std::int64_t> step_offset;
  std::vector<std::int32_t> step_degree;
  std::vector<std::int8_t> step_state;  // (steps, nc)
  std::vector<std::int32_t> step_part;  // (steps) the part that takes it; empty: all of the system
  std::vector<double> coefficients;

  void clear();
  /// Bytes it takes, about.
  double size() const;
  /// Drop events and steps, but not the memory they took.
  void rewind();
  /// Drop the last steps.
  void drop_steps(std::size_t count, Index nc);
  void add_sample(double time, const ConstVectorRef& state_vector, const Observation& observation,
                  const ConstVectorRef& loss, double work, const ContactStates& states,
                  const ElementModes& modes);
  void add_event(double time, const ConstVectorRef& q, const ConstVectorRef& x,
                 const TransitionEvent& event, const ConstVectorRef& loss);
  /// To the last sample.
  void add_inputs(const ConstVectorRef& values);
  /// To the last sample, and to the last event: those of used slots, else those before.
  void add_features(const ContactFeatures& now);
  void add_event_features(const ContactFeatures& before, const ContactFeatures& now);
  void add_step(double start, double end, const ConstMatrixRef& series, Index degree, Index rows,
                const ContactStates& states);
  /// Contact states of a step, where they come later.
  void add_step_states(const ContactStates& states);
  /// Bytes of one more sample, one more event.
  static double sample_size(const System& system);
  static double event_size(const System& system);
};

}  // namespace nsmb
