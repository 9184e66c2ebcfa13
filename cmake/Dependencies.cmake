# Targets nsmb_eigen and nsmb_sundials: the installed libraries where usable, otherwise pinned
# releases fetched by hash. A local source tree takes the place of a download with CMake's own
# FETCHCONTENT_SOURCE_DIR_EIGEN and FETCHCONTENT_SOURCE_DIR_SUNDIALS.
include(FetchContent)
include(${CMAKE_CURRENT_LIST_DIR}/nsmbSundials.cmake)

# Hash: equal in many public build recipes, and that of the unrepacked source in Debian's archive.
FetchContent_Declare(eigen
  URL https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.bz2
  URL_HASH SHA256=b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626
  SOURCE_SUBDIR headers-only)  # not a folder of Eigen: its own CMake project is never entered

# Hash: from public Spack recipes. The version is the one Debian 12 and Ubuntu 24.04 ship, so both
# ways give the same solver.
FetchContent_Declare(sundials
  URL https://github.com/LLNL/sundials/releases/download/v6.4.1/sundials-6.4.1.tar.gz
  URL_HASH SHA256=7bf10a8d2920591af3fba2db92548e91ad60eb7241ab23350a9b1bc51e05e8d0)

function(nsmb_add_eigen)
  add_library(nsmb_eigen INTERFACE)
  if(NOT NSMB_FORCE_FETCH)
    find_package(Eigen3 3.4 QUIET CONFIG)
  endif()
  if(TARGET Eigen3::Eigen)
    message(STATUS "Eigen: ${Eigen3_VERSION}, installed")
    target_link_libraries(nsmb_eigen INTERFACE Eigen3::Eigen)
  else()
    message(STATUS "Eigen: 3.4.0, from source")
    FetchContent_MakeAvailable(eigen)
    set(NSMB_OWN_EIGEN ${eigen_SOURCE_DIR} PARENT_SCOPE)  # to be installed beside the headers
    target_include_directories(nsmb_eigen SYSTEM INTERFACE ${eigen_SOURCE_DIR})
  endif()
endfunction()

function(nsmb_add_sundials)
  if(NOT NSMB_FORCE_FETCH)
    nsmb_find_sundials(targets 6.4 7.0)
  endif()
  if(NOT targets)
    message(STATUS "SUNDIALS: 6.4.1, static, from source")
    # Cache variables, because SUNDIALS' policy level ignores ordinary ones.
    foreach(switch BUILD_SHARED_LIBS BUILD_CVODES BUILD_IDA BUILD_IDAS BUILD_KINSOL
        BUILD_FORTRAN_MODULE_INTERFACE BUILD_BENCHMARKS EXAMPLES_ENABLE_C EXAMPLES_ENABLE_CXX
        EXAMPLES_INSTALL SUNDIALS_TEST_UNITTESTS SUNDIALS_TEST_DEVTESTS ENABLE_MPI ENABLE_OPENMP
        ENABLE_PTHREAD ENABLE_LAPACK ENABLE_KLU ENABLE_HYPRE ENABLE_PETSC ENABLE_SUPERLUMT
        ENABLE_SUPERLUDIST)
      set(${switch} OFF CACHE INTERNAL "SUNDIALS: not needed")
    endforeach()
    set(BUILD_STATIC_LIBS ON CACHE INTERNAL "SUNDIALS: the wheel stands alone")
    FetchContent_MakeAvailable(sundials)
    set(SUNDIALS_VERSION 6.4.1)
    set(targets ${NSMB_SUNDIALS_PARTS})
    list(TRANSFORM targets REPLACE "(.+)" "SUNDIALS::\\1_static")
  endif()
  add_library(nsmb_sundials INTERFACE)
  target_link_libraries(nsmb_sundials INTERFACE ${targets})
  list(GET targets 0 first)
  target_include_directories(nsmb_sundials SYSTEM INTERFACE
    $<TARGET_PROPERTY:${first},INTERFACE_INCLUDE_DIRECTORIES>)
  if(WIN32 AND first MATCHES "_static$")  # its headers import from a DLL otherwise
    target_compile_definitions(nsmb_sundials INTERFACE SUNDIALS_STATIC_DEFINE)
  endif()
  set(NSMB_SUNDIALS_VERSION ${SUNDIALS_VERSION} PARENT_SCOPE)
endfunction()
