#include "pliant/picture/shading.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/assert.h"
#include "pliant/picture/colour_map.h"
#include "pliant/picture/image.h"
#include "pliant/picture/sampling.h"

namespace pliant::picture {
namespace {

// Linear light. Chosen by eye: a matt white surface facing the sun comes out just below white.
constexpr float kSunStrength = 0.80F, kSkyStrength = 0.72F;
constexpr float kSunRadius = 0.09F;  // tangent; the true sun's is 0.005, whose shadows have no soft edge at this size
const Vec3f kHorizon(0.86F, 0.88F, 0.90F), kZenith(0.56F, 0.66F, 0.78F);
const Vec3f kSkyLight(0.97F, 0.99F, 1.03F), kSunLight(1.02F, 1.00F, 0.96F);
const Vec3f kGroundColour(0.77F, 0.785F, 0.80F), kGridColour(0.55F, 0.58F, 0.62F);
const Vec3f kLineColour(0.03F, 0.035F, 0.045F);
constexpr float kGroundBounce = 0.45F;               // share of the sky's light that comes back from below
constexpr float kBlockedReturn = 0.14F;              // light of the second bounce, which is not traced
constexpr float kAmbientReach = 0.6F;                // of the motion's size: further things do not darken
constexpr float kOffset = 2e-5F;                     // of the motion's size: some roundings of single precision
constexpr float kFadeBegin = 1.2F, kFadeEnd = 6.0F;  // of the motion's size, from its middle: where the ground ends
constexpr int kFirstSamples = 4;                     // tell whether a pixel is empty; it then needs no more
constexpr float kFarShare = 0.012F;                  // of the sky that shapes may hide where the ground counts as empty
constexpr int kMostRays = 32;                        // of one sort in a batch
constexpr double kLineWidth = 1.1, kLineFade = 7;  // pixels: of mesh lines; triangles lower than that have fainter ones

float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

// Two unit vectors that make a right-handed frame with n.
void complete_frame(const Vec3f& n, Vec3f& across, Vec3f& along) {
  across = n.unitOrthogonal();
  along = n.cross(across);
}

// Density proportional to the cosine with n.
Vec3f cosine_direction(const Vec3f& n, const Eigen::Vector2f& point) {
  Vec3f across, along;
  complete_frame(n, across, along);
  const float radius = std::sqrt(point[0]), angle = 2 * std::numbers::pi_v<float> * point[1];
  return radius * std::cos(angle) * across + radius * std::sin(angle) * along +
         std::sqrt(std::max(0.0F, 1 - point[0])) * n;
}

// Lines 1-2-5 apart, about an eighth of the motion.
float spacing_of_grid(double size) {
  const double rough = size / 8, decade = std::pow(10.0, std::floor(std::log10(rough)));
  return static_cast<float>(decade * (rough / decade < 2 ? 1 : rough / decade < 5 ? 2 : 5));
}

Vec3f linear_map_colour(float value) {
  const Vec3 colour = map_colour(value);
  return colour.unaryExpr([](double x) { return linear_from_srgb(x); }).cast<float>();
}

const Vec3f& map_colour_of(float value) {
  constexpr int kSteps = 512;  // twice the map's own entries
  static const std::vector<Vec3f> table = [] {
    std::vector<Vec3f> colours;
    for (int i = 0; i <= kSteps; ++i) colours.push_back(linear_map_colour(static_cast<float>(i) / kSteps));
    colours.push_back(linear_map_colour(std::numeric_limits<float>::quiet_NaN()));
    return colours;
  }();
  if (std::isnan(value)) return table.back();
  return table[static_cast<std::size_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * kSteps))];
}

float interpolated_value(const Shape& shape, const Hit& hit) {
  const auto value = [&](int vertex) { return shape.value[static_cast<std::size_t>(vertex)]; };
  const auto primitive = static_cast<std::size_t>(hit.primitive);
  if (shape.kind == ShapeKind::balls) return value(hit.primitive);
  if (shape.kind == ShapeKind::tubes)
    return (1 - hit.u) * value(shape.segments[2 * primitive]) + hit.u * value(shape.segments[2 * primitive + 1]);
  const Vec3i& t = shape.triangles[primitive];
  return (1 - hit.u - hit.v) * value(t[0]) + hit.u * value(t[1]) + hit.v * value(t[2]);
}

// Fades the sun before the triangle turns away from it; 1 on flat-shaded surfaces. [Chiang2019, eq. 1 and 3]
float grazing_factor(const Vec3f& normal, const Vec3f& facet, const Vec3f& sun) {
  const float facet_cosine = facet.dot(sun), cosine = normal.dot(sun), between = normal.dot(facet);
  if (facet_cosine <= 0 || cosine <= 0 || between <= 0) return 0;
  const float g = std::min(1.0F, facet_cosine / (cosine * between));
  return g * (1 + g * (1 - g));
}

}  // namespace

struct Shader::Spot {
  Vec3f point;          // m
  Vec3f start;          // m, where rays towards the light begin
  Vec3f normal;         // unit, shading
  Vec3f facet;          // unit, of the surface itself; both on the viewer's side
  Vec3f colour;         // reflectance
  Vec3f direction;      // of sight
  float fade = 1;       // ground only: 0 at the horizon
  bool is_far = false;  // ground only: the shapes hide next to nothing of its sky
  bool is_ground = false;
};

struct Shader::Batch {
  std::array<Spot, kMostRays> spots;
  std::size_t spot_count = 0;
  Vec3f sum = Vec3f::Zero();
  bool is_plain = true;  // only background and unshadowed ground so far
};

Shader::Shader(const Tracer& tracer, std::span<const Shape> shapes, const Camera& camera, const Look& look)
    : tracer_(tracer),
      shapes_(shapes),
      camera_(camera),
      look_(look),
      up_(look.up.cast<float>()),
      size_(static_cast<float>(look.size)) {
  PLIANT_ASSERT(look.samples > 0 && std::max(look.sun_rays, look.ambient_rays) * kFirstSamples <= kMostRays,
                "the rays of a few samples fit into a batch");
  // The sun stands behind the viewer's left shoulder: shadows fall to the right, away from the viewer.
  Vec3 behind = camera.backward() - camera.backward().dot(look.up) * look.up;
  if (behind.norm() < 1e-3) behind = camera.up();
  sun_ = (look.up - 0.62 * camera.right() + 0.35 * behind.normalized()).normalized().cast<float>();
  complete_frame(sun_, sun_across_, sun_along_);

  // The grid follows the world's axes.
  const Vec3 axis = std::abs(look.up[0]) < 0.9 ? Vec3::UnitX() : Vec3::UnitZ();
  ground_across_ = (axis - axis.dot(look.up) * look.up).normalized().cast<float>();
  ground_along_ = up_.cross(ground_across_);
  grid_spacing_ = spacing_of_grid(look.size);

  // A camera below the ground would see nothing else.
  if (look_.ground && camera.place().dot(look.up) <= *look_.ground) look_.ground.reset();
  if (look_.ground) ground_height_ = static_cast<float>(*look_.ground - look.origin.dot(look.up));
  // A sphere around what this frame shows.
  Vec3f low = Vec3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
  for (const Shape& shape : shapes)
    for (const Vec3f& x : shape.vertices) low = low.cwiseMin(x), high = high.cwiseMax(x);
  if ((low.array() <= high.array()).all()) {
    middle_ = (low + high) / 2;
    radius_ = (high - low).norm() / 2;
  }
  open_ground_light_ = kSunStrength * up_.dot(sun_) * kSunLight + kSkyStrength * kSkyLight;
}

Vec3f Shader::pixel(int column, int row) const {
  Batch batch;
  int done = 0;
  for (int end = std::min(kFirstSamples, look_.samples); done < look_.samples;) {
    add_samples(column, row, done, end, batch);
    light_samples(column, row, done, batch);
    done = end;
    if (done >= kFirstSamples && batch.is_plain) break;
    end = std::min(done + kMostRays / std::max({1, look_.sun_rays, look_.ambient_rays}), look_.samples);
  }
  return batch.sum / static_cast<float>(done);
}

// Where the samples first..end of a pixel meet a surface; background is added to the sum at once.
void Shader::add_samples(int column, int row, int first, int end, Batch& batch) const {
  const PixelPoints places(column, row, 0);
  std::array<LightRay, kMostRays> rays;
  std::array<Vec2, kMostRays> pixels;
  std::array<Hit, kMostRays> hits;
  const auto count = static_cast<std::size_t>(end - first);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector2f offset = places.at(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i));
    pixels[i] = Vec2(column + offset[0], row + offset[1]);
    const Camera::Ray ray = camera_.ray(pixels[i][0], pixels[i][1]);
    rays[i] = {(ray.origin - look_.origin).cast<float>(), ray.direction.cast<float>(),
               std::numeric_limits<float>::infinity()};
  }
  tracer_.find_nearest(std::span(rays).first(count), std::span(hits).first(count));

  batch.spot_count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<Spot> ground = ground_spot(rays[i]);
    const float ground_distance =
        ground ? (ground->point - rays[i].origin).norm() : std::numeric_limits<float>::infinity();
    if (hits[i].shape >= 0 && hits[i].distance < ground_distance) {
      batch.spots[batch.spot_count++] = shape_spot(rays[i], hits[i], pixels[i]);
      batch.is_plain = false;
    } else if (ground) {
      batch.spots[batch.spot_count++] = *ground;
    } else {
      batch.sum += background(rays[i].direction);
    }
  }
}

// Sun and sky at the batch's spots, all rays of a sort together.
void Shader::light_samples(int column, int row, int first, Batch& batch) const {
  const std::size_t suns = static_cast<std::size_t>(look_.sun_rays);
  const std::size_t skies = static_cast<std::size_t>(look_.ambient_rays);
  const PixelPoints sun_points(column, row, 1), sky_points(column, row, 2);
  std::array<LightRay, kMostRays> sun_rays, sky_rays;
  std::array<std::uint8_t, kMostRays> sun_blocked{}, sky_blocked{};
  for (std::size_t s = 0; s < batch.spot_count; ++s) {
    const Spot& spot = batch.spots[s];
    const auto number = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(s);
    for (std::size_t k = 0; k < suns; ++k) {
      const auto index = number * static_cast<std::uint32_t>(suns) + static_cast<std::uint32_t>(k);
      sun_rays[s * suns + k] = {spot.start, sun_direction(sun_points.at(index)),
                                std::numeric_limits<float>::infinity()};
    }
    for (std::size_t k = 0; k < skies; ++k) {
      const auto index = number * static_cast<std::uint32_t>(skies) + static_cast<std::uint32_t>(k);
      Vec3f direction = cosine_direction(spot.normal, sky_points.at(index));
      // Directions into the triangle are mirrored at it.
      const float height = direction.dot(spot.facet);
      if (height < 0) direction -= 2 * height * spot.facet;
      sky_rays[s * skies + k] = {spot.start, direction, kAmbientReach * size_};
    }
  }
  const std::size_t sun_count = batch.spot_count * suns, sky_count = batch.spot_count * skies;
  tracer_.find_blocked(std::span(sun_rays).first(sun_count), std::span(sun_blocked).first(sun_count));
  tracer_.find_blocked(std::span(sky_rays).first(sky_count), std::span(sky_blocked).first(sky_count));

  for (std::size_t s = 0; s < batch.spot_count; ++s) {
    const Spot& spot = batch.spots[s];
    Light light{Vec3f::Zero(), 0, spot.is_far};
    for (std::size_t k = 0; k < suns; ++k) {
      light.is_plain = light.is_plain && sun_blocked[s * suns + k] == 0;
      if (sun_blocked[s * suns + k] == 0) light.sun += 1.0F / static_cast<float>(suns);
    }
    for (std::size_t k = 0; k < skies; ++k) {
      const bool is_blocked = sky_blocked[s * skies + k] != 0;
      light.is_plain = light.is_plain && !is_blocked;
      light.ambient +=
          is_blocked ? Vec3f(kBlockedReturn * spot.colour) : sky(spot.start, sky_rays[s * skies + k].direction);
    }
    light.ambient = skies > 0 ? Vec3f(light.ambient / static_cast<float>(skies)) : kSkyLight;
    if (suns == 0) light.sun = 1;
    batch.is_plain = batch.is_plain && light.is_plain;
    batch.sum += radiance(spot, light);
  }
}

Vec3f Shader::background(const Vec3f& direction) const {
  const float height = smooth_step(0.0F, 0.9F, std::max(0.0F, direction.dot(up_)));
  return (1 - height) * kHorizon + height * kZenith;
}

// Light from a direction in which nothing is in the way; the ground below is darker where things stand close to it.
Vec3f Shader::sky(const Vec3f& origin, const Vec3f& direction) const {
  const float slope = direction.dot(up_);
  if (slope >= 0) return kSkyLight;
  if (!look_.ground) return kGroundBounce * kSkyLight;
  const float distance = std::max(0.0F, (origin.dot(up_) - ground_height_)) / std::max(-slope, 1e-3F);
  return kGroundBounce * distance / (distance + 0.08F * size_) * kSkyLight;
}

Vec3f Shader::sun_direction(const Eigen::Vector2f& point) const {
  const float radius = kSunRadius * std::sqrt(point[0]), angle = 2 * std::numbers::pi_v<float> * point[1];
  return (sun_ + radius * std::cos(angle) * sun_across_ + radius * std::sin(angle) * sun_along_).normalized();
}

std::optional<Shader::Spot> Shader::ground_spot(const LightRay& ray) const {
  if (!look_.ground) return std::nullopt;
  const float slope = ray.direction.dot(up_);
  if (slope >= -1e-6F) return std::nullopt;
  const float distance = (ground_height_ - ray.origin.dot(up_)) / slope;
  Spot spot;
  spot.point = ray.origin + distance * ray.direction;
  const float from_middle = (spot.point - spot.point.dot(up_) * up_).norm();
  spot.fade = 1 - smooth_step(kFadeBegin * size_, kFadeEnd * size_, from_middle);
  if (spot.fade <= 0) return std::nullopt;
  spot.normal = spot.facet = up_;
  spot.start = spot.point + kOffset * size_ * up_;
  spot.direction = ray.direction;
  spot.is_ground = true;
  // Of the cosine-weighted sky, a sphere of radius R at distance d hides (R/d)² sin(its elevation).
  const Vec3f towards = middle_ - spot.point;
  const float away = std::max(towards.norm(), 1e-6F * size_);
  const float elevation = (std::max(0.0F, towards.dot(up_)) + 0.25F * radius_) / away;
  spot.is_far = away > radius_ && radius_ * radius_ * elevation < kFarShare * away * away;
  const float share = grid_share(spot.point, distance);
  spot.colour = (1 - share) * kGroundColour + share * kGridColour;
  return spot;
}

// How much of the ground here is grid: lines of one pixel at least, fainter where several fall into a pixel.
float Shader::grid_share(const Vec3f& point, float distance) const {
  const Vec3f world = point + (look_.origin - look_.origin.dot(look_.up) * look_.up).cast<float>();
  const float pixel = distance * static_cast<float>(camera_.pixel_size());
  float share = 0;
  for (const Vec3f& axis : {ground_across_, ground_along_}) {
    const float place = world.dot(axis) / grid_spacing_;
    const float off_line = std::abs(place - std::round(place)) * grid_spacing_;
    const float half_width = std::max(0.5F * pixel, 0.004F * grid_spacing_);
    share = std::max(share, 1 - smooth_step(0.7F * half_width, 1.3F * half_width, off_line));
  }
  return 0.55F * share * (1 - smooth_step(0.02F, 0.12F, pixel / grid_spacing_));
}

Shader::Spot Shader::shape_spot(const LightRay& ray, const Hit& hit, const Vec2& place) const {
  const Shape& shape = shapes_[static_cast<std::size_t>(hit.shape)];
  Spot spot;
  spot.direction = ray.direction;
  spot.point = spot.start = ray.origin + hit.distance * ray.direction;
  spot.facet = hit.normal.normalized();
  if (spot.facet.dot(ray.direction) > 0) spot.facet = -spot.facet;  // surfaces have two sides
  spot.normal = spot.facet;
  if (shape.kind == ShapeKind::triangles) smooth_triangle(shape, hit, spot);
  spot.start += kOffset * size_ * spot.facet;
  spot.colour = shape.value.empty() ? shape.colour : map_colour_of(interpolated_value(shape, hit));
  if (look_.lines == MeshLines::shown && shape.kind == ShapeKind::triangles) {
    const float share = line_share(shape, hit, place);
    spot.colour = (1 - share) * spot.colour + share * kLineColour;
  }
  return spot;
}

// The normal between the corners' normals, and the point lifted to the surface they stand for.
void Shader::smooth_triangle(const Shape& shape, const Hit& hit, Spot& spot) const {
  const auto primitive = static_cast<std::size_t>(hit.primitive);
  const Vec3f weights(1 - hit.u - hit.v, hit.u, hit.v);
  const float side = spot.facet.dot(hit.normal) > 0 ? 1.0F : -1.0F;
  Vec3f normal = Vec3f::Zero(), lift = Vec3f::Zero();
  for (int c = 0; c < 3; ++c) {
    const Vec3f corner_normal = side * shape.normals[static_cast<std::size_t>(shape.corner_normals[primitive][c])];
    const Vec3f& corner = shape.vertices[static_cast<std::size_t>(shape.triangles[primitive][c])];
    normal += weights[c] * corner_normal;
    lift -= weights[c] * std::min(0.0F, (spot.point - corner).dot(corner_normal)) * corner_normal;
  }
  if (!(normal.norm() > 1e-3F) || normal.dot(spot.facet) <= 0) return;  // degenerate, or folded onto itself
  normal.normalize();
  spot.start += lift;
  // At the rim the mean normal may look away from the viewer; bend it back.
  const float away = normal.dot(spot.direction);
  if (away > -0.02F) normal = (normal - (away + 0.02F) * spot.direction).normalized();
  spot.normal = normal;
}

// How much of a sample is covered by the lines between triangles, by distances in the picture.
float Shader::line_share(const Shape& shape, const Hit& hit, const Vec2& place) const {
  std::array<Vec2, 3> corner;
  for (int c = 0; c < 3; ++c) {
    const int vertex = shape.triangles[static_cast<std::size_t>(hit.primitive)][c];
    const Vec3 seen = camera_.project(shape.vertices[static_cast<std::size_t>(vertex)].cast<double>() + look_.origin);
    if (seen[2] <= 0) return 0;
    corner[static_cast<std::size_t>(c)] = seen.head<2>();
  }
  double nearest = std::numeric_limits<double>::infinity(), longest = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec2 edge = corner[(c + 1) % 3] - corner[c], offset = place - corner[c];
    const double length = std::max(edge.norm(), 1e-9);
    nearest = std::min(nearest, std::abs(edge[0] * offset[1] - edge[1] * offset[0]) / length);
    longest = std::max(longest, length);
  }
  const double strength = std::min(1.0, longest / kLineFade);
  return static_cast<float>(0.85 * strength * std::clamp(kLineWidth / 2 + 0.5 - nearest, 0.0, 1.0));
}

Vec3f Shader::radiance(const Spot& spot, const Light& light) const {
  const float cosine = std::max(0.0F, spot.normal.dot(sun_));
  const float sun = light.sun * cosine * grazing_factor(spot.normal, spot.facet, sun_);
  const Vec3f irradiance = kSunStrength * sun * kSunLight + kSkyStrength * light.ambient;
  if (spot.is_ground) {
    const Vec3f lit = spot.colour.cwiseProduct(irradiance).cwiseQuotient(open_ground_light_);
    return spot.fade * lit + (1 - spot.fade) * background(spot.direction);
  }
  // A broad highlight, as of rubber; and the sky in grazing reflections.
  const Vec3f halfway = (sun_ - spot.direction).normalized();
  const float highlight = light.sun * std::pow(std::max(0.0F, spot.normal.dot(halfway)), 36.0F);
  const float grazing = std::pow(1 - std::clamp(-spot.normal.dot(spot.direction), 0.0F, 1.0F), 5.0F);
  return spot.colour.cwiseProduct(irradiance) + (0.07F * highlight * kSunLight + 0.10F * grazing * light.ambient);
}

Rgb8 tone_mapped(const Vec3f& light) {
  constexpr double kKnee = 0.75;  // below it light is kept as it is
  Vec3 srgb;
  for (int c = 0; c < 3; ++c) {
    const double x = light[c];
    srgb[c] = srgb_from_linear(x < kKnee ? x : kKnee + (1 - kKnee) * (1 - std::exp(-(x - kKnee) / (1 - kKnee))));
  }
  return to_bytes(srgb);
}

}  // namespace pliant::picture
