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
  bool verify = false;
  bool view = false;   // serve the page meanwhile
  int port = 8080;     // of the page
  std::string replay;  // an interaction.csv; empty: none
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
  std::string output;  // empty: <folder>/<format>, <folder>/result.<format> for single files
};
int export_result(const ExportArguments& arguments);

struct ViewArguments {
  std::vector<std::string> folders;  // one, or two side by side
  int port = 8080;
  bool sends_drags = false;  // to standard output: for the run that started it
};
int view(const ViewArguments& arguments);

struct RenderArguments {
  std::string folder;
  std::string output;  // PNG; empty: picture.png, or none with a video
  std::string frame;   // last, all, a number, or numbers with commas: a strip; empty: last, or all in a video
  std::string size = "1280x720";  // pixels
  std::string camera = "scene";   // or fitted
  std::string from, to;           // x,y,z [m]; empty: as `camera` says
  std::string direction;          // x,y,z, from the motion towards a fitted camera
  std::string quantity;           // empty: one colour per body
  std::string range;              // low,high of the quantity
  std::string ground;             // height [m], or none; empty: the lowest point
  std::string video;              // file; empty: none
  bool wireframe = false;
  int samples = 16;
  int threads = 0;
};
int render(const RenderArguments& arguments);

struct PlotArguments {
  std::string folder;
  std::vector<std::string> words;  // columns or probes
  std::string output;              // SVG; empty: <first word>.svg
  std::string title;
  bool log = false, linear = false;
};
int plot(const PlotArguments& arguments);

struct CompareArguments {
  std::string scene;
  std::vector<std::string> overrides;
  std::string methods = "newton,quasi_newton";
  std::string iterations = "1,2,5,10,20,50";
  double at = -1;      // s; negative: half of the run
  std::string output;  // folder; empty: out/<scene>-compared
  int threads = 0;
};
int compare(const CompareArguments& arguments);

struct ImportArguments {
  std::string file;               // URDF
  std::string output;             // scene file; empty: the URDF file's name with .yaml, in the current folder
  bool fixed_base = false;        // the root link is fixed to the world
  std::vector<std::string> pose;  // joint=value, degrees or m
};
int import_robot(const ImportArguments& arguments);

struct InfoArguments {
  bool materials = false;
};
int info(const InfoArguments& arguments);

}  // namespace pliant::cli
