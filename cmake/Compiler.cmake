# What every source is compiled with, SUNDIALS included where it is built from source.
#
# Results must be the same bits on every machine: no -march=native, no -ffast-math, and no fused
# multiply-add where the target would offer it by default.
if(MSVC)
  add_compile_options(/fp:precise /utf-8 $<$<COMPILE_LANGUAGE:CXX>:/bigobj>
    $<$<COMPILE_LANGUAGE:CXX>:/permissive-> $<$<COMPILE_LANGUAGE:CXX>:/Zc:__cplusplus>)
else()
  add_compile_options(-ffp-contract=off)
endif()

# nsmb_compile_options(<target>): warnings and sanitizers of our own sources.
function(nsmb_compile_options target)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W3 $<$<BOOL:${NSMB_WARNINGS_AS_ERRORS}>:/WX>)
    if(NSMB_SANITIZE)
      message(FATAL_ERROR "NSMB_SANITIZE needs GCC or Clang")
    endif()
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow)
  if(NSMB_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # These follow the data flow through inlined library code (Eigen, std::string) and raise
      # false alarms there.
      target_compile_options(${target} PRIVATE -Wno-error=maybe-uninitialized
        -Wno-error=array-bounds -Wno-error=restrict -Wno-error=stringop-overflow
        -Wno-error=stringop-overread)
    endif()
  endif()
  if(NSMB_SANITIZE)
    # vptr checks need type information that hidden visibility keeps inside each module
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize=vptr
      -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -UNDEBUG -D_GLIBCXX_ASSERTIONS)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
