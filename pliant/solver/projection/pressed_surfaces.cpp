#include "pliant/solver/projection/pressed_surfaces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pliant/energy/compliant.h"
#include "pliant/energy/load/pressure.h"
#include "pliant/mesh/disjoint_sets.h"
#include "pliant/parallel/parallel.h"

namespace pliant::solver {
namespace {

// How far the load may move a surface in a part of a step, in edges. With 0.16 to 0.65, 10 to 13 sweeps and 0.1 kg/m²:
// volumes of a balloon err by 0.7 to 2 %; that of a bunny trembles by 0.5 % with 0.2 and by 2 % with 0.6.
constexpr double kLoadWay = 0.2;
// Sweeps of a part, as long as the user wants so many: with three a box of 2 kg goes down to the floor where
// a cushion of 500 Pa throws it back with ten.
constexpr int kLeastSweeps = 10;
// Λ and d count as one direction below this sine squared of the angle between them.
constexpr double kParallel = 1e-9;
constexpr int kGrain = 1024;

// Edges of sheets, each once, lower block first.
std::vector<std::array<int, 2>> edges_of(std::span<const std::unique_ptr<Energy>> energies) {
  SoftElements soft;
  for (const auto& energy : energies) {
    if (const auto* compliant = dynamic_cast<const Compliant*>(energy.get())) (void)compliant->add_soft_elements(soft);
  }
  std::vector<std::array<int, 2>> edges;
  for (const SoftLink& link : soft.links) edges.push_back(link.block);
  for (const SoftTriangle& triangle : soft.triangles) {
    for (std::size_t i = 0; i < 3; ++i) edges.push_back({triangle.block[i], triangle.block[(i + 1) % 3]});
  }
  for (auto& [from, to] : edges) {
    if (from > to) std::swap(from, to);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

std::vector<PressedSurface> find_pressed_surfaces(std::span<const std::unique_ptr<Energy>> energies, int block_count) {
  std::vector<const Pressure::Load*> loads;
  for (const auto& energy : energies) {
    if (const auto* pressure = dynamic_cast<const Pressure*>(energy.get())) {
      for (const Pressure::Load& load : pressure->loads()) loads.push_back(&load);
    }
  }
  std::vector<PressedSurface> surfaces;
  if (loads.empty()) return surfaces;
  const std::vector<std::array<int, 2>> edges = edges_of(energies);
  DisjointSets sets(static_cast<std::size_t>(block_count));
  std::vector<int> number(static_cast<std::size_t>(block_count), -1);
  for (const auto& [from, to] : edges) sets.join(from, to);
  // Those that pressure acts on are numbered in the order of their points.
  std::vector<unsigned char> is_pressed(number.size(), 0);
  for (const Pressure::Load* load : loads) {
    for (const Vec3i& t : load->triangles) is_pressed[sets.root(t[0])] = 1;
  }
  std::vector<unsigned char> has_edge(number.size(), 0);
  for (const auto& [from, to] : edges) has_edge[from] = has_edge[to] = 1;
  for (int b = 0; b < block_count; ++b) {
    const int root = sets.root(b);
    if (has_edge[b] == 0 || is_pressed[root] == 0) continue;
    if (number[root] < 0) {
      number[root] = static_cast<int>(surfaces.size());
      surfaces.emplace_back();
    }
    surfaces[number[root]].points.push_back(b);
  }
  for (const auto& edge : edges) {
    const int surface = number[sets.root(edge[0])];
    if (surface >= 0) surfaces[surface].edges.push_back(edge);
  }
  for (const Pressure::Load* load : loads) {
    for (const Vec3i& t : load->triangles) {
      const int index = number[sets.root(t[0])];
      if (index < 0) continue;
      PressedSurface& surface = surfaces[index];
      surface.triangles.push_back(t);
      if (surface.loads.empty() || surface.loads.back() != load->value_index)
        surface.loads.push_back(load->value_index);
    }
  }
  return surfaces;
}

double longest_step(const PressedSurface& surface, double pressure, std::span<const double> masses,
                    const BlockVector& positions) {
  double length = 0, area = 0, mass = 0;
  for (const auto& [from, to] : surface.edges) length += (positions[from] - positions[to]).norm();
  for (const Vec3i& t : surface.triangles) {
    const Vec3 corner = positions[t[0]], first = positions[t[1]] - corner, second = positions[t[2]] - corner;
    area += 0.5 * first.cross(second).norm();
  }
  for (const int block : surface.points) mass += masses[block];
  const double force = std::abs(pressure) * area, edge = length / static_cast<double>(surface.edges.size());
  return force > 0 ? std::sqrt(kLoadWay * edge * mass / force) : std::numeric_limits<double>::infinity();
}

int sweeps_of_part(int budget, int parts) {
  const int share = static_cast<int>(std::ceil(budget / std::sqrt(static_cast<double>(parts))));
  return std::max(share, std::min(budget, kLeastSweeps));
}

template <class Real>
void SurfaceAcceleration<Real>::set_batches(std::span<const std::unique_ptr<Batch<Real>>> batches,
                                            std::span<const PressedSurface> surfaces, int block_count) {
  parts_.clear();
  points_.clear();
  rows_.assign(surfaces.size(), {});
  blocks_.clear();
  surface_of_.assign(static_cast<std::size_t>(block_count), -1);
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    blocks_.push_back(surfaces[s].points);
    for (const int block : surfaces[s].points) {
      surface_of_[block] = static_cast<int>(s);
      points_.push_back(block);
    }
  }
  int rows = 0;
  std::vector<EdgeRow> found;
  for (const auto& batch : batches) {
    found.clear();
    batch->add_edge_rows(found);
    std::erase_if(found, [&](const EdgeRow& row) { return surface_of_[row.edge[0]] < 0; });
    if (found.empty()) continue;
    for (const EdgeRow& row : found) rows_[surface_of_[row.edge[0]]].push_back(rows + row.row);
    parts_.push_back({batch.get(), rows, batch->row_count()});
    rows += batch->row_count();
  }
  for (std::vector<double>* v : {&total_, &last_, &change_, &residual_, &total_product_, &change_product_})
    v->assign(static_cast<std::size_t>(rows), 0);
}

template <class Real>
void SurfaceAcceleration<Real>::begin() {
  std::fill(last_.begin(), last_.end(), 0.0);
}

template <class Real>
double SurfaceAcceleration<Real>::dot(const std::vector<int>& rows, const std::vector<double>& a,
                                      const std::vector<double>& b) const {
  return parallel_sum(static_cast<int>(rows.size()), [&](int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += a[rows[i]] * b[rows[i]];
    return sum;
  });
}

// residual_ serves as scratch: rows of others stay zero in total_.
template <class Real>
void SurfaceAcceleration<Real>::write_multipliers() {
  for (const Part& part : parts_) part.batch->write_multipliers(rows_of(part, residual_));
  for (const std::vector<int>& rows : rows_) {
    for (const int row : rows) total_[row] = residual_[row];
  }
}

// W Jᵀ d
template <class Real>
void SurfaceAcceleration<Real>::respond(const std::vector<double>& d, const Movers<Real>& movers) {
  response_.force.resize(movers.points.size(), Vec3::Zero());
  for (const int block : points_) response_.force[block].setZero();
  for (const Part& part : parts_) part.batch->pull_back(rows_of(part, d), response_);
  for (const int block : points_) response_.force[block] *= static_cast<double>(movers.points[block].w);
}

// p = A d
template <class Real>
void SurfaceAcceleration<Real>::multiply(const std::vector<double>& d, const Movers<Real>& movers,
                                         std::vector<double>& p) {
  respond(d, movers);
  for (const Part& part : parts_) part.batch->multiply(response_, rows_of(part, d), rows_of(part, p));
}

template <class Real>
void SurfaceAcceleration<Real>::accelerate(Movers<Real>& movers) {
  if (parts_.empty()) return;
  write_multipliers();
  for (const Part& part : parts_) part.batch->linearise(movers, rows_of(part, residual_));
  for (std::size_t i = 0; i < total_.size(); ++i) change_[i] = total_[i] - last_[i];
  multiply(total_, movers, total_product_);
  multiply(change_, movers, change_product_);
  for (const std::vector<int>& rows : rows_) {
    const double tt = dot(rows, total_, total_product_), tr = dot(rows, total_, residual_);
    const double dd = dot(rows, change_, change_product_), dr = dot(rows, change_, residual_);
    const double td = dot(rows, total_, change_product_), determinant = tt * dd - td * td;
    double a = tt > 0 ? -tr / tt : 0, b = 0;
    if (determinant > kParallel * tt * dd) {
      a = (td * dr - dd * tr) / determinant;
      b = (td * tr - tt * dr) / determinant;
    }
    for (const int row : rows) change_[row] = a * total_[row] + b * change_[row];
    for (const int row : rows) last_[row] = total_[row] + change_[row];
  }
  for (const Part& part : parts_) part.batch->accept(rows_of(part, change_));
  respond(change_, movers);
  parallel_for(static_cast<int>(points_.size()), kGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) movers.points[points_[i]].move(response_.force[points_[i]]);
  });
}

template <class Real>
void SurfaceAcceleration<Real>::balance(const Outside& outside, Movers<Real>& movers) {
  std::vector<unsigned char> is_held(blocks_.size(), 0);
  for (const int block : outside.held) {
    if (surface_of_[block] >= 0) is_held[surface_of_[block]] = 1;
  }
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    if (is_held[s] != 0) continue;
    double mass = 0;
    Vec3 centre = Vec3::Zero();
    for (const int block : blocks_[s]) {
      const double own = 1 / static_cast<double>(movers.points[block].w);
      mass += own;
      centre += own * movers.points[block].position();
    }
    centre /= mass;
    Vec3 excess = Vec3::Zero();  // kg m²
    Mat3 inertia = Mat3::Zero();
    for (const int block : blocks_[s]) {
      const double own = 1 / static_cast<double>(movers.points[block].w);
      const Vec3 inertial = outside.inertial[block], arm = movers.points[block].position() - centre;
      const Vec3 gain = own * (movers.points[block].position() - inertial) - outside.given[block];
      const Vec3 load = own * (Vec3(outside.target[block]) - inertial);
      excess += arm.cross(gain) - Vec3(inertial - centre).cross(load);
      inertia += own * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
    const Vec3 turn = -(inertia.ldlt().solve(excess));
    if (!turn.allFinite()) continue;
    for (const int block : blocks_[s]) {
      Mover<Real>& point = movers.points[block];
      point.move(turn.cross(point.position() - centre));
    }
  }
}

template class SurfaceAcceleration<double>;
template class SurfaceAcceleration<float>;

}  // namespace pliant::solver
