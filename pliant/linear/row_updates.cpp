#include "pliant/linear/row_updates.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pliant/assert.h"
#include "pliant/linear/panel_kernels.h"

namespace pliant::linear {
namespace {

// V is stored in groups of 16 rows, a group column by column: four vectors times x, y and z of p are twelve sums, which
// stay in registers. The last group is filled up with zeros.
constexpr int kUpdateVectors = 4;
constexpr int kUpdateRows = kUpdateVectors * PanelSimd<double>::kSize;
constexpr int kUpdateGrain = 64;  // groups per piece

using UpdateVector = PanelSimd<double>::Vector;

UpdateVector load_wide(const double* from) { return load_vector<UpdateVector>(from); }
UpdateVector load_wide(const float* from) {
  return __builtin_convertvector(load_vector<PanelSimd<float>::Row>(from), UpdateVector);
}

// From x, y and z of four rows to the rows, whose padding stays zero.
void subtract_rows(UpdateVector x, UpdateVector y, UpdateVector z, double* out) {
  const UpdateVector xy02 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const UpdateVector none{};
  const UpdateVector z02 = __builtin_shufflevector(z, none, 0, 4, 2, 6);
  const UpdateVector z13 = __builtin_shufflevector(z, none, 1, 5, 3, 7);
  PanelSimd<double>::subtract(out, __builtin_shufflevector(xy02, z02, 0, 1, 4, 5));
  PanelSimd<double>::subtract(out + 4, __builtin_shufflevector(xy13, z13, 0, 1, 4, 5));
  PanelSimd<double>::subtract(out + 8, __builtin_shufflevector(xy02, z02, 2, 3, 6, 7));
  PanelSimd<double>::subtract(out + 12, __builtin_shufflevector(xy13, z13, 2, 3, 6, 7));
}

// x −= V p for one group; p has four numbers per column.
template <class Real>
void subtract_group(const Real* v, int width, const double* p, double* x) {
  UpdateVector sx[kUpdateVectors]{}, sy[kUpdateVectors]{}, sz[kUpdateVectors]{};
  for (int j = 0; j < width; ++j, v += kUpdateRows, p += 4) {
    const UpdateVector px = p[0] - UpdateVector{}, py = p[1] - UpdateVector{}, pz = p[2] - UpdateVector{};
#pragma GCC unroll 4
    for (int k = 0; k < kUpdateVectors; ++k) {
      const UpdateVector w = load_wide(v + 4 * k);
      sx[k] += w * px;
      sy[k] += w * py;
      sz[k] += w * pz;
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kUpdateVectors; ++k) subtract_rows(sx[k], sy[k], sz[k], x + 16 * k);
}

template <class Real>
void subtract_all(const std::vector<Real>& v, int width, const std::vector<double>& p, BlockVector& x) {
  const int groups = (x.size() + kUpdateRows - 1) / kUpdateRows;
  parallel_for(groups, kUpdateGrain, [&](int begin, int end) {
    for (int g = begin; g < end; ++g) {
      const Real* of_group = v.data() + static_cast<std::ptrdiff_t>(g) * kUpdateRows * width;
      double* rows = x.data() + 4 * static_cast<std::ptrdiff_t>(g) * kUpdateRows;
      const int count = std::min(kUpdateRows, x.size() - g * kUpdateRows);
      if (count == kUpdateRows) {
        subtract_group(of_group, width, p.data(), rows);
        continue;
      }
      double last[4 * kUpdateRows] = {};
      std::memcpy(last, rows, sizeof(double) * 4 * static_cast<std::size_t>(count));
      subtract_group(of_group, width, p.data(), last);
      std::memcpy(rows, last, sizeof(double) * 4 * static_cast<std::size_t>(count));
    }
  });
}

// One column of x, times `scale`, into column j of V.
template <class Real>
void store_column(const BlockVector& x, int coordinate, double scale, int j, int width, std::vector<Real>& v) {
  for (int i = 0; i < x.size(); ++i) {
    const std::size_t group = static_cast<std::size_t>(i / kUpdateRows),
                      row = static_cast<std::size_t>(i % kUpdateRows);
    v[(group * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)) * kUpdateRows + row] =
        static_cast<Real>(scale * x[i][coordinate]);
  }
}

// Sizes of the three columns.
Vec3 column_norms(const BlockVector& x) {
  Vec3 sum = Vec3::Zero();
  for (int i = 0; i < x.size(); ++i) sum += x[i].cwiseAbs2();
  return sum.cwiseSqrt();
}

}  // namespace

void RowUpdates::clear() {
  columns_.clear();
  positive_count_ = 0;
}

LinearStatus RowUpdates::set(std::span<const RowChange> changes, const Base& base, Solve solve_base) {
  clear();
  for (const RowChange& change : changes) {
    if (!std::isfinite(change.diagonal)) return LinearStatus::not_finite;
  }
  make_columns(changes, base);
  if (columns_.empty()) return LinearStatus::solved;
  LinearStatus status = fill(base, solve_base);
  if (status == LinearStatus::solved && !keeps_digits(base, solve_base)) status = LinearStatus::not_converged;
  if (status != LinearStatus::solved) clear();
  return status;
}

// The border, the positive part first, each by rows: the order in which changes are named must not show in the bits.
void RowUpdates::make_columns(std::span<const RowChange> changes, const Base& base) {
  for (const RowChange& change : changes) {
    PLIANT_ASSERT(change.row >= 0 && change.row < base.row_count, "changed rows are rows of the matrix");
    const bool was_held = !base.held.empty() && base.held[static_cast<std::size_t>(change.row)] != 0;
    PLIANT_ASSERT(change.state == RowState::unchanged || was_held == (change.state == RowState::released),
                  "rows that become held were free, and released ones were held");
    if (change.state == RowState::unchanged && (was_held || change.diagonal == 0)) continue;
    Column& column = columns_.emplace_back();
    column.change = change;
    column.in_positive_part =
        change.state == RowState::held || (change.state == RowState::unchanged && change.diagonal > 0);
    column.leaves_out = change.state == RowState::held;
    column.passed_on = change.state == RowState::released ? 1 : 0;
    if (change.state == RowState::held) column.border.emplace_back(change.row, 1.0);
    if (change.state == RowState::unchanged)
      column.border.emplace_back(change.row, std::sqrt(std::abs(change.diagonal)));
  }
  std::sort(columns_.begin(), columns_.end(), [](const Column& a, const Column& b) {
    return std::pair(!a.in_positive_part, a.change.row) < std::pair(!b.in_positive_part, b.change.row);
  });
  positive_count_ = static_cast<int>(
      std::count_if(columns_.begin(), columns_.end(), [](const Column& c) { return c.in_positive_part; }));

  // Released rows: their entries on rows that B leaves free.
  for (Column& column : columns_) {
    if (column.change.state != RowState::released) continue;
    for (const HeldEntry& entry : base.entries) {
      if (entry.held == column.change.row && !base.held[static_cast<std::size_t>(entry.other)])
        column.border.emplace_back(entry.other, entry.value);
    }
    std::sort(column.border.begin(), column.border.end());
  }
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    for (std::size_t k = 0; k < j; ++k)
      PLIANT_ASSERT(columns_[j].change.row != columns_[k].change.row, "a row is changed once");
  }
}

Eigen::MatrixXd RowUpdates::corner(const Base& base) const {
  const int count = change_count();
  Eigen::MatrixXd g = Eigen::MatrixXd::Zero(count, count);
  for (int j = 0; j < count; ++j) {
    const RowChange& change = columns_[static_cast<std::size_t>(j)].change;
    if (change.state == RowState::unchanged) g(j, j) = change.diagonal > 0 ? -1 : 1;
    if (change.state != RowState::released) continue;
    g(j, j) = change.diagonal;
    for (const HeldEntry& entry : base.entries) {
      if (entry.held != change.row) continue;
      for (int k = positive_count_; k < count; ++k) {
        const RowChange& other = columns_[static_cast<std::size_t>(k)].change;
        if (other.state == RowState::released && other.row == entry.other) g(j, k) += entry.value;
      }
    }
  }
  return g;
}

LinearStatus RowUpdates::fill(const Base& base, Solve solve_base) {
  const int count = change_count();
  row_count_ = base.row_count;
  stored_ = base.stored;
  const std::size_t padded = static_cast<std::size_t>((row_count_ + kUpdateRows - 1) / kUpdateRows) * kUpdateRows;
  wide_.assign(stored_ == Stored::float64 ? padded * columns_.size() : 0, 0.0);
  narrow_.assign(stored_ == Stored::float32 ? padded * columns_.size() : 0, 0.0f);
  Eigen::MatrixXd c(count, count);  // Wᵀ V
  Eigen::VectorXd scale(count);

  // V, three columns at a time.
  work_.resize(row_count_);
  for (int first = 0; first < count; first += 3) {
    const int end = std::min(first + 3, count);
    sparse::set_zero(work_);
    for (int j = first; j < end; ++j) {
      for (const auto& [row, value] : columns_[static_cast<std::size_t>(j)].border) work_[row][j - first] = value;
    }
    solve_base(work_, work_);
    const Points rows = border_times(work_);  // scales are still one
    double largest[3] = {0, 0, 0};
    for (int i = 0; i < row_count_; ++i) {
      for (int k = 0; k < 3; ++k) largest[k] = std::max(largest[k], std::abs(work_[i][k]));
    }
    for (int j = first; j < end; ++j) {
      const double size = largest[j - first];
      scale[j] = size > 0 && std::isfinite(size) ? std::exp2(-std::round(std::log2(size))) : 1;
      c.col(j) = rows.col(j - first);
      if (stored_ == Stored::float64) store_column(work_, j - first, scale[j], j, count, wide_);
      if (stored_ == Stored::float32) store_column(work_, j - first, scale[j], j, count, narrow_);
    }
  }

  for (int j = 0; j < count; ++j) {
    Column& column = columns_[static_cast<std::size_t>(j)];
    column.scale = scale[j];
    if (!column.in_positive_part || column.leaves_out || c(j, j) < 1) continue;  // here c is d (B⁻¹)ᵢᵢ
    column.leaves_out = true;
    column.passed_on = 1 / std::sqrt(column.change.diagonal);
  }

  // C with the same scales, in its two parts.
  c = 0.5 * (c + c.transpose()).eval() - corner(base);
  c = scale.asDiagonal() * c * scale.asDiagonal();
  if (!c.allFinite()) return LinearStatus::not_finite;
  const int rest = count - positive_count_;
  coupling_ = c.topRightCorner(positive_count_, rest);
  if (positive_count_ > 0) {
    positive_.compute(c.topLeftCorner(positive_count_, positive_count_));
    if (positive_.info() != Eigen::Success) return LinearStatus::not_positive_definite;
  }
  if (rest == 0) return LinearStatus::solved;
  if (positive_count_ > 0) positive_.solveInPlace(coupling_);
  negative_.compute(c.bottomLeftCorner(rest, positive_count_) * coupling_ - c.bottomRightCorner(rest, rest));
  return negative_.info() == Eigen::Success ? LinearStatus::solved : LinearStatus::not_positive_definite;
}

// B⁻¹ b is not too much larger than the solution, for b of noise, of ones, and of signs in turn.
bool RowUpdates::keeps_digits(const Base& base, Solve solve_base) {
  BlockVector b(row_count_);
  unsigned noise = 12345;
  for (int i = 0; i < row_count_; ++i) {
    noise = noise * 1664525u + 1013904223u;
    b[i] = Vec3(static_cast<double>(noise >> 8) / 8388608.0 - 1, 1, i % 2 == 0 ? 1 : -1);
  }
  for (const Column& column : columns_) {
    if (column.leaves_out) b[column.change.row].setZero();
  }
  solve_base(b, work_);
  const Vec3 before = column_norms(work_);
  solve(b, work_, solve_base);
  return (before.array() <= base.largest_loss * column_norms(work_).array()).all();
}

RowUpdates::Points RowUpdates::border_times(const BlockVector& x) const {
  Points product = Points::Zero(change_count(), 3);
  for (int j = 0; j < change_count(); ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    for (const auto& [row, value] : column.border) product.row(j) += column.scale * value * x[row].transpose();
  }
  return product;
}

// [C₁₁ C₁₂; C₂₁ C₂₂] p = r with p₂ = −N⁻¹ (r₂ − C₂₁ C₁₁⁻¹ r₁), p₁ = C₁₁⁻¹ r₁ − C₁₁⁻¹ C₁₂ p₂
RowUpdates::Points RowUpdates::unknowns(const Points& right) const {
  const int rest = change_count() - positive_count_;
  Points p = right;
  if (rest > 0) {
    p.bottomRows(rest) = coupling_.transpose() * right.topRows(positive_count_) - right.bottomRows(rest);
    Points second = p.bottomRows(rest);
    negative_.solveInPlace(second);
    p.bottomRows(rest) = second;
  }
  if (positive_count_ > 0) {
    Points first = right.topRows(positive_count_);
    positive_.solveInPlace(first);
    if (rest > 0) first -= coupling_ * p.bottomRows(rest);
    p.topRows(positive_count_) = first;
  }
  return p;
}

void RowUpdates::subtract(const Points& p, BlockVector& x) const {
  std::vector<double> rows(4 * columns_.size(), 0.0);
  for (int j = 0; j < change_count(); ++j) {
    for (int k = 0; k < 3; ++k) rows[4 * j + k] = p(j, k);
  }
  if (stored_ == Stored::float64) {
    subtract_all(wide_, change_count(), rows, x);
  } else {
    subtract_all(narrow_, change_count(), rows, x);
  }
}

void RowUpdates::solve(const BlockVector& b, BlockVector& x, Solve solve_base) {
  // What the changed rows ask for, before x may overwrite b. Mostly zero where it is left out: then b need not be copied.
  Points of_changed(change_count(), 3);
  bool copy = false;
  for (int j = 0; j < change_count(); ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    of_changed.row(j) = b[column.change.row].transpose();
    if (column.leaves_out && !b[column.change.row].isZero(0)) copy = true;
  }
  if (copy) {
    x = b;
    for (const Column& column : columns_) {
      if (column.leaves_out) x[column.change.row].setZero();
    }
  }
  solve_base(copy ? x : b, x);

  Points right = border_times(x);
  for (int j = 0; j < change_count(); ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    if (column.passed_on != 0) right.row(j) -= column.scale * column.passed_on * of_changed.row(j);
  }
  const Points p = unknowns(right);
  subtract(p, x);
  for (int j = 0; j < change_count(); ++j) {
    const Column& column = columns_[static_cast<std::size_t>(j)];
    if (column.change.state == RowState::held) x[column.change.row] = of_changed.row(j).transpose();
    if (column.change.state == RowState::released) x[column.change.row] = column.scale * p.row(j).transpose();
  }
}

std::size_t RowUpdates::memory_bytes() const {
  std::size_t bytes = sizeof(double) * wide_.capacity() + sizeof(float) * narrow_.capacity() +
                      4 * sizeof(double) * static_cast<std::size_t>(work_.size()) +
                      sizeof(Column) * columns_.capacity();
  for (const Column& column : columns_) bytes += sizeof(column.border[0]) * column.border.capacity();
  return bytes;
}

}  // namespace pliant::linear
