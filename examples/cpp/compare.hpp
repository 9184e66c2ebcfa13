// Output of the programs: a name, the result of the simulation, the value of the closed form.
#pragma once

#include <cmath>
#include <cstdio>

inline int failures = 0;

inline void compare(const char* name, double simulated, double expected, double tolerance) {
  std::printf("%-24s %.15g %.15g\n", name, simulated, expected);
  if (!(std::abs(simulated - expected) <= tolerance)) ++failures;
}
