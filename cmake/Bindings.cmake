# The Python module _core: an object library of the bindings, whose files take longest and are compiled
# first, and nsmb_add_module(), which links them with the objects of nsmb_core.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.12 CONFIG REQUIRED)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)  # keeps pybind11 from switching it on by itself

file(GLOB NSMB_BINDING_SOURCES CONFIGURE_DEPENDS cpp/bindings/*.cpp)
add_library(nsmb_bindings OBJECT ${NSMB_BINDING_SOURCES})
target_link_libraries(nsmb_bindings PRIVATE nsmb_core pybind11::module)
set_target_properties(nsmb_bindings PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
  CXX_VISIBILITY_PRESET hidden)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT EMSCRIPTEN)
  target_precompile_headers(nsmb_bindings PRIVATE cpp/bindings/bindings.hpp)
  # They convert arguments; what they call is compiled with full optimisation. With -O1, GCC takes
  # vectors that pybind11 resizes before it fills them for values that are not set.
  target_compile_options(nsmb_bindings PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(NSMB_UNITY)
  nsmb_unity(nsmb_bindings 24 ${NSMB_BINDING_SOURCES})
endif()
list(APPEND targets nsmb_bindings)

function(nsmb_add_module)
  # The objects of the library come first: of a template that both instantiate the linker keeps the
  # first one, and theirs is fully optimised.
  pybind11_add_module(_core MODULE $<TARGET_OBJECTS:nsmb_core> $<TARGET_OBJECTS:nsmb_bindings>)
  target_link_libraries(_core PRIVATE nsmb_sundials)
  set_target_properties(_core PROPERTIES LINKER_LANGUAGE CXX)
  if(NSMB_SANITIZE)
    target_link_options(_core PRIVATE -fsanitize=address,undefined)
  endif()
  if(UNIX AND NOT APPLE AND NOT EMSCRIPTEN)
    # Another module of the same process may carry its own SUNDIALS: export none of ours. Elsewhere
    # the linker looks for a symbol in the library that was named, or exports what is asked for.
    target_link_options(_core PRIVATE LINKER:--exclude-libs,ALL)
  endif()
endfunction()
