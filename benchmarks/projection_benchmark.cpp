// Speed of one sweep of Gauss-Seidel over soft constraints (pliant/solver/projection), in nanoseconds per element.
//
//   projection_benchmark                               all kinds, double and float, one and two threads
//   projection_benchmark --benchmark_filter=links      only some
//
// links: a sheet of n × n points with stretch, shear and bend links (100: 59,002 links; 409: 999,598), as in
// docs/studies/projection.md. general: the same through the batch of all other elements. triangles: a sheet of 100 × 100
// cells; hinges: its inner edges, angle, tangent and sine; tets: a bar of 8 × 8 × 52 cells of six (19,968).
// All points are shaken, so that every element has work to do. Colours follow one another as in a step.
//
// `ns` is the best of the iterations; one-thread times are the thread's processor time, so that other programs on the
// machine count only by what they do to caches and to the other half of a core. copy: 2 × 96 MB, what memory can do, in
// GB/s of bytes read and written. of_limit, for links: the bytes that a sweep has to move (groups of links read, their
// multipliers' lines written back, every point read and written once) over the bandwidth of such a copy, divided by the
// time: 1 is what no sweep can beat that finds nothing in caches.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "pliant/parallel/parallel.h"
#include "pliant/solver/projection/lane_batch.h"
#include "pliant/solver/projection/link_batch.h"

namespace pliant::solver {
namespace {

constexpr double kSpacing = 0.1;  // m
constexpr double kStep = 0.016;   // s

double seconds(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Noise {
 public:
  // Between −1 and 1.
  double operator()() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ / 2147483648.0 - 1;
  }

 private:
  unsigned state_ = 1;
};

// --- What is swept over ---

template <class Element>
struct Scenery {
  std::vector<Vec3> points;  // m, at rest
  std::vector<Element> elements;
};

std::vector<Vec3> sheet_points(int n) {
  std::vector<Vec3> points;
  for (int i = 0; i < n * n; ++i) points.emplace_back(kSpacing * (i % n), 0, kSpacing * (i / n));
  return points;
}

Scenery<SoftLink> links(int n) {
  Scenery<SoftLink> out{sheet_points(n), {}};
  const auto add = [&](int i, int j, int di, int dj) {
    if (i + di < 0 || i + di >= n || j + dj >= n) return;
    out.elements.push_back({{j * n + i, (j + dj) * n + i + di}, kSpacing * std::hypot(di, dj), 1000, false});
  };
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      add(i, j, 1, 0), add(i, j, 0, 1);
      add(i, j, 1, 1), add(i, j, -1, 1);
      add(i, j, 2, 0), add(i, j, 0, 2);
    }
  }
  return out;
}

Scenery<SoftTriangle> triangles(int n) {
  Scenery<SoftTriangle> out{sheet_points(n), {}};
  const Mat3 stiffness = 1000 * (Mat3::Constant(0.2) + Mat3::Identity());
  const auto add = [&](int a, int b, int c) {
    SoftTriangle triangle{{a, b, c}, {}, stiffness, false};
    for (int k = 0; k < 3; ++k)
      triangle.squared_length[k] =
          (out.points[triangle.block[(k + 1) % 3]] - out.points[triangle.block[(k + 2) % 3]]).squaredNorm();
    out.elements.push_back(triangle);
  };
  for (int j = 0; j + 1 < n; ++j) {
    for (int i = 0; i + 1 < n; ++i) {
      const int a = j * n + i;
      add(a, a + 1, a + n + 1), add(a, a + n + 1, a + n);
    }
  }
  return out;
}

// The diagonal and the two kinds of straight edges inside.
Scenery<SoftHinge> hinges(int n) {
  Scenery<SoftHinge> out{sheet_points(n), {}};
  const auto add = [&](int wing, int a, int b, int other) { out.elements.push_back({{wing, a, b, other}, 0.1, 1e-4}); };
  for (int j = 0; j + 1 < n; ++j) {
    for (int i = 0; i + 1 < n; ++i) {
      const int a = j * n + i;
      add(a + 1, a, a + n + 1, a + n);
      if (j > 0) add(a + n + 1, a, a + 1, a - n);
      if (i > 0) add(a + n + 1, a + n, a, a - 1);
    }
  }
  return out;
}

Scenery<SoftTet> tets(int width, int length) {
  Scenery<SoftTet> out;
  const int n = width + 1;
  for (int i = 0; i < n * n * (length + 1); ++i)
    out.points.push_back(kSpacing * Vec3(i % n, i / n % n, i / (n * n)));  // NOLINT(bugprone-integer-division)
  constexpr int kOrder[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int cell = 0; cell < width * width * length; ++cell) {
    const Vec3i at(cell % width, cell / width % width, cell / (width * width));
    for (const auto& order : kOrder) {
      Vec3i corner = at;
      SoftTet tet;
      tet.block[0] = (corner[2] * n + corner[1]) * n + corner[0];
      Mat3 edges;
      for (int k = 0; k < 3; ++k) {
        ++corner[order[k]];
        tet.block[k + 1] = (corner[2] * n + corner[1]) * n + corner[0];
        edges.col(k) = out.points[tet.block[k + 1]] - out.points[tet.block[0]];
      }
      tet.rest_inverse = edges.inverse();
      tet.volume = std::abs(edges.determinant()) / 6;
      tet.mu = 4e4, tet.lambda = 6e4;
      out.elements.push_back(tet);
    }
  }
  return out;
}

// --- Measuring ---

template <class Real>
Movers<Real> shaken(const std::vector<Vec3>& points) {
  Movers<Real> movers;
  Noise noise;
  for (const Vec3& point : points) {
    Mover<Real> mover;
    for (int a = 0; a < 3; ++a) mover.x[a] = static_cast<Real>(point[a] + 0.1 * kSpacing * noise());
    mover.w = static_cast<Real>(points.size());  // 1 kg in all
    movers.points.push_back(mover);
  }
  return movers;
}

// Bytes per second that a copy reads and writes.
double copy_bandwidth(int threads) {
  constexpr std::size_t kBytes = 96U << 20U;
  constexpr int kPieces = 96;
  static std::vector<char> from(kBytes, 1), to(kBytes, 2);
  double best = 1e30;
  for (int k = 0; k < 5; ++k) {
    const double start = seconds(threads);
    parallel_for(kPieces, 1, [&](int begin, int end) {
      for (int piece = begin; piece < end; ++piece) {
        const std::size_t at = static_cast<std::size_t>(piece) * (kBytes / kPieces);
        for (std::size_t i = at; i < at + kBytes / kPieces; i += 32) {
          const math::Lanes x = math::load(reinterpret_cast<const double*>(&from[i]));
          math::store(reinterpret_cast<double*>(&to[i]), x);
        }
      }
    });
    best = std::min(best, seconds(threads) - start);
    benchmark::DoNotOptimize(to.data());
  }
  return 2 * static_cast<double>(kBytes) / best;
}

template <class Chosen, class Real, class Element>
void measure(benchmark::State& state, const Scenery<Element>& scenery, int threads, bool asks_bandwidth) {
  set_thread_count(threads);
  Chosen batch(scenery.elements, static_cast<int>(scenery.points.size()), false);
  Movers<Real> movers = shaken<Real>(scenery.points);
  const BlockVector before;
  const Controls controls;
  batch.begin({kStep, 1 / (kStep * kStep), before, controls}, movers);
  double best = 1e30;
  for (auto _ : state) {
    const double start = seconds(threads);
    batch.relax(1, movers);
    best = std::min(best, seconds(threads) - start);
  }
  const auto count = static_cast<double>(scenery.elements.size());
  state.counters["ns"] = 1e9 * best / count;
  if (asks_bandwidth) {
    // A group is read whole; of it the line with the multipliers is written back.
    constexpr double kLinkBytes = 3 * sizeof(Real) + 2 * sizeof(int) + 64.0 / LinkBatch<Real>::kLanes;
    const double bytes = count * kLinkBytes + 2.0 * sizeof(Mover<Real>) * static_cast<double>(scenery.points.size());
    const double bandwidth = copy_bandwidth(threads);
    state.counters["copy"] = 1e-9 * bandwidth;
    state.counters["of_limit"] = bytes / bandwidth / best;
  }
  set_thread_count(0);
}

template <class Real>
void register_of(const std::string& precision) {
  const auto add = [&](const std::string& name, const std::function<void(benchmark::State&, int)>& run) {
    for (const int threads : {1, 2}) {
      const std::string full = name + "/" + precision + "/threads:" + std::to_string(threads);
      benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) { run(state, threads); })
          ->Unit(benchmark::kMicrosecond)
          ->Iterations(100);
    }
  };
  using benchmark::State;
  for (const int n : {100, 409}) {
    const bool is_large = n > 200;
    const std::string size = std::to_string(n);
    add("links_" + size, [=](State& s, int t) { measure<LinkBatch<Real>, Real>(s, links(n), t, is_large); });
    add("links_general_" + size,
        [=](State& s, int t) { measure<LaneBatch<LinkKernel, Real>, Real>(s, links(n), t, false); });
  }
  add("triangles",
      [](State& s, int t) { measure<LaneBatch<TriangleKernel, Real>, Real>(s, triangles(101), t, false); });
  const auto add_hinges = [&]<HingeMeasure kMeasure>(const std::string& name) {
    add(name, [](State& s, int t) { measure<LaneBatch<HingeKernel<kMeasure>, Real>, Real>(s, hinges(101), t, false); });
  };
  add_hinges.template operator()<HingeMeasure::angle>("hinges_angle");
  add_hinges.template operator()<HingeMeasure::tangent>("hinges_tangent");
  add_hinges.template operator()<HingeMeasure::sine>("hinges_sine");
  const auto add_tets = [&]<SolidStrain kStrain>(const std::string& name) {
    add(name, [](State& s, int t) { measure<LaneBatch<TetKernel<kStrain>, Real>, Real>(s, tets(8, 52), t, false); });
  };
  add_tets.template operator()<SolidStrain::green>("tets_green");
  add_tets.template operator()<SolidStrain::polar>("tets_polar");
  add_tets.template operator()<SolidStrain::small>("tets_small");
}

[[maybe_unused]] const bool kRegistered = [] {
  register_of<double>("double");
  register_of<float>("float");
  return true;
}();

}  // namespace
}  // namespace pliant::solver
