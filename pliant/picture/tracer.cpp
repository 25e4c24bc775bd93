#include "pliant/picture/tracer.h"

#include <embree3/rtcore.h>

#include <algorithm>

#include "pliant/assert.h"
#include "pliant/parallel/one_thread.h"

namespace pliant::picture {
namespace {

// Rays of a pixel are neighbours: Embree follows eight at a time.
constexpr std::size_t kPacket = 8;

// Embree for the whole process, until it ends. It is asked for no number of threads: that would limit all of TBB, and our
// own loops with it.
RTCDevice embree() {
  static RTCDevice device = rtcNewDevice(nullptr);
  PLIANT_ASSERT(device != nullptr, "Embree starts");
  return device;
}

template <class T>
T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t count) {
  void* bytes = rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), count);
  PLIANT_ASSERT(bytes != nullptr, "Embree gives a buffer");
  return static_cast<T*>(bytes);
}

struct Point3 {
  float x, y, z;
};
struct Point4 {
  float x, y, z, radius;
};
struct Corners {
  unsigned a, b, c;
};

Point4 point_with_radius(const Shape& shape, int vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  return {shape.vertices[v][0], shape.vertices[v][1], shape.vertices[v][2], shape.radius[v]};
}

RTCGeometry triangle_geometry(RTCDevice device, const Shape& shape) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = new_buffer<Point3>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, shape.vertices.size());
  for (const Vec3f& x : shape.vertices) *vertices++ = {x[0], x[1], x[2]};
  auto* corners = new_buffer<Corners>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, shape.triangles.size());
  for (const Vec3i& t : shape.triangles)
    *corners++ = {static_cast<unsigned>(t[0]), static_cast<unsigned>(t[1]), static_cast<unsigned>(t[2])};
  return geometry;
}

RTCGeometry tube_geometry(RTCDevice device, const Shape& shape) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
  // Embree joins each vertex to the next one; segments join any two, so each brings its own pair.
  auto* ends = new_buffer<Point4>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, shape.segments.size());
  for (const int vertex : shape.segments) *ends++ = point_with_radius(shape, vertex);
  auto* first = new_buffer<unsigned>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, shape.segments.size() / 2);
  for (std::size_t i = 0; i < shape.segments.size() / 2; ++i) first[i] = static_cast<unsigned>(2 * i);
  return geometry;
}

RTCGeometry ball_geometry(RTCDevice device, const Shape& shape) {
  RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  auto* points = new_buffer<Point4>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, shape.vertices.size());
  for (int v = 0; v < static_cast<int>(shape.vertices.size()); ++v) points[v] = point_with_radius(shape, v);
  return geometry;
}

bool is_empty(const Shape& shape) {
  if (shape.kind == ShapeKind::triangles) return shape.triangles.empty();
  return shape.kind == ShapeKind::tubes ? shape.segments.empty() : shape.vertices.empty();
}

RTCGeometry geometry_of(RTCDevice device, const Shape& shape) {
  if (shape.kind == ShapeKind::triangles) return triangle_geometry(device, shape);
  return shape.kind == ShapeKind::tubes ? tube_geometry(device, shape) : ball_geometry(device, shape);
}

// Rays begin..begin + count of the list into a packet; the rest of the packet is switched off by `valid`.
void fill_packet(std::span<const LightRay> rays, RTCRay8& packet, int* valid) {
  for (std::size_t i = 0; i < kPacket; ++i) {
    valid[i] = i < rays.size() ? -1 : 0;
    const LightRay& ray = rays[std::min(i, rays.size() - 1)];
    packet.org_x[i] = ray.origin[0], packet.org_y[i] = ray.origin[1], packet.org_z[i] = ray.origin[2];
    packet.dir_x[i] = ray.direction[0], packet.dir_y[i] = ray.direction[1], packet.dir_z[i] = ray.direction[2];
    packet.tnear[i] = 0, packet.tfar[i] = ray.reach, packet.time[i] = 0;
    packet.mask[i] = 0xffffffffU, packet.id[i] = static_cast<unsigned>(i), packet.flags[i] = 0;
  }
}

}  // namespace

Tracer::Tracer(std::span<const Shape> shapes) {
  RTCDevice device = embree();
  scene_ = rtcNewScene(device);
  rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_MEDIUM);
  rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);  // no ray slips through between two triangles
  for (unsigned i = 0; i < shapes.size(); ++i) {
    if (is_empty(shapes[i])) continue;
    RTCGeometry geometry = geometry_of(device, shapes[i]);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene_, geometry, i);
    rtcReleaseGeometry(geometry);
  }
  // The tree, and with it every tie between two hits, must not depend on who builds which part.
  run_on_one_thread([&] { rtcCommitScene(scene_); });
  PLIANT_ASSERT(rtcGetDeviceError(device) == RTC_ERROR_NONE, "Embree accepts the shapes");
}

Tracer::~Tracer() { rtcReleaseScene(scene_); }

void Tracer::find_nearest(std::span<const LightRay> rays, std::span<Hit> hits) const {
  PLIANT_ASSERT(rays.size() == hits.size(), "one hit per ray");
  alignas(32) int valid[kPacket];
  for (std::size_t begin = 0; begin < rays.size(); begin += kPacket) {
    const std::size_t count = std::min(kPacket, rays.size() - begin);
    RTCRayHit8 packet;
    fill_packet(rays.subspan(begin, count), packet.ray, valid);
    std::fill_n(packet.hit.geomID, kPacket, RTC_INVALID_GEOMETRY_ID);
    std::fill_n(packet.hit.instID[0], kPacket, RTC_INVALID_GEOMETRY_ID);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, scene_, &context, &packet);
    for (std::size_t i = 0; i < count; ++i) {
      Hit& hit = hits[begin + i] = Hit();
      if (packet.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) continue;
      hit.shape = static_cast<int>(packet.hit.geomID[i]);
      hit.primitive = static_cast<int>(packet.hit.primID[i]);
      hit.u = packet.hit.u[i], hit.v = packet.hit.v[i];
      hit.distance = packet.ray.tfar[i];
      hit.normal = Vec3f(packet.hit.Ng_x[i], packet.hit.Ng_y[i], packet.hit.Ng_z[i]);
    }
  }
}

void Tracer::find_blocked(std::span<const LightRay> rays, std::span<std::uint8_t> answers) const {
  PLIANT_ASSERT(rays.size() == answers.size(), "one answer per ray");
  alignas(32) int valid[kPacket];
  for (std::size_t begin = 0; begin < rays.size(); begin += kPacket) {
    const std::size_t count = std::min(kPacket, rays.size() - begin);
    RTCRay8 packet;
    fill_packet(rays.subspan(begin, count), packet, valid);
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded8(valid, scene_, &context, &packet);
    // Embree sets the reach of blocked rays to −∞.
    for (std::size_t i = 0; i < count; ++i) answers[begin + i] = packet.tfar[i] < 0 ? 1 : 0;
  }
}

}  // namespace pliant::picture
