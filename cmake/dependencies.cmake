# One file per dependency; each defines the target that the modules link.
foreach(dependency eigen tbb cholmod fmt json hdf5 yaml cli11 gtest benchmark)
  include(dependencies/${dependency})
endforeach()
