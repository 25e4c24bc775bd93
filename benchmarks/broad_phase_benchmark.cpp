// Speed of the broad phase of contact: near pairs of a folded cloth, against a hash grid and Embree's collider.
//
//   broad_phase_benchmark                                    everything
//   broad_phase_benchmark --benchmark_filter=folded          only some
//
// folded   a sheet of 224 × 224 cells of 10 mm (100 352 triangles), numbered along a Hilbert curve of the flat sheet as
//          models are, folded like an accordion into eight layers, and turned off the axes by `tilt` degrees. Task: new
//          boxes are given; all near pairs of vertices and triangles and of edges and edges are wanted, without those
//          that share a vertex. Cases: thin (layers 2 mm apart, boxes inflated by 1 mm) and thick (4 mm, 3 mm).
// sizes    build, refit and pairs of edges, for sheets of 10³ to 10⁶ edges.
//
// Competitors take turns within every sweep, and the best sweep counts. With one thread it is processor time of the
// process, so that other programs do not count; with more it is wall time.
#include <benchmark/benchmark.h>
#include <embree3/rtcore.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pliant/contact/broad_phase/overlapping_pairs.h"
#include "pliant/mesh/edges.h"
#include "pliant/mesh/grid_sheet.h"
#include "pliant/mesh/ordering.h"
#include "pliant/parallel/parallel.h"

namespace pliant::contact {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of one call.
template <class Operation>
double time_of(const Operation& operation) {
  const clockid_t clock = thread_count() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const double start = seconds(clock);
  operation();
  return seconds(clock) - start;
}

struct Cloth {
  TriangleMesh mesh;
  std::vector<Edge> edges;
  std::vector<Box> vertex_boxes, triangle_boxes, edge_boxes;

  // Layers [m] apart, boxes inflated by a radius [m], tilt in degrees.
  Cloth(int cells, double gap, double radius, double tilt) {
    constexpr double kCell = 0.01;
    const double side = kCell * cells;
    mesh = make_grid({.size = {side, side}, .cells = {cells, cells}, .pattern = GridPattern::alternating});
    mesh = renumber(mesh, hilbert_order(mesh.vertices));
    edges = mesh_edges(mesh);
    const double angle = tilt / 180 * std::numbers::pi, c = std::cos(angle), s = std::sin(angle);
    for (Vec3& x : mesh.vertices) {
      const Vec3 f = folded(x + Vec3(side / 2, 0, side / 2), side / 8, gap);
      const Vec3 g(c * f[0] - s * f[1], s * f[0] + c * f[1], f[2]);
      x = Vec3(g[0], c * g[1] - s * g[2], s * g[1] + c * g[2]);
    }
    fill_boxes(radius);
  }

  // Straight panels joined by half circles, followed along x by arc length.
  static Vec3 folded(const Vec3& flat, double panel, double gap) {
    const double turn = std::numbers::pi * gap / 2, period = panel + turn;
    const int layer = static_cast<int>(flat[0] / period);
    const double along = flat[0] - layer * period;
    double x = std::min(along, panel), y = layer * gap;
    if (along > panel) {
      const double angle = (along - panel) / (gap / 2);
      x += gap / 2 * std::sin(angle);
      y += gap / 2 * (1 - std::cos(angle));
    }
    return {layer % 2 == 0 ? x : panel - x, y, flat[2]};
  }

  void fill_boxes(double radius) {
    vertex_boxes.resize(mesh.vertices.size());
    triangle_boxes.resize(mesh.triangles.size());
    edge_boxes.resize(edges.size());
    const Vec3 margin = Vec3::Constant(radius);
    const auto& x = mesh.vertices;
    for (std::size_t v = 0; v < x.size(); ++v) vertex_boxes[v] = Box::of(x[v] - margin, x[v] + margin);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const Vec3i& k = mesh.triangles[t];
      triangle_boxes[t] = Box::of(x[k[0]].cwiseMin(x[k[1]]).cwiseMin(x[k[2]]) - margin,
                                  x[k[0]].cwiseMax(x[k[1]]).cwiseMax(x[k[2]]) + margin);
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto& [a, b] = edges[e];
      edge_boxes[e] = Box::of(x[a].cwiseMin(x[b]) - margin, x[a].cwiseMax(x[b]) + margin);
    }
  }

  [[nodiscard]] auto keep_triangle() const {
    return [k = mesh.triangles.data()](int v, int t) { return (k[t][0] != v) & (k[t][1] != v) & (k[t][2] != v); };
  }
  [[nodiscard]] auto keep_edge() const {
    return [k = edges.data()](int i, int j) {
      return (k[i][0] != k[j][0]) & (k[i][0] != k[j][1]) & (k[i][1] != k[j][0]) & (k[i][1] != k[j][1]);
    };
  }
};

// --- Ours ---
struct Trees {
  Bvh vertices, triangles, edges;
  PairLists vertex_triangle, edge_edge;

  explicit Trees(const Cloth& cloth) {
    vertices.build(cloth.vertex_boxes);
    triangles.build(cloth.triangle_boxes);
    edges.build(cloth.edge_boxes);
  }
  void refit(const Cloth& cloth) {
    vertices.refit(cloth.vertex_boxes);
    triangles.refit(cloth.triangle_boxes);
    edges.refit(cloth.edge_boxes);
  }
  void find_vertex_triangle(const Cloth& cloth) {
    overlapping_pairs(vertices, triangles, cloth.keep_triangle(), vertex_triangle);
  }
  void find_edge_edge(const Cloth& cloth) { overlapping_pairs(edges, cloth.keep_edge(), edge_edge); }
};

// --- A uniform grid, hashed into as many buckets as there are boxes ---
class HashGrid {
 public:
  // Every box into all cells it touches; cells as wide as the mean box.
  void build(std::span<const Box> boxes) {
    boxes_ = boxes;
    double width = 0;
    for (const Box& b : boxes) width += (b.high[0] - b.low[0]) + (b.high[1] - b.low[1]) + (b.high[2] - b.low[2]);
    inverse_width_ = static_cast<float>(3.0 * static_cast<double>(boxes.size()) / width);
    first_.assign(kBuckets + 1, 0);
    for (const Box& b : boxes) {
      for_each_cell(b, [&](int x, int y, int z) { ++first_[bucket(x, y, z) + 1]; });
    }
    for (int k = 0; k < kBuckets; ++k) first_[k + 1] += first_[k];
    entries_.resize(first_.back());
    next_.assign(first_.begin(), first_.end() - 1);
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      for_each_cell(boxes[i], [&](int x, int y, int z) { entries_[next_[bucket(x, y, z)]++] = {x, y, z, i}; });
    }
  }
  template <class Visit>
  void query(const Box& box, const Visit& visit) const {
    for_each_cell(box, [&](int x, int y, int z) {
      const int k = bucket(x, y, z);
      for (int e = first_[k]; e < first_[k + 1]; ++e) {
        const Entry& entry = entries_[e];
        if (entry.x != x || entry.y != y || entry.z != z) continue;
        const Box& other = boxes_[entry.index];
        bool overlap = true;
        for (int a = 0; a < 3; ++a) overlap &= box.low[a] <= other.high[a] && other.low[a] <= box.high[a];
        // A pair that shares several cells counts in the cell of the low corner of its overlap.
        if (overlap && cell(std::max(box.low[0], other.low[0])) == x && cell(std::max(box.low[1], other.low[1])) == y &&
            cell(std::max(box.low[2], other.low[2])) == z) {
          visit(entry.index);
        }
      }
    });
  }

 private:
  static constexpr int kBuckets = 1 << 18;
  struct Entry {
    int x, y, z, index;
  };
  [[nodiscard]] int cell(float x) const { return static_cast<int>(std::floor(x * inverse_width_)); }
  static int bucket(int x, int y, int z) {
    const std::uint32_t h = 73856093u * static_cast<std::uint32_t>(x) ^ 19349663u * static_cast<std::uint32_t>(y) ^
                            83492791u * static_cast<std::uint32_t>(z);
    return static_cast<int>(h & (kBuckets - 1));
  }
  template <class Visit>
  void for_each_cell(const Box& b, const Visit& visit) const {
    const int low[3] = {cell(b.low[0]), cell(b.low[1]), cell(b.low[2])};
    const int high[3] = {cell(b.high[0]), cell(b.high[1]), cell(b.high[2])};
    for (int z = low[2]; z <= high[2]; ++z) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int x = low[0]; x <= high[0]; ++x) visit(x, y, z);
      }
    }
  }
  std::span<const Box> boxes_;
  float inverse_width_ = 1;
  std::vector<int> first_, next_;
  std::vector<Entry> entries_;
};

struct Grids {
  HashGrid triangles, edges;
  std::vector<Pair> vertex_triangle, edge_edge;

  void find(const Cloth& cloth) {
    vertex_triangle.clear();
    edge_edge.clear();
    triangles.build(cloth.triangle_boxes);
    edges.build(cloth.edge_boxes);
    const auto keep_triangle = cloth.keep_triangle();
    const auto keep_edge = cloth.keep_edge();
    for (int v = 0; v < static_cast<int>(cloth.vertex_boxes.size()); ++v) {
      triangles.query(cloth.vertex_boxes[v], [&](int t) {
        if (keep_triangle(v, t)) vertex_triangle.emplace_back(v, t);
      });
    }
    for (int i = 0; i < static_cast<int>(cloth.edge_boxes.size()); ++i) {
      edges.query(cloth.edge_boxes[i], [&](int j) {
        if (i < j && keep_edge(i, j)) edge_edge.emplace_back(i, j);
      });
    }
  }
};

// --- Embree: user geometries, refitted by its own means, and rtcCollide ---
class EmbreeBoxes {
 public:
  EmbreeBoxes(RTCDevice device, const std::vector<Box>& boxes) : boxes_(&boxes) {
    geometry_ = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry_, static_cast<unsigned>(boxes.size()));
    rtcSetGeometryUserData(geometry_, this);
    rtcSetGeometryBoundsFunction(
        geometry_,
        [](const RTCBoundsFunctionArguments* arguments) {
          const Box& b = (*static_cast<EmbreeBoxes*>(arguments->geometryUserPtr)->boxes_)[arguments->primID];
          RTCBounds& bounds = *arguments->bounds_o;
          bounds = {b.low[0], b.low[1], b.low[2], 0, b.high[0], b.high[1], b.high[2], 0};
        },
        nullptr);
    rtcCommitGeometry(geometry_);
    scene_ = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_DYNAMIC);
    rtcAttachGeometry(scene_, geometry_);
    rtcCommitScene(scene_);
    rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_REFIT);
    commit();
  }
  ~EmbreeBoxes() {
    rtcReleaseScene(scene_);
    rtcReleaseGeometry(geometry_);
  }
  EmbreeBoxes(const EmbreeBoxes&) = delete;
  EmbreeBoxes& operator=(const EmbreeBoxes&) = delete;

  void commit() {
    rtcUpdateGeometryBuffer(geometry_, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(geometry_);
    rtcCommitScene(scene_);
  }
  [[nodiscard]] RTCScene scene() const { return scene_; }

 private:
  const std::vector<Box>* boxes_;
  RTCGeometry geometry_;
  RTCScene scene_;
};

struct EmbreeSearch {
  RTCDevice device = rtcNewDevice("threads=1,set_affinity=0");
  const Cloth& cloth;
  EmbreeBoxes vertices, triangles, edges;
  std::vector<Pair> vertex_triangle, edge_edge;

  explicit EmbreeSearch(const Cloth& its_cloth)
      : cloth(its_cloth),
        vertices(device, cloth.vertex_boxes),
        triangles(device, cloth.triangle_boxes),
        edges(device, cloth.edge_boxes) {}
  ~EmbreeSearch() { rtcReleaseDevice(device); }
  EmbreeSearch(const EmbreeSearch&) = delete;
  EmbreeSearch& operator=(const EmbreeSearch&) = delete;

  void commit() {
    vertices.commit();
    triangles.commit();
    edges.commit();
  }
  // Leaves are handed out without a test of their boxes, so the test and the filter stand here. One thread only.
  void find() {
    vertex_triangle.clear();
    edge_edge.clear();
    rtcCollide(
        vertices.scene(), triangles.scene(),
        [](void* self, RTCCollision* collisions, unsigned count) {
          auto& s = *static_cast<EmbreeSearch*>(self);
          const auto keep = s.cloth.keep_triangle();
          for (unsigned k = 0; k < count; ++k) {
            const int v = static_cast<int>(collisions[k].primID0), t = static_cast<int>(collisions[k].primID1);
            if (keep(v, t) && overlap(s.cloth.vertex_boxes[v], s.cloth.triangle_boxes[t])) {
              s.vertex_triangle.emplace_back(v, t);
            }
          }
        },
        this);
    rtcCollide(
        edges.scene(), edges.scene(),
        [](void* self, RTCCollision* collisions, unsigned count) {
          auto& s = *static_cast<EmbreeSearch*>(self);
          const auto keep = s.cloth.keep_edge();
          for (unsigned k = 0; k < count; ++k) {
            const int i = static_cast<int>(collisions[k].primID0), j = static_cast<int>(collisions[k].primID1);
            if (i < j && keep(i, j) && overlap(s.cloth.edge_boxes[i], s.cloth.edge_boxes[j])) {
              s.edge_edge.emplace_back(i, j);
            }
          }
        },
        this);
  }
  static bool overlap(const Box& a, const Box& b) {
    bool all = true;
    for (int k = 0; k < 3; ++k) all &= (a.low[k] <= b.high[k]) & (b.low[k] <= a.high[k]);
    return all;
  }
};

// --- Benchmarks ---
struct Best {
  double seconds = 1e30;
  void update(double s) { seconds = std::min(seconds, s); }
};

// Arguments: thick (1) or thin (0), tilt [degrees], threads.
void folded(benchmark::State& state) {
  const bool thick = state.range(0) == 1;
  set_thread_count(static_cast<int>(state.range(2)));
  const bool compare = thread_count() == 1;
  const Cloth cloth(224, thick ? 0.004 : 0.002, thick ? 0.003 : 0.001, static_cast<double>(state.range(1)));
  Trees trees(cloth);
  Grids grids;
  // A device of Embree with one thread keeps all of TBB to one.
  std::optional<EmbreeSearch> embree;
  if (compare) embree.emplace(cloth);
  Best build, refit, vertex_triangle, edge_edge, grid, commit, collide;
  for (auto _ : state) {
    build.update(time_of([&] { trees = Trees(cloth); }));
    trees.refit(cloth), trees.find_vertex_triangle(cloth), trees.find_edge_edge(cloth);  // memory as in a second step
    for (int k = 0; k < 3; ++k) {
      refit.update(time_of([&] { trees.refit(cloth); }));
      vertex_triangle.update(time_of([&] { trees.find_vertex_triangle(cloth); }));
      edge_edge.update(time_of([&] { trees.find_edge_edge(cloth); }));
    }
    if (!compare) continue;
    grid.update(time_of([&] { grids.find(cloth); }));
    commit.update(time_of([&] { embree->commit(); }));
    collide.update(time_of([&] { embree->find(); }));
  }
  const double per_triangle = 1e9 / static_cast<double>(cloth.mesh.triangles.size());
  const double ours = refit.seconds + vertex_triangle.seconds + edge_edge.seconds;
  const auto pairs = static_cast<double>(trees.vertex_triangle.pair_count() + trees.edge_edge.pair_count());
  state.counters["build"] = build.seconds * per_triangle;
  state.counters["refit"] = refit.seconds * per_triangle;
  state.counters["vt"] = vertex_triangle.seconds * per_triangle;
  state.counters["ee"] = edge_edge.seconds * per_triangle;
  state.counters["ns_per_triangle"] = ours * per_triangle;
  state.counters["ns_per_primitive"] =
      ours * 1e9 / static_cast<double>(cloth.vertex_boxes.size() + cloth.triangle_boxes.size() + cloth.edges.size());
  state.counters["ns_per_pair"] = ours * 1e9 / pairs;
  state.counters["t_per_v"] =
      static_cast<double>(trees.vertex_triangle.pair_count()) / static_cast<double>(cloth.vertex_boxes.size());
  state.counters["e_per_e"] =
      2 * static_cast<double>(trees.edge_edge.pair_count()) / static_cast<double>(cloth.edges.size());
  if (!compare) return;
  state.counters["x_grid"] = grid.seconds / ours;
  state.counters["x_embree"] = (commit.seconds + collide.seconds) / ours;
  state.counters["x_embree_commit"] = commit.seconds / refit.seconds;
  const bool same = grids.vertex_triangle.size() + grids.edge_edge.size() == static_cast<std::size_t>(pairs) &&
                    embree->vertex_triangle.size() + embree->edge_edge.size() == static_cast<std::size_t>(pairs);
  if (!same) state.SkipWithError("the three do not agree");
}
BENCHMARK(folded)
    ->ArgNames({"thick", "tilt", "threads"})
    ->ArgsProduct({{0, 1}, {0, 30}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(7);

// Arguments: cells along a side, threads. 3 n² edges.
void sizes(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  const Cloth cloth(static_cast<int>(state.range(0)), 0.002, 0.001, 0);
  Bvh tree;
  PairLists pairs;
  tree.build(cloth.edge_boxes);
  Best build, refit, find;
  for (auto _ : state) {
    build.update(time_of([&] { tree.build(cloth.edge_boxes); }));
    refit.update(time_of([&] { tree.refit(cloth.edge_boxes); }));
    find.update(time_of([&] { overlapping_pairs(tree, cloth.keep_edge(), pairs); }));
  }
  const auto count = static_cast<double>(cloth.edges.size());
  state.counters["edges"] = count;
  state.counters["build_ns"] = 1e9 * build.seconds / count;
  state.counters["refit_ns"] = 1e9 * refit.seconds / count;
  state.counters["pairs_ns"] = 1e9 * find.seconds / count;
  state.counters["e_per_e"] = 2 * static_cast<double>(pairs.pair_count()) / count;
}
BENCHMARK(sizes)
    ->ArgNames({"cells", "threads"})
    ->ArgsProduct({{18, 58, 183, 577}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(9);

}  // namespace
}  // namespace pliant::contact
