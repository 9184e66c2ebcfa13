// Call a solver of Siconos for many problems without an interpreter.
#include <time.h>

typedef void (*lcp_solver)(void* problem, double* z, double* w, int* info, void* options);

// Return the processor time in s of `repeat` solves of `count` problems of n unknowns; z, w (count, n), info (count).
double lcp_loop(lcp_solver solve, void** problems, int count, int repeat, int n, double* z,
                double* w, int* info, void* options) {
  struct timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  for (int r = 0; r < repeat; ++r) {
    for (int k = 0; k < count; ++k) solve(problems[k], z + k * n, w + k * n, info + k, options);
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}
