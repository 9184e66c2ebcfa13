// Ownership and error handling for SUNDIALS objects, 6.4 to 7.x. Internal: included only by the
// .cpp files of this folder.
#pragma once

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_types.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "nsmb/integration/sundials_integrator.hpp"

namespace nsmb::sundials {

static_assert(std::is_same_v<sunrealtype, double>, "nsmb needs SUNDIALS in double precision");

struct FreeContext {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct FreeVector {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
};
using Context = std::unique_ptr<std::remove_pointer_t<SUNContext>, FreeContext>;
using NVector = std::unique_ptr<std::remove_pointer_t<N_Vector>, FreeVector>;

/// Throw std::runtime_error for misuse of the library by this folder, or for lack of memory.
/// Neither is an outcome of an integration.
inline void check_flag(int flag, const char* function) {
  if (flag != 0) {
    throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
  }
}

template <class Pointer>
Pointer check_created(Pointer object) {
  if (!object) throw std::bad_alloc();
  return object;
}

#if SUNDIALS_VERSION_MAJOR >= 7

inline void error_handler(int, const char*, const char*, const char* message, SUNErrCode,
                          void* integrator, SUNContext) {
  static_cast<SundialsIntegrator*>(integrator)->call_error_handler(message ? message : "");
}

/// Create a context whose errors become message() of the integrator. Nothing is printed.
inline Context make_context(SundialsIntegrator* integrator) {
  SUNContext context = nullptr;
  check_flag(SUNContext_Create(SUN_COMM_NULL, &context), "SUNContext_Create");
  Context owner(context);
  check_flag(SUNContext_ClearErrHandlers(context), "SUNContext_ClearErrHandlers");
  check_flag(SUNContext_PushErrHandler(context, error_handler, integrator),
             "SUNContext_PushErrHandler");
  return owner;
}

#else

// Up to 6.x the handler belongs to the solver and is set in the two .cpp files.
inline void error_handler(int code, const char*, const char*, char* message, void* integrator) {
  if (code < 0) static_cast<SundialsIntegrator*>(integrator)->call_error_handler(message);
}

inline Context make_context(SundialsIntegrator*) {
  SUNContext context = nullptr;
  check_flag(SUNContext_Create(nullptr, &context), "SUNContext_Create");
  return Context(context);
}

#endif

// The default of 7 is too small for a step size kept over a jump into a faster motion.
inline constexpr int kMaxErrorTestFailures = 30;

/// A vector that borrows its numbers.
inline NVector borrow(Vector& numbers, const Context& context) {
  return NVector(check_created(
      N_VMake_Serial(static_cast<sunindextype>(numbers.size()), numbers.data(), context.get())));
}

inline int rhs(sunrealtype t, N_Vector y, N_Vector ydot, void* integrator) {
  return static_cast<SundialsIntegrator*>(integrator)
      ->call_rhs(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
}

}  // namespace nsmb::sundials
