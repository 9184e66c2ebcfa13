// Machine code that Python passes by its address.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "nsmb/core/check.hpp"
#include "nsmb/system/compiled_system.hpp"

using FunctionPlaces = std::map<std::string, nsmb::CompiledFunction*>;

inline void set_functions(const FunctionPlaces& places,
                          const std::map<std::string, std::uintptr_t>& addresses) {
  for (const auto& [name, address] : addresses) {
    const auto place = places.find(name);
    if (place == places.end()) nsmb::reject("addresses", "names of functions", "'" + name + "'");
    *place->second = reinterpret_cast<nsmb::CompiledFunction>(address);
  }
}
