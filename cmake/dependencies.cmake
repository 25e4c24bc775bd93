# One file per dependency; each defines the target that the modules link.
foreach(dependency eigen tbb cholmod fmt json hdf5 yaml cli11 embree zlib httplib gtest benchmark bullet petsc)
  include(dependencies/${dependency})
endforeach()
