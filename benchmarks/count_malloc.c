/* A preloaded library that counts heap allocations and live bytes of a process. It requires glibc,
   whose functions it wraps.
   Between start_trace() and stop_trace() every call is printed to standard error with its
   backtrace, to find its origin. */
#include <execinfo.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long small_calls, small_bytes, large_calls, large_bytes;
static atomic_long live, peak; /* bytes in blocks that are not freed */
static atomic_int tracing;

enum { kLarge = 4096 };

/* Return calls and bytes so far, for blocks of less than and of at least 4096 bytes. */
void malloc_counts(long counts[4]) {
  counts[0] = small_calls;
  counts[1] = small_bytes;
  counts[2] = large_calls;
  counts[3] = large_bytes;
}
/* Return the live bytes, and their peak since the last call of mark_peak(). */
void malloc_held(long counts[2]) {
  counts[0] = live;
  counts[1] = peak;
}
void mark_peak(void) { atomic_store(&peak, atomic_load(&live)); }

void start_trace(void) {
  void *frames[4];
  backtrace(frames, 4); /* the first call allocates memory */
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

static void *taken(void *block) {
  if (block) {
    long now = atomic_fetch_add(&live, (long)malloc_usable_size(block)) +
               (long)malloc_usable_size(block);
    long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
    }
  }
  return block;
}

static void given_back(void *block) {
  if (block) atomic_fetch_sub(&live, (long)malloc_usable_size(block));
}

void *malloc(size_t size) {
  count(size);
  return taken(__libc_malloc(size));
}
void *calloc(size_t n, size_t size) {
  count(n * size);
  return taken(__libc_calloc(n, size));
}
void *realloc(void *old, size_t size) {
  count(size);
  given_back(old);
  void *block = __libc_realloc(old, size);
  taken(block ? block : size ? old : NULL); /* if it fails the old block stays */
  return block;
}
void *memalign(size_t alignment, size_t size) {
  count(size);
  return taken(__libc_memalign(alignment, size));
}
void free(void *block) {
  given_back(block);
  __libc_free(block);
}
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : 12; /* ENOMEM */
}
