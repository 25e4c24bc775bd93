// Bullet and Pliant side by side, on the same scenes and by the same measures.
//
//   peers_bullet                                all scenes, Bullet and Pliant with one thread, Pliant with two; then Pliant by
//                                               conjugate residuals until nothing changes (tolerance 1e-4)
//   peers_bullet pyramid wall                   only these (cloth, pyramid, towers, pile, balls, wall)
//   peers_bullet --scale 0.1                    smaller scenes
//   peers_bullet --iterations 20                Pliant's budget per step; without it, Bullet's
//   peers_bullet --tolerance 1e-5               until when conjugate residuals go on
//   peers_bullet --equal pile                   Pliant with the smallest budget that is as good as Bullet: by the way of the
//                                               top where one is to stand, elsewhere by mean penetration, at the end and late;
//                                               sweeps also without looking for contacts that arrive within a step
//   peers_bullet --text pyramid                 prints the scene as Pliant gets it
//
// ms        median of the second half of the steps; one thread: processor time, two: wall time
// sinking   of the top body [mm]; drift: mean horizontal way [mm]
// depth     penetration of touching pairs at the end: mean and largest [mm]; late: mean over the second half
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "benchmarks/peers/bullet_engine.h"
#include "benchmarks/peers/measures.h"
#include "benchmarks/peers/pliant_engine.h"

namespace pliant::peers {
namespace {

struct Wishes {
  std::vector<std::string> names;
  double scale = 1;
  int iterations = 0;       // of Pliant; 0: as the scene says
  double tolerance = 1e-4;  // of conjugate residuals
  bool is_equal_quality = false;
  bool only_text = false;

  [[nodiscard]] bool wants(const std::string& name) const {
    if (names.empty()) return true;
    for (const std::string& n : names) {
      if (n == name) return true;
    }
    return false;
  }
};

Wishes wishes_of(int count, char** words) {
  Wishes wishes;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--scale") == 0 && i + 1 < count) {
      wishes.scale = std::atof(words[++i]);
    } else if (std::strcmp(words[i], "--iterations") == 0 && i + 1 < count) {
      wishes.iterations = std::atoi(words[++i]);
    } else if (std::strcmp(words[i], "--tolerance") == 0 && i + 1 < count) {
      wishes.tolerance = std::atof(words[++i]);
    } else if (std::strcmp(words[i], "--equal") == 0) {
      wishes.is_equal_quality = true;
    } else if (std::strcmp(words[i], "--text") == 0) {
      wishes.only_text = true;
    } else {
      wishes.names.emplace_back(words[i]);
    }
  }
  return wishes;
}

Quality print_row(const PeerScene& scene, const char* engine, int iterations, const PeerRun& run) {
  if (run.poses.empty()) {
    std::printf("%-8s %-16s did not run: %s\n", scene.name.c_str(), engine, run.note.c_str());
    return {};
  }
  const Quality q = quality_of(scene, run);
  std::printf("%-8s %-16s %6zu %5d %9.3f %9.2f %9.2f %8.3f %8.2f %8.3f %6d %s\n", scene.name.c_str(), engine,
              scene.bodies.size(), iterations, 1e3 * run.median_seconds(), 1e3 * q.sinking, 1e3 * q.drift,
              1e3 * q.end.mean, 1e3 * q.end.largest, 1e3 * q.mean_late, q.end.pairs, run.note.c_str());
  std::fflush(stdout);
  return q;
}

// Rows of the smallest budget with which Pliant is as good as Bullet, with one thread and with two; found on one ladder of
// budgets for all scenes. A run that broke off is not as good.
void compare_at_equal_quality(const PeerScene& scene, const Quality& bullet, PliantSettings settings,
                              const char* engine) {
  settings.threads = 1;
  for (const int iterations : {1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400}) {
    settings.iterations = iterations;
    const PeerRun run = run_pliant(scene, settings);
    if (!run.note.empty() || !is_as_good(scene, quality_of(scene, run), bullet)) continue;
    print_row(scene, engine, iterations, run);
    settings.threads = 2;
    print_row(scene, (std::string(engine) + ", 2 thr.").c_str(), iterations, run_pliant(scene, settings));
    return;
  }
  std::printf("%-8s %-16s no budget up to 400 is as good as Bullet\n", scene.name.c_str(), engine);
}

void compare_rigid(const Wishes& wishes) {
  if (!wishes.only_text)
    std::printf("%-8s %-16s %6s %5s %9s %9s %9s %8s %8s %8s %6s\n", "scene", "engine", "bodies", "iter", "ms/step",
                "sinking", "drift", "depth", "largest", "late", "pairs");
  for (const PeerScene& scene : peer_scenes(wishes.scale)) {
    if (!wishes.wants(scene.name)) continue;
    PliantSettings settings;
    settings.iterations = wishes.iterations > 0 ? wishes.iterations : scene.iterations;
    if (wishes.only_text) {
      std::printf("%s", scene_text(scene, settings).c_str());
      continue;
    }
    const Quality bullet = print_row(scene, "bullet", scene.iterations, run_bullet(scene));
    settings.tolerance = wishes.tolerance;
    if (wishes.is_equal_quality) {
      compare_at_equal_quality(scene, bullet, settings, "equal, sweeps");
      settings.looks = 0;
      compare_at_equal_quality(scene, bullet, settings, "equal, no looks");
      settings.looks = 5;
      settings.until_rest = true;
      compare_at_equal_quality(scene, bullet, settings, "equal, residuals");
      continue;
    }
    print_row(scene, "pliant", settings.iterations, run_pliant(scene, settings));
    settings.threads = 2;
    print_row(scene, "pliant, 2 threads", settings.iterations, run_pliant(scene, settings));
    settings.until_rest = true;
    print_row(scene, "residuals, 2 thr.", settings.iterations, run_pliant(scene, settings));
    settings.threads = 1;
    print_row(scene, "residuals", settings.iterations, run_pliant(scene, settings));
  }
  if (!wishes.only_text && !bullet_has_threads()) std::printf("This build of Bullet has no threads.\n");
}

void print_cloth(const char* engine, const ClothScene& scene, const ClothRun& run) {
  if (!run.note.empty()) {
    std::printf("cloth    %-24s did not run: %s\n", engine, run.note.c_str());
    return;
  }
  const double per_link = 1e9 * run.seconds_per_step / static_cast<double>(run.links) / scene.iterations;
  std::printf("cloth    %-24s %8lld links %8.3f ms/step %7.2f ns per link and iteration, lowest %.3f m\n", engine,
              run.links, 1e3 * run.seconds_per_step, per_link, run.lowest);
  std::fflush(stdout);
}

void compare_cloth(const Wishes& wishes) {
  ClothScene scene;
  scene.points = std::max(3, static_cast<int>(100 * wishes.scale));
  if (wishes.only_text) {
    std::printf("%s", scene_text(scene, {}).c_str());
    return;
  }
  print_cloth("bullet", scene, run_bullet(scene));
  for (const int threads : {1, 2}) {
    for (const char* precision : {"double", "float"}) {
      const std::string name = std::string("pliant, ") + precision + (threads == 2 ? ", 2 threads" : "");
      print_cloth(name.c_str(), scene,
                  run_pliant(scene, {.threads = threads, .iterations = scene.iterations, .precision = precision}));
    }
  }
}

}  // namespace
}  // namespace pliant::peers

int main(int count, char** words) {
  const pliant::peers::Wishes wishes = pliant::peers::wishes_of(count, words);
  if (wishes.wants("cloth")) pliant::peers::compare_cloth(wishes);
  pliant::peers::compare_rigid(wishes);
  return 0;
}
