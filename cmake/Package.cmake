# The C++ package: `cmake --install <build> --component nsmb_cpp --prefix <prefix>`, without the
# component also what of SUNDIALS was built from source.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(NSMB_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/nsmb)

install(TARGETS nsmb_core EXPORT nsmb ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT nsmb_cpp)
install(EXPORT nsmb FILE nsmbTargets.cmake NAMESPACE nsmb:: DESTINATION ${NSMB_CONFIG_DIR}
  COMPONENT nsmb_cpp)
# Headers about SUNDIALS are nobody's outside: its own headers need not be found then.
install(DIRECTORY cpp/nsmb DESTINATION include COMPONENT nsmb_cpp
  FILES_MATCHING PATTERN "*.hpp" PATTERN "sundials_*.hpp" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/nsmb/version.hpp DESTINATION include/nsmb
  COMPONENT nsmb_cpp)
if(NSMB_OWN_EIGEN)
  install(DIRECTORY ${NSMB_OWN_EIGEN}/Eigen DESTINATION include/nsmb/eigen3 COMPONENT nsmb_cpp)
endif()

configure_package_config_file(cmake/nsmbConfig.cmake.in generated/nsmbConfig.cmake
  INSTALL_DESTINATION ${NSMB_CONFIG_DIR})
# Below 1.0 every minor version may change what others compile against.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/nsmbConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/nsmbConfig.cmake
  ${PROJECT_BINARY_DIR}/generated/nsmbConfigVersion.cmake
  cmake/nsmbSundials.cmake cmake/sundials_probe.cpp
  DESTINATION ${NSMB_CONFIG_DIR} COMPONENT nsmb_cpp)
