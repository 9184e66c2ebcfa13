// Thresholds that are scaled when the library is loaded: NSMB_TOLERANCE="room.name=factor".
#pragma once

#include <cstdlib>
#include <cstring>

namespace nsmb {

inline double scaled_tolerance(const char* name, double value) {
  const char* const change = std::getenv("NSMB_TOLERANCE");
  const std::size_t length = std::strlen(name);
  if (change == nullptr || std::strncmp(change, name, length) != 0 || change[length] != '=') {
    return value;
  }
  return value * std::strtod(change + length + 1, nullptr);
}

}  // namespace nsmb
