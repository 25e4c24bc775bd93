# PETSc (BSD) and hypre (Apache-2.0 or MIT), both on MPI: only what benchmarks/peers/linear compares with; without them that program
# is not built. The libraries are named one by one, because PETSc's own list would bring a second HDF5.
if(PLIANT_BUILD_BENCHMARKS)
  find_path(PLIANT_PETSC_INCLUDE petscksp.h PATHS /usr/lib/petscdir/petsc-real/include)
  find_library(PLIANT_PETSC_LIBRARY NAMES petsc_real petsc)
  find_path(PLIANT_HYPRE_INCLUDE HYPRE_parcsr_ls.h PATH_SUFFIXES hypre)
  find_library(PLIANT_HYPRE_LIBRARY HYPRE)
  find_package(MPI QUIET COMPONENTS C)
  if(PLIANT_PETSC_INCLUDE AND PLIANT_PETSC_LIBRARY AND PLIANT_HYPRE_INCLUDE AND PLIANT_HYPRE_LIBRARY AND MPI_C_FOUND)
    add_library(petsc::pliant INTERFACE IMPORTED)
    target_include_directories(petsc::pliant SYSTEM INTERFACE ${PLIANT_PETSC_INCLUDE} ${PLIANT_HYPRE_INCLUDE})
    target_compile_definitions(petsc::pliant INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)  # MPI in C is enough
    target_link_libraries(petsc::pliant INTERFACE ${PLIANT_PETSC_LIBRARY} ${PLIANT_HYPRE_LIBRARY} MPI::MPI_C)
  else()
    message(STATUS "PETSc or hypre not found (Debian: libpetsc-real-dev, libhypre-dev): peers_linear is not built")
  endif()
endif()
