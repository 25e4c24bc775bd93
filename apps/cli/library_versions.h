// Names and versions of the libraries this program runs with.
#pragma once

#include <string>
#include <vector>

namespace pliant::cli {

// "oneTBB 2021.8.0": asked of the library at run time where it can tell, else as it was built with.
[[nodiscard]] std::vector<std::string> library_versions();

// What the direct solves' speed and last bits depend on: "Haswell kernels of OpenBLAS 0.3.21". Empty without CHOLMOD.
[[nodiscard]] std::string blas_kernels();

}  // namespace pliant::cli
