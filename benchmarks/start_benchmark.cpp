// Cold start: how long until the first step of a small scene is done. Goal: 0.5 s.
//
//   process/<scene>   a new process each time: load the program and its libraries, read the scene file, build it, take one
//                     step, end. Wall time; processor_ms is the child's processor time. Nothing is written.
//   read, build, step the same work in this process, where code and files are already in memory. Processor time.
#include <benchmark/benchmark.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "pliant/dynamics/simulation.h"
#include "pliant/scene/build_model.h"
#include "pliant/scene/reader.h"

extern char** environ;

namespace pliant {
namespace {

constexpr const char* kFirstStep = "--first-step";

// Examples: a clamped bar of 3,200 tets at rest under a load, woven cloth of 961 vertices, two soft rings in contact.
struct SmallScene {
  const char* file;
  const char* override;
};
constexpr SmallScene kScenes[] = {{"cantilever/cantilever.yaml", "bodies.bar.mesh.box.cells=[40, 4, 4]"},
                                  {"hanging_cloth/pinned.yaml", "seed=1"},
                                  {"linked_rings/linked_rings.yaml", "seed=1"}};

Scene read_small(int index) {
  const std::string overrides[] = {kScenes[index].override};
  return read_scene(std::string(PLIANT_SOURCE_DIR) + "/examples/" + kScenes[index].file, overrides);
}

bool take_first_step(BuiltScene& built, const Scene& scene) {
  Simulation simulation(std::move(built.model), std::move(built.state), built.options);
  return simulation.advance(scene.time.step).reached;
}

// What the child does.
int first_step(int index) {
  const Scene scene = read_small(index);
  BuiltScene built = build(scene);
  return take_first_step(built, scene) ? EXIT_SUCCESS : EXIT_FAILURE;
}

void process(benchmark::State& state) {
  std::string program = "/proc/self/exe", option = kFirstStep, index = std::to_string(state.range(0));
  char* const arguments[] = {program.data(), option.data(), index.data(), nullptr};
  double processor_ms = 0;
  for (auto _ : state) {
    pid_t child = 0;
    int status = -1;
    rusage used{};
    if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0 ||
        wait4(child, &status, 0, &used) != child || status != 0) {
      state.SkipWithError("the first step failed");
      return;
    }
    for (const timeval& t : {used.ru_utime, used.ru_stime})
      processor_ms += 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  }
  state.counters["processor_ms"] = processor_ms / static_cast<double>(state.iterations());
  state.SetLabel(kScenes[state.range(0)].file);
}

void read(benchmark::State& state) {
  const int index = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(read_small(index));
}

void build_model(benchmark::State& state) {
  const Scene scene = read_small(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(build(scene));
}

void step(benchmark::State& state) {
  const Scene scene = read_small(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    BuiltScene built = build(scene);
    state.ResumeTiming();
    if (!take_first_step(built, scene)) state.SkipWithError("the first step failed");
  }
}

BENCHMARK(process)->DenseRange(0, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(read)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(build_model)->Name("build")->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(step)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pliant

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], pliant::kFirstStep) == 0) return pliant::first_step(std::atoi(argv[2]));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
