// A result as pictures, the viewer and exporters see it: drawn vertices frame by frame, and quantities to colour them by.
//
//   DrawnResult result(folder);
//   result.vertices(body, frame)                   // m, of result.drawn(body, result.revision_at(body, frame))
//   result.quantity(body, "speed", frame)          // one number per drawn vertex
//
// Quantities: `speed` (velocities of the result, else differences of its frames), `stretch` (largest principal stretch,
// from the mesh at rest), `contact_force` (sum of the contacts at a vertex), and every field of result.h5 by its name
// (magnitude of its components).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/io/drawn_mesh.h"
#include "pliant/io/result_reader.h"

namespace pliant::io {

struct QuantityDescription {
  std::string name;
  std::string unit;  // "m/s", "Pa", "1"
};

struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  // m
};

class DrawnResult {
 public:
  // folder: of a run, or the path of its result.h5. Throws InputError, here and below, as ResultReader does.
  explicit DrawnResult(const std::filesystem::path& folder);

  // Looks again: frames that a run has finished since. What was drawn before is kept.
  void refresh();

  [[nodiscard]] const ResultOutline& outline() const { return reader_.outline(); }
  [[nodiscard]] const ResultReader& reader() const { return reader_; }
  [[nodiscard]] std::int64_t frame_count() const { return reader_.frame_count(); }
  [[nodiscard]] int body_count() const { return static_cast<int>(outline().bodies.size()); }
  [[nodiscard]] int revision_at(int body, std::int64_t frame) const;

  // Kept after the first call: finding a boundary costs far more than moving it. Not safe to call from two threads.
  [[nodiscard]] const DrawnMesh& drawn(int body, int revision);
  [[nodiscard]] std::vector<Vec3> vertices(int body, std::int64_t frame);
  // Per drawn vertex of particles that are born over time (field `active`): 1 for those that are there in this frame. Empty
  // for all other bodies, which are always there.
  [[nodiscard]] std::vector<unsigned char> presence(int body, std::int64_t frame);
  // Drawn vertices that pins hold at some time.
  [[nodiscard]] std::vector<int> pinned(int body, int revision);
  // m, per drawn vertex of rods and particles; empty for bodies drawn by triangles.
  [[nodiscard]] const std::vector<double>& radius(int body, int revision);

  [[nodiscard]] const std::vector<QuantityDescription>& quantities() const { return quantities_; }
  // Throws InputError for names that are not in quantities(). NaN where a body does not have it.
  [[nodiscard]] std::vector<double> quantity(int body, const std::string& name, std::int64_t frame);

  // Around all drawn vertices of a dozen frames spread over the motion, first and last included; kept until a run that
  // goes on has twice as many frames.
  [[nodiscard]] const Box& bounds();

 private:
  struct Kept {
    BodyMesh mesh;
    DrawnMesh drawn;
    std::vector<double> radius;
  };
  Kept& kept(int body, int revision);
  [[nodiscard]] std::vector<double> speeds(int body, std::int64_t frame);
  [[nodiscard]] std::vector<double> stretches(int body, std::int64_t frame);
  [[nodiscard]] std::vector<double> contact_forces(int body, std::int64_t frame);
  [[nodiscard]] std::vector<double> field_values(int body, const FieldDescription& field, std::int64_t frame);

  void find_quantities();

  std::filesystem::path folder_;
  ResultReader reader_;
  std::map<std::pair<int, int>, Kept> kept_;  // by body and revision
  std::vector<QuantityDescription> quantities_;
  std::optional<Box> bounds_;
  std::int64_t bounded_frames_ = 0;  // frame_count() when bounds_ was found
};

// The colour of body number i, the same in pictures, exports and the viewer: sRGB, 0 to 1.
[[nodiscard]] Vec3 body_colour(int body);
// Light, which adds up, from the numbers of sRGB [IEC 61966-2-1], which eyes find evenly spaced; both 0 to 1.
[[nodiscard]] double linear_from_srgb(double value);
[[nodiscard]] Vec3 linear_from_srgb(const Vec3& colour);

}  // namespace pliant::io
