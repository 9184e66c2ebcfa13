/* Counts heap allocations of a process; preloaded. Needs glibc, whose own functions it wraps.
   Between start_trace() and stop_trace() every call is printed to standard error with its
   backtrace, to find where it comes from. */
#include <execinfo.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long small_calls, small_bytes, large_calls, large_bytes;
static atomic_int tracing;

enum { kLarge = 4096 };

/* Calls and bytes so far, for blocks below and from 4096 bytes on. */
void malloc_counts(long counts[4]) {
  counts[0] = small_calls;
  counts[1] = small_bytes;
  counts[2] = large_calls;
  counts[3] = large_bytes;
}
void start_trace(void) {
  void *frames[4];
  backtrace(frames, 4); /* its first call allocates */
  atomic_store(&tracing, 1);
}
void stop_trace(void) { atomic_store(&tracing, 0); }

static void count(size_t size) {
  if (size < kLarge) {
    ++small_calls;
    small_bytes += (long)size;
  } else {
    ++large_calls;
    large_bytes += (long)size;
  }
  int on = 1;
  if (atomic_compare_exchange_strong(&tracing, &on, 0)) {
    void *frames[24];
    fprintf(stderr, "allocation of %zu bytes\n", size);
    backtrace_symbols_fd(frames, backtrace(frames, 24), 2);
    atomic_store(&tracing, 1);
  }
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  count(n * size);
  return __libc_calloc(n, size);
}
void *realloc(void *old, size_t size) {
  count(size);
  return __libc_realloc(old, size);
}
void *memalign(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : 12; /* ENOMEM */
}
