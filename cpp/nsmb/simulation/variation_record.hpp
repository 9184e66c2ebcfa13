// What the derivative of a run leaves behind.
#pragma once

#include <cstdint>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

/// Why a derivative does not exist, or is not known.
enum class VariationNote : std::int8_t {
  Grazing,       // the indicator has a zero without slope: the time of the event no derivative
  Simultaneous,  // zeros that coincide here and beside this motion do not
  Edge,          // the impact law changes between two of its pieces
  Unknown,       // an instant without a function whose zero it is
};

/// Flat, row-major tables. A part ends behind an instant with events, or where advance() ended.
struct VariationRecord {
  std::vector<double> t;               // (k)
  std::vector<std::uint8_t> is_event;  // (k)
  std::vector<double> factors;         // (k, ny, ny + np) ∂y/∂(y behind the part before, p)
  std::vector<double> flows;           // (k, ny, ny) the same before the instant, of y alone
  std::vector<double> time_factors;    // (k, ny + np) the same of the time of the event
  std::vector<double> rate;            // (k + 1, ny) ẏ behind the start and behind each part
  std::vector<std::int32_t> lost;      // (k) directions of motion that ended there
  std::vector<double> note_t;
  std::vector<std::int8_t> note_kind;      // VariationNote
  std::vector<std::int32_t> note_contact;  // contacts, then force elements; -1: none

  void note(double time, VariationNote kind, Index label);
  /// Drop the parts so far; the last of the rates, each (ny), becomes the first.
  void forget(Index ny);
};

}  // namespace nsmb
