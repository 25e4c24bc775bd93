# pliant_module(name USES public-targets PRIVATE_USES private-targets): the folder pliant/<name> as the target pliant::<name>.
function(pliant_module name)
  cmake_parse_arguments(ARG "" "" "USES;PRIVATE_USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pliant/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pliant/${name}/*.h)
  if(sources)
    add_library(pliant_${name} STATIC ${sources} ${headers})
    target_include_directories(pliant_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
    target_link_libraries(pliant_${name} PUBLIC pliant_flags ${ARG_USES}
      PRIVATE $<BUILD_INTERFACE:pliant_warnings> $<BUILD_INTERFACE:pliant_sanitized> ${ARG_PRIVATE_USES})
    if(NOT name STREQUAL parallel)  # knows no Eigen
      pliant_precompile(pliant_${name})
    endif()
    if(PLIANT_SANITIZE AND name MATCHES "^(mesh|io|scene)$")
      target_compile_options(pliant_${name} PRIVATE -O0)  # not hot, and instrumented code is slow to compile
    endif()
  else()
    add_library(pliant_${name} INTERFACE)
    target_include_directories(pliant_${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
    target_link_libraries(pliant_${name} INTERFACE pliant_flags ${ARG_USES})
  endif()
  set_target_properties(pliant_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(pliant::${name} ALIAS pliant_${name})
  set_property(GLOBAL APPEND PROPERTY PLIANT_MODULES pliant_${name})
endfunction()

# The headers that nearly every source includes, parsed once per target.
function(pliant_precompile target)
  if(PLIANT_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE <Eigen/Core> <algorithm> <cmath> <functional> <memory> <span> <string> <vector> ${ARGN})
  endif()
endfunction()

# pliant_umbrella(core): one target that stands for all modules; what find_package(Pliant) users link.
function(pliant_umbrella name)
  get_property(modules GLOBAL PROPERTY PLIANT_MODULES)
  add_library(pliant_${name} INTERFACE)
  target_link_libraries(pliant_${name} INTERFACE ${modules})
  set_target_properties(pliant_${name} PROPERTIES EXPORT_NAME ${name})
  add_library(pliant::${name} ALIAS pliant_${name})
  set_property(GLOBAL APPEND PROPERTY PLIANT_MODULES pliant_${name})
endfunction()
