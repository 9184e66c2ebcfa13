# Thresholds that are scaled when the library is loaded (.ci/tolerances.sh): changed copies of the
# rooms' tolerances.hpp, found before the headers themselves. The ordinary build knows none of this.
set(NSMB_MUTABLE ${PROJECT_BINARY_DIR}/mutable)
configure_file(${CMAKE_CURRENT_LIST_DIR}/scaled_tolerance.hpp
  ${NSMB_MUTABLE}/nsmb/scaled_tolerance.hpp COPYONLY)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cpp/nsmb/*/tolerances.hpp)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  get_filename_component(room ${folder} NAME)
  file(READ ${header} text)
  string(REGEX REPLACE "inline constexpr double (k[A-Za-z0-9]+) =([^;]+);"
    "inline const double \\1 = ::nsmb::scaled_tolerance(\"${room}.\\1\",\\2);" text "${text}")
  string(REPLACE "#pragma once\n" "#pragma once\n\n#include \"nsmb/scaled_tolerance.hpp\"\n"
    text "${text}")
  file(CONFIGURE OUTPUT ${NSMB_MUTABLE}/nsmb/${room}/tolerances.hpp CONTENT "${text}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
endforeach()
target_include_directories(nsmb_core BEFORE PUBLIC $<BUILD_INTERFACE:${NSMB_MUTABLE}>)
