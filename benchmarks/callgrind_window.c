/* Open and close the window in which callgrind counts instructions, for scaling.py. */
#include <valgrind/callgrind.h>

void open_window(void) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
}

void close_window(const char *name) {
  CALLGRIND_DUMP_STATS_AT(name);
  CALLGRIND_STOP_INSTRUMENTATION;
}
