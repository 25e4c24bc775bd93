// The commands of `pliant`. Each returns the exit code: 0 done, 1 internal error, 2 bad input, 3 an expectation failed,
// 4 the simulation could not go on, 130 interrupted.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace pliant::cli {

enum ExitCode {
  kDone = 0,
  kInternalError = 1,
  kBadInput = 2,
  kExpectationFailed = 3,
  kCouldNotGoOn = 4,
  kInterrupted = 130
};

inline void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

struct RunArguments {
  std::string scene;
  std::vector<std::string> overrides;  // key=value
  std::string output;                  // empty: the scene's own
  int threads = 0;                     // 0: one per core
  bool resume = false;
};
int run(const RunArguments& arguments);

struct CheckArguments {
  std::string scene;
  std::vector<std::string> overrides;
};
int check(const CheckArguments& arguments);

struct ExportArguments {
  std::string folder;
  std::string format;
  std::string output;  // empty: <folder>/<format>
};
int export_result(const ExportArguments& arguments);

struct InfoArguments {
  bool materials = false;
};
int info(const InfoArguments& arguments);

}  // namespace pliant::cli
