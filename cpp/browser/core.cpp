// The interface for web pages: `simulate(system, options)` and the names of the numeric codes it
// returns.
#include <emscripten/bind.h>

#include <array>
#include <stdexcept>
#include <string>

#include "browser/description.hpp"
#include "nsmb/simulation/event_driven.hpp"

namespace {

using emscripten::val;
using nsmb::Index;

/// Return a copy outside the memory of the core, which may move when it grows.
val numbers_of(const nsmb::AnyColumn& column) {
  const std::string type = column.type();
  const void* first = column.number(0);
  const auto copy = [&](const auto* values) {
    return val(emscripten::typed_memory_view(column.size(), values)).call<val>("slice");
  };
  if (type == "f8") return copy(static_cast<const double*>(first));
  if (type == "i4") return copy(static_cast<const std::int32_t*>(first));
  if (type == "u1") return copy(static_cast<const std::uint8_t*>(first));
  return copy(static_cast<const std::int8_t*>(first));
}

/// Return the columns by their names in the core, row by row, and the number of rows.
val columns_of(const nsmb::Table& table) {
  val result = val::object();
  for (const nsmb::AnyColumn* column : table.columns()) {
    if (column->is_used() && column->width() > 0) result.set(column->name(), numbers_of(*column));
  }
  result.set("rows", static_cast<double>(table.rows()));
  return result;
}

val refusal(const std::string& message) {
  val result = val::object();
  result.set("status", "refused");
  result.set("message", message);
  return result;
}

/// Return {status, message, samples, events, counts}. `options`: t_start, t_end, q, u, output_step,
/// and those of options_from(). Invalid input returns only the status "refused" and a message.
val simulate(const val& description, const val& options) {
  try {
    const nsmb::LinearSystem system = nsmb::browser::system_from(description);
    nsmb::EventDriven run(system, nsmb::browser::options_from(options));
    const double start = nsmb::browser::number(options, "t_start", 0.0);
    const double end = nsmb::browser::number(options, "t_end", start);
    if (end < start) throw std::invalid_argument("t_end: expected a time >= t_start");
    run.reset(start, nsmb::browser::numbers(options, "q", system.nq()),
              nsmb::browser::numbers(options, "u", system.nu()), nsmb::Vector::Zero(0));
    run.set_output_step(nsmb::browser::number(options, "output_step", 1e-3 * (end - start)));
    const nsmb::SimulationStatus status = run.advance(end, false, {});
    val result = val::object();
    result.set("status", std::string(nsmb::to_text(status)));
    result.set("message", run.message());
    result.set("samples", columns_of(run.trajectory().samples));
    result.set("events", columns_of(run.trajectory().events));
    const nsmb::SimulationStatistics statistics = run.statistics();
    result.set("impact_loss", statistics.impact_loss);
    result.set("friction_loss", statistics.friction_loss);
    return result;
  } catch (const std::exception& error) {
    return refusal(error.what());
  }
}

}  // namespace

EMSCRIPTEN_BINDINGS(nsmb) { emscripten::function("simulate", &simulate); }
