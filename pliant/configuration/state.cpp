#include "pliant/configuration/state.h"

#include <span>

namespace pliant {
namespace {

class Fnv1a {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const unsigned char byte :
         std::span(reinterpret_cast<const unsigned char*>(values.data()), values.size_bytes())) {
      hash_ = (hash_ ^ byte) * 1099511628211ULL;
    }
  }
  void add(const BlockVector& v) { add(std::span<const double>(v.data(), 4 * static_cast<std::size_t>(v.size()))); }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace

std::uint64_t hash(const State& state) {
  Fnv1a fnv;
  fnv.add(std::span<const double>(&state.time, 1));
  fnv.add(std::span<const std::int64_t>(&state.step_count, 1));
  fnv.add(state.positions);
  fnv.add(state.velocities);
  fnv.add(std::span<const Vec3>(state.rod_frames.directors));
  fnv.add(std::span<const double>(state.rod_frames.reference_twist));
  fnv.add(state.accelerations);
  fnv.add(state.previous_positions);
  fnv.add(state.previous_velocities);
  fnv.add(std::span<const double>(&state.previous_step, 1));
  fnv.add(std::span<const double>(state.pin_since));
  fnv.add(std::span<const Vec3>(state.pin_anchors));
  fnv.add(std::span<const std::uint64_t>(state.stick.keys));
  fnv.add(std::span<const Vec3>(state.stick.slips));
  fnv.add(std::span<const double>(&state.contact_pressure, 1));
  fnv.add(std::span<const std::uint64_t>(state.forces.keys));
  fnv.add(std::span<const Vec3>(state.forces.forces));
  fnv.add(std::span<const double>(state.joints.coordinates));
  fnv.add(std::span<const double>(state.joints.forces));
  fnv.add(std::span<const unsigned char>(state.joints.broken));
  fnv.add(std::span<const double>(state.sleep.calm));
  fnv.add(std::span<const int>(state.sleep.island));
  fnv.add(std::span<const std::uint64_t>(state.sleep.forces.keys));
  fnv.add(std::span<const Vec3>(state.sleep.forces.forces));
  fnv.add(std::span<const int>(state.sleep.island_of_force));
  return fnv.value();
}

}  // namespace pliant
