# HDF5 (C interface, serial): results and checkpoints (BSD-style).
find_package(HDF5 REQUIRED COMPONENTS C)
add_library(pliant_hdf5 INTERFACE)
target_include_directories(pliant_hdf5 SYSTEM INTERFACE "$<BUILD_INTERFACE:${HDF5_C_INCLUDE_DIRS}>")
target_link_libraries(pliant_hdf5 INTERFACE ${HDF5_C_LIBRARIES})
set_target_properties(pliant_hdf5 PROPERTIES EXPORT_NAME hdf5)
add_library(HDF5::pliant ALIAS pliant_hdf5)
set_property(GLOBAL APPEND PROPERTY PLIANT_MODULES pliant_hdf5)
