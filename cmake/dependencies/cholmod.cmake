# SuiteSparse CHOLMOD + OpenBLAS: sparse Cholesky. The supernodal module is GPL-2.0-or-later: a binary linked with it is
# under the GPL. -DPLIANT_WITH_CHOLMOD=OFF builds without it, on Eigen's simplicial LDLT (MPL-2.0, slower).
set(PLIANT_CHOLESKY_LIBRARIES "")
if(PLIANT_WITH_CHOLMOD)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse REQUIRED)
  find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
  # OpenBLAS by its own name: we pin its thread count, which the generic libblas alternative does not offer.
  find_library(OPENBLAS_LIBRARY openblas REQUIRED)
  add_library(pliant_cholmod INTERFACE)
  target_include_directories(pliant_cholmod SYSTEM INTERFACE $<BUILD_INTERFACE:${CHOLMOD_INCLUDE_DIR}>)
  target_link_libraries(pliant_cholmod INTERFACE ${CHOLMOD_LIBRARY} ${OPENBLAS_LIBRARY})
  target_compile_definitions(pliant_cholmod INTERFACE PLIANT_WITH_CHOLMOD)
  set_target_properties(pliant_cholmod PROPERTIES EXPORT_NAME cholmod)
  set_property(GLOBAL APPEND PROPERTY PLIANT_MODULES pliant_cholmod)
  set(PLIANT_CHOLESKY_LIBRARIES pliant_cholmod)
endif()
