# The core as WebAssembly, in one script that a page loads also from disk; .ci/browser.sh builds it.
# Without SUNDIALS: linear systems move in closed form, others by dp853.
if(NOT EMSCRIPTEN)
  message(FATAL_ERROR "NSMB_BROWSER needs Emscripten: emcmake cmake -DNSMB_BROWSER=ON ...")
endif()
# Headers alone, the same for every target: those of the machine will do.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
nsmb_add_eigen()

set(sources "")
foreach(room core complementarity contact_laws integration simulation system)
  file(GLOB of_room CONFIGURE_DEPENDS cpp/nsmb/${room}/*.cpp)
  list(APPEND sources ${of_room})
endforeach()
list(FILTER sources EXCLUDE REGEX "/(cvode|arkode|sundials_integrator|sparse_sundials)\\.cpp$")
file(GLOB own CONFIGURE_DEPENDS cpp/browser/*.cpp)

add_executable(nsmb_browser ${own} ${sources})
target_include_directories(nsmb_browser PRIVATE cpp)
target_compile_features(nsmb_browser PRIVATE cxx_std_20)
target_compile_definitions(nsmb_browser PRIVATE NSMB_WITHOUT_SUNDIALS)
target_compile_options(nsmb_browser PRIVATE -O2 -fexceptions -Wall -Wextra)
target_link_libraries(nsmb_browser PRIVATE nsmb_eigen)
target_link_options(nsmb_browser PRIVATE --bind -O2 -fexceptions -sMODULARIZE
  -sEXPORT_NAME=createNsmb -sSINGLE_FILE -sALLOW_MEMORY_GROWTH -sENVIRONMENT=web,node
  -sFILESYSTEM=0)
set_target_properties(nsmb_browser PROPERTIES OUTPUT_NAME core CXX_EXTENSIONS OFF)
nsmb_unity(nsmb_browser 80 ${sources})
