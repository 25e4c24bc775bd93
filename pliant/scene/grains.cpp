#include "pliant/scene/grains.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "pliant/input_error.h"
#include "pliant/mesh/signed_distance.h"
#include "pliant/scene/body_meshes.h"
#include "pliant/scene/random.h"

namespace pliant::scene {
namespace {

constexpr double kRoomOfRadius = 1.05;  // half the spacing of sites over the largest radius; more is looser
constexpr double kShareOfRoom = 0.5;    // of what is left of it, by which a grain is moved at most
constexpr double kBirthGap = 0.05;      // m per radius: gap of a grain to those born before
constexpr int kTries = 400;             // places that are tried for a birth: an opening that refuses them all is full
constexpr double kMostGrainsMade = 1e7;
constexpr std::uint64_t kGrainStream = 0x67a195;

double largest_radius(const Material& material) { return *material.radius * (1 + material.radius_spread); }

double draw_radius(const Material& material, Random& random) {
  const double spread = material.radius_spread;
  return spread > 0 ? *material.radius * random.between(1 - spread, 1 + spread) : *material.radius;
}

// Whether a sphere of a radius [m] around a place is inside what is filled; for all places at once.
struct Room {
  Eigen::AlignedBox3d box;  // m, around it
  std::optional<mesh::SignedDistance> surface;

  [[nodiscard]] std::vector<Vec3> kept(std::vector<Vec3> places, double radius) const {
    if (!surface) return places;
    const std::vector<double> height = surface->signed_distances(places);
    std::vector<Vec3> inside;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (height[i] <= -radius) inside.push_back(places[i]);
    }
    return inside;
  }
};

Room room_of(const MeshSource& source) {
  if (const auto* box = std::get_if<BoxMesh>(&source.shape))
    return {Eigen::AlignedBox3d(-0.5 * box->size, 0.5 * box->size), {}};
  const TriangleMesh surface = make_surface(source);
  Room room;
  for (const Vec3& x : surface.vertices) room.box.extend(x);
  room.surface.emplace(surface);
  if (!room.surface->closed())
    throw InputError(source.source, "particles fill a closed surface, and this mesh has a border; close it");
  return room;
}

// Sites of a hexagonal close packing in a box, half a spacing a from its faces, from below.
//
//   layer height a √(2/3); rows a √3/2 apart, shifted by a/2 in turn; every other layer by (a/2, a/(2√3))
std::vector<Vec3> packed_sites(const Eigen::AlignedBox3d& box, double a, const std::string& place) {
  if (box.volume() / (a * a * a) > kMostGrainsMade)
    throw InputError(place, fmt::format("more than {:.0g} particles of this radius would fill the mesh; give them a "
                                        "larger radius",
                                        kMostGrainsMade));
  // A grain that just fits is not lost to rounding.
  const Vec3 low = box.min().array() + 0.5 * a, high = box.max().array() - 0.5 * a * (1 - 1e-9);
  const double row = a * std::sqrt(3.0) / 2, layer = a * std::sqrt(2.0 / 3.0);
  std::vector<Vec3> sites;
  for (int j = 0; low[1] + j * layer <= high[1]; ++j) {
    const double shift_z = j % 2 == 0 ? 0 : a / (2 * std::sqrt(3.0));
    for (int k = 0; low[2] + shift_z + k * row <= high[2]; ++k) {
      const double shift_x = (j + k) % 2 == 0 ? 0 : 0.5 * a;
      for (int i = 0; low[0] + shift_x + i * a <= high[0]; ++i)
        sites.emplace_back(low[0] + shift_x + i * a, low[1] + j * layer, low[2] + shift_z + k * row);
    }
  }
  // What is left is shared by the sides, but not by top and bottom.
  Vec3 last = low;
  for (const Vec3& site : sites) last = last.cwiseMax(site);
  for (Vec3& site : sites) site += 0.5 * Vec3(high[0] - last[0], 0, high[2] - last[2]);
  return sites;
}

// Grains near an opening at one moment, by cells of a grid: is a place free?
class Crowd {
 public:
  explicit Crowd(double reach) : cell_(reach) {}

  void clear() {
    first_.clear();
    grains_.clear();
  }
  void add(const Vec3& place, double radius) {
    const auto [head, is_new] = first_.try_emplace(key(index(place)), -1);
    grains_.push_back({place, radius, head->second});
    head->second = static_cast<int>(grains_.size()) - 1;
  }
  // Whether a grain of this radius keeps `gap` [m] from all others.
  [[nodiscard]] bool has_room(const Vec3& place, double radius, double gap) const {
    const std::array<std::int64_t, 3> centre = index(place);
    for (int n = 0; n < 27; ++n) {
      const auto head = first_.find(key({centre[0] + n % 3 - 1, centre[1] + n / 3 % 3 - 1, centre[2] + n / 9 - 1}));
      if (head == first_.end()) continue;
      for (int g = head->second; g >= 0; g = grains_[static_cast<std::size_t>(g)].next) {
        const Grain& other = grains_[static_cast<std::size_t>(g)];
        if ((other.place - place).norm() < other.radius + radius + gap) return false;
      }
    }
    return true;
  }

 private:
  struct Grain {
    Vec3 place;
    double radius;
    int next;  // of the same cell
  };
  [[nodiscard]] std::array<std::int64_t, 3> index(const Vec3& x) const {
    return {static_cast<std::int64_t>(std::floor(x[0] / cell_)), static_cast<std::int64_t>(std::floor(x[1] / cell_)),
            static_cast<std::int64_t>(std::floor(x[2] / cell_))};
  }
  // 21 bits for each: cells that share a key only make a search longer.
  [[nodiscard]] static std::uint64_t key(const std::array<std::int64_t, 3>& i) {
    constexpr std::uint64_t kBits = (1ULL << 21) - 1;
    return (static_cast<std::uint64_t>(i[0]) & kBits) << 42 | (static_cast<std::uint64_t>(i[1]) & kBits) << 21 |
           (static_cast<std::uint64_t>(i[2]) & kBits);
  }

  double cell_;
  std::unordered_map<std::uint64_t, int> first_;
  std::vector<Grain> grains_;
};

Vec3 place_in(const std::variant<BoxOpening, RoundOpening>& opening, Random& random) {
  const auto anywhere = [&](const Vec3& low, const Vec3& high) {
    Vec3 x;
    for (int axis = 0; axis < 3; ++axis) x[axis] = random.between(low[axis], high[axis]);
    return x;
  };
  if (const auto* box = std::get_if<BoxOpening>(&opening)) return anywhere(box->min, box->max);
  const auto& ball = std::get<RoundOpening>(opening);
  for (;;) {
    const Vec3 offset = anywhere(Vec3::Constant(-1), Vec3::Constant(1));
    if (offset.squaredNorm() <= 1) return ball.center + ball.radius * offset;
  }
}

Eigen::AlignedBox3d box_around(const std::variant<BoxOpening, RoundOpening>& opening) {
  if (const auto* box = std::get_if<BoxOpening>(&opening)) return {box->min, box->max};
  const auto& ball = std::get<RoundOpening>(opening);
  return {ball.center - Vec3::Constant(ball.radius), ball.center + Vec3::Constant(ball.radius)};
}

// How many births there are. Those after the run's end are there, too, when the scene says until when: a run that is
// extended goes on with the same grains.
int birth_count(const Scene& scene, const Body& body) {
  const Emitter& emitter = *body.emitter;
  const double end = emitter.until.value_or(scene.time.end);
  // The grain whose turn comes with the end has no step left.
  double count = std::ceil(emitter.rate * end * (1 - 1e-12));
  if (emitter.count) count = std::min(count, static_cast<double>(*emitter.count));
  if (count > kMostGrainsMade)
    throw InputError(body.source, fmt::format("bodies.{}.emitter makes more than {:.0g} particles; lower its rate, or "
                                              "set its count",
                                              body.name, kMostGrainsMade));
  return std::max(1, static_cast<int>(count));
}

}  // namespace

PlacedBody filling_grains(const Scene& scene, const Body& body, std::uint64_t stream) {
  const Material& material = scene.material(body.material);
  const Room room = room_of(body.mesh);
  // The mesh is scaled later, the grains are not.
  const double half = kRoomOfRadius * largest_radius(material) / body.scale;
  std::vector<Vec3> sites = room.kept(packed_sites(room.box, 2 * half, body.mesh.source), half);
  if (sites.empty()) {
    throw InputError(body.mesh.source,
                     fmt::format("no particle of radius {:.4g} m fits into the mesh of body '{}'; make it larger, or "
                                 "the particles smaller",
                                 largest_radius(material), body.name));
  }
  if (body.count && sites.size() > static_cast<std::size_t>(*body.count))
    sites.resize(static_cast<std::size_t>(*body.count));
  PlacedBody grains;
  Random random(scene.seed, kGrainStream + stream);
  for (const Vec3& site : sites) {
    const double radius = draw_radius(material, random), room_left = half - radius / body.scale;
    Vec3 shift;
    for (int axis = 0; axis < 3; ++axis) shift[axis] = random.between(-1, 1);
    grains.mesh.vertices.push_back(site + kShareOfRoom * room_left / std::sqrt(3.0) * shift);
    grains.radii.push_back(radius);
  }
  grains.notes.push_back(fmt::format("{} particles", sites.size()));
  return grains;
}

PlacedBody emitted_grains(const Scene& scene, const Body& body, std::uint64_t stream) {
  const Emitter& emitter = *body.emitter;
  const Material& material = scene.material(body.material);
  const double largest = largest_radius(material), h = scene.time.step;
  const int count = birth_count(scene, body);
  Eigen::AlignedBox3d near = box_around(emitter.from);
  near.min().array() -= (2 + kBirthGap) * largest;
  near.max().array() += (2 + kBirthGap) * largest;
  PlacedBody grains;
  grains.body = &body;
  grains.name = body.name;
  Random random(scene.seed, kGrainStream + stream);
  Crowd crowd((2 + kBirthGap) * largest);
  std::vector<std::pair<int, std::int64_t>>
      recent;  // grains that have not left the opening, and the step of their birth
  std::int64_t last_step = -1;
  for (int k = 0; k < count; ++k) {
    const auto step = static_cast<std::int64_t>(std::ceil(k / (emitter.rate * h) - 1e-9));
    // Where those of earlier steps are now.
    if (step != last_step) {
      crowd.clear();
      std::vector<std::pair<int, std::int64_t>> left;
      for (const auto& [grain, birth] : recent) {
        const auto n = static_cast<double>(step - birth);
        const Vec3 now = grains.mesh.vertices[static_cast<std::size_t>(grain)] + n * h * emitter.velocity +
                         0.5 * n * (n + 1) * h * h * scene.gravity;
        if (!near.contains(now)) continue;
        crowd.add(now, grains.radii[static_cast<std::size_t>(grain)]);
        left.emplace_back(grain, birth);
      }
      recent = std::move(left);
      last_step = step;
    }
    const double radius = draw_radius(material, random);
    Vec3 place = place_in(emitter.from, random);
    int tries = 1;
    while (!crowd.has_room(place, radius, kBirthGap * largest) && ++tries <= kTries)
      place = place_in(emitter.from, random);
    if (tries > kTries) {
      throw InputError(
          body.source,
          fmt::format("bodies.{}.emitter.rate is too high for its opening: at t = {:.4g} s, after {} particles, there "
                      "is no room for another of radius {:.4g} m; widen from, raise velocity or lower rate",
                      body.name, static_cast<double>(step) * h, k, radius));
    }
    crowd.add(place, radius);
    recent.emplace_back(k, step);
    grains.mesh.vertices.push_back(place);
    grains.radii.push_back(radius);
    grains.births.push_back(static_cast<double>(step) * h);
  }
  grains.notes.push_back(fmt::format("{} particles, born until t = {:.4g} s", count, grains.births.back()));
  return grains;
}

}  // namespace pliant::scene
