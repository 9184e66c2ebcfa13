// Record of the derivative of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// The reason why a derivative does not exist, or is not known.
enum class VariationNote : std::int8_t {
  Grazing,       // zero of the indicator without slope: the event time has no derivative
  Simultaneous,  // zeros that coincide here do not coincide for neighbouring motions
  Edge,          // the impact law is at the border between two of its pieces
  Unknown,       // instant that is not the zero of a known function
};

/// Flat, row-major tables. A part ends after an instant with events, or where advance() ended.
struct VariationRecord {
  std::vector<double> t;               // (k)
  std::vector<std::uint8_t> is_event;  // (k)
  std::vector<double> factors;         // (k, ny, ny + np) ∂y/∂(y after the previous part, p)
  std::vector<double> flows;           // (k, ny, ny) the same before the instant, by y alone
  std::vector<double> time_factors;    // (k, ny + np) the same for the time of the event
  std::vector<double> rate;            // (k + 1, ny) ẏ after the start and after each part
  std::vector<std::int32_t> lost;      // (k) directions of motion that ended there
  std::vector<double> note_t;
  std::vector<std::int8_t> note_kind;      // VariationNote
  std::vector<std::int32_t> note_contact;  // contacts, then force elements; -1: none

  void note(double time, VariationNote kind, Index label);
  /// Drop the parts so far. The last of the rates, each (ny), becomes the first.
  void forget(Index ny);
};

}  // namespace nsmb
