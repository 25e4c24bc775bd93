# Eigen: small dense matrices (MPL-2.0).
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
