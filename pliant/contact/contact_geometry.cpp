#include "pliant/contact/contact_geometry.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

namespace pliant::contact {
namespace {

using Vec12 = Eigen::Matrix<double, 12, 1>;
using Mat12 = Eigen::Matrix<double, 12, 12>;

// Gradients of a triangle's barycentric coordinates, 1/m.
void tilt_of_face(const FourPoints& x, ContactGeometry& g) {
  const Vec3 normal = (x[2] - x[1]).cross(x[3] - x[1]);
  const Vec3 scaled = normal / normal.squaredNorm();
  g.tilt[1] = scaled.cross(x[3] - x[2]);
  g.tilt[2] = scaled.cross(x[1] - x[3]);
  g.tilt[3] = scaled.cross(x[2] - x[1]);
}

// The dual basis of the two edge vectors in their common plane, 1/m.
void tilt_of_edges(const FourPoints& x, ContactGeometry& g) {
  const Vec3 a = x[1] - x[0], b = x[3] - x[2], normal = a.cross(b);
  const double square = normal.squaredNorm();
  const Vec3 dual_a = b.cross(normal) / square, dual_b = normal.cross(a) / square;
  g.tilt = {-dual_a, dual_a, -dual_b, dual_b};
}

// Tangents that diagonalise Σ c_j c_jᵀ, and the norms of the rows a_k.
void diagonalise(ContactGeometry& g) {
  const auto [first, second] = tangents_of(g.normal);
  double g11 = 0, g12 = 0, g22 = 0;
  for (const Vec3& c : g.tilt) {
    const double c1 = c.dot(first), c2 = c.dot(second);
    g11 += c1 * c1;
    g12 += c1 * c2;
    g22 += c2 * c2;
  }
  const double angle = 0.5 * std::atan2(2 * g12, g11 - g22), cosine = std::cos(angle), sine = std::sin(angle);
  g.tangent = {cosine * first + sine * second, cosine * second - sine * first};
  const double cross = 2 * cosine * sine * g12;
  g.tilt_norm = {std::sqrt(std::max(0.0, cosine * cosine * g11 + cross + sine * sine * g22)),
                 std::sqrt(std::max(0.0, sine * sine * g11 - cross + cosine * cosine * g22))};
}

// The edge of a point-edge contact: two vertices of one primitive that both take part.
std::array<int, 2> edge_of(PairKind kind, const std::array<double, 4>& weight) {
  const auto takes_part = [&](int j) { return weight[static_cast<std::size_t>(j)] != 0; };
  if (kind == PairKind::edges) return takes_part(0) && takes_part(1) ? std::array{0, 1} : std::array{2, 3};
  if (!takes_part(1)) return {2, 3};
  return takes_part(2) ? std::array{1, 2} : std::array{1, 3};
}

double weight_norm(const ContactGeometry& g) {
  double square = 0;
  for (const double w : g.weight) square += w * w;
  return std::sqrt(square);
}

Mat12 hessian_of_product(const FourPoints& x) {
  const Vec3 a = x[1] - x[0], b = x[3] - x[2];
  const Mat3 aa = 2 * (b.squaredNorm() * Mat3::Identity() - b * b.transpose());
  const Mat3 bb = 2 * (a.squaredNorm() * Mat3::Identity() - a * a.transpose());
  const Mat3 ab = 4 * a * b.transpose() - 2 * b * a.transpose() - 2 * a.dot(b) * Mat3::Identity();
  Mat12 h;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double sign = i == j ? 1 : -1;
      h.block<3, 3>(3 * i, 3 * j) = sign * aa;
      h.block<3, 3>(6 + 3 * i, 6 + 3 * j) = sign * bb;
      h.block<3, 3>(3 * i, 6 + 3 * j) = sign * ab;
      h.block<3, 3>(6 + 3 * j, 3 * i) = sign * ab.transpose();
    }
  }
  return h;
}

Vec12 stacked(const FourPoints& v) {
  Vec12 result;
  for (int j = 0; j < 4; ++j) result.segment<3>(3 * j) = v[static_cast<std::size_t>(j)];
  return result;
}

FourPoints split(const Vec12& v) { return {v.segment<3>(0), v.segment<3>(3), v.segment<3>(6), v.segment<3>(9)}; }

}  // namespace

std::array<Vec3, 2> tangents_of(const Vec3& normal) {
  const Vec3 axis = std::abs(normal.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 first = normal.cross(axis).normalized();
  return {first, normal.cross(first)};
}

ContactGeometry contact_geometry(PairKind kind, const FourPoints& x, const ClosestPoints& closest) {
  ContactGeometry g;
  g.weight = closest.weight;
  Vec3 r = Vec3::Zero();
  for (std::size_t j = 0; j < 4; ++j) {
    r += closest.weight[j] * x[j];
    g.tilt[j].setZero();
  }
  g.distance = r.norm();
  g.normal = r / g.distance;
  switch (closest.feature) {
    case Feature::point_face:
      tilt_of_face(x, g);
      diagonalise(g);
      g.fixed = 2;
      break;
    case Feature::edge_edge:
      tilt_of_edges(x, g);
      diagonalise(g);
      g.fixed = 2;
      break;
    case Feature::point_edge: {
      const auto [from, to] = edge_of(kind, closest.weight);
      const Vec3 edge = x[static_cast<std::size_t>(to)] - x[static_cast<std::size_t>(from)];
      const double length = edge.norm();
      // Along the edge, and exactly across the normal.
      const Vec3 along = (edge - edge.dot(g.normal) * g.normal).normalized();
      g.tilt[static_cast<std::size_t>(to)] = along / length;
      g.tilt[static_cast<std::size_t>(from)] = -along / length;
      g.tangent = {along, g.normal.cross(along)};
      g.tilt_norm = {std::sqrt(2.0) / length, 0};
      g.fixed = 1;
      break;
    }
    case Feature::point_point:
      g.tangent = tangents_of(g.normal);
      break;
  }
  return g;
}

ContactGeometry plane_geometry(double distance, const Vec3& normal) {
  ContactGeometry g;
  g.distance = distance;
  g.normal = normal;
  g.weight = {1, -1, 0, 0};
  g.tilt.fill(Vec3::Zero());
  g.tangent = tangents_of(normal);
  g.fixed = 2;
  return g;
}

void add_distance_hessian(const ContactGeometry& g, double slope, double curvature, bool is_exact, LocalHessian& out) {
  FourPoints v;
  const double stiffness = std::sqrt(curvature);
  for (std::size_t j = 0; j < 4; ++j) v[j] = stiffness * g.weight[j] * g.normal;
  out.add(v, 1);
  const double across_norm = weight_norm(g), push = -slope;
  for (int k = 0; k < g.fixed; ++k) {
    // push × [d U², U V; U V, 0] in the basis of the two unit rows; eigenvectors (λ, U V).
    const Vec3& e = g.tangent[static_cast<std::size_t>(k)];
    const double tilt_norm = g.tilt_norm[static_cast<std::size_t>(k)];
    if (tilt_norm == 0) continue;
    const double trace = g.distance * tilt_norm * tilt_norm, product = tilt_norm * across_norm;
    const double root = std::sqrt(0.25 * trace * trace + product * product);
    for (const double sign : {1.0, -1.0}) {
      if (sign < 0 && !is_exact) continue;
      // The small one of the two by their product, which does not cancel.
      const double large = 0.5 * trace + root;
      const double eigenvalue = sign > 0 ? large : -product * product / large;
      const double scale =
          std::sqrt(push * std::abs(eigenvalue)) / std::sqrt(eigenvalue * eigenvalue + product * product);
      const double along = scale * eigenvalue / tilt_norm, sideways = scale * product / across_norm;
      for (std::size_t j = 0; j < 4; ++j) v[j] = along * g.tilt[j].dot(e) * g.normal + sideways * g.weight[j] * e;
      out.add(v, sign);
    }
  }
  if (!is_exact) return;
  const double free_stiffness = std::sqrt(push / g.distance);
  for (std::size_t m = static_cast<std::size_t>(g.fixed); m < 2; ++m) {
    for (std::size_t j = 0; j < 4; ++j) v[j] = free_stiffness * g.weight[j] * g.tangent[m];
    out.add(v, -1);
  }
}

Mollifier edge_mollifier(const FourPoints& x, double threshold) {
  Mollifier m;
  if (threshold == 0) return m;
  const Vec3 a = x[1] - x[0], b = x[3] - x[2];
  const double c = a.cross(b).squaredNorm();
  if (c >= threshold) return m;
  const double y = c / threshold;
  m.value = y * (2 - y);
  m.slope = 2 * (1 - y) / threshold;
  m.curvature = -2 / (threshold * threshold);
  const Vec3 by_a = 2 * (b.squaredNorm() * a - a.dot(b) * b), by_b = 2 * (a.squaredNorm() * b - a.dot(b) * a);
  m.gradient = {-by_a, by_a, -by_b, by_b};
  return m;
}

void add_mollified_hessian(const ContactGeometry& geometry, const FourPoints& x, const Mollifier& mollifier,
                           double energy, double slope, double curvature, bool is_exact, LocalHessian& out) {
  LocalHessian plain;
  add_distance_hessian(geometry, slope, curvature, true, plain);
  Mat12 h = mollifier.slope * energy * hessian_of_product(x);
  for (int k = 0; k < plain.count; ++k) {
    const Vec12 v = stacked(plain.vector[static_cast<std::size_t>(k)]);
    h += mollifier.value * plain.sign[static_cast<std::size_t>(k)] * v * v.transpose();
  }
  FourPoints along;
  for (std::size_t j = 0; j < 4; ++j) along[j] = geometry.weight[j] * geometry.normal;
  const Vec12 by_distance = stacked(along), by_product = stacked(mollifier.gradient);
  h += mollifier.curvature * energy * by_product * by_product.transpose();
  h += mollifier.slope * slope * (by_product * by_distance.transpose() + by_distance * by_product.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat12> solver(h);
  out.count = 0;
  for (int k = 0; k < 12; ++k) {
    const double value = solver.eigenvalues()[k];
    if (value > 0 || (is_exact && value < 0))
      out.add(split(std::sqrt(std::abs(value)) * solver.eigenvectors().col(k)), value > 0 ? 1 : -1);
  }
}

}  // namespace pliant::contact
