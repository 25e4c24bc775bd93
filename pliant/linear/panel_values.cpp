#include "pliant/linear/panel_values.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pliant/parallel/parallel.h"

namespace pliant::linear {
namespace {

constexpr int kPanelGrain = 16;  // panels per piece while filling

using ConstBlock = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

// L₁₁ over L₂₁ of a merged supernode, with zeros where its members have no entries.
Eigen::MatrixXd merged_block(const SupernodalCholesky& cholesky, const MergedSupernodes& merged, int s) {
  const SupernodalStructure& original = cholesky.structure();
  const int width = merged.structure.column_count(s), first = merged.structure.column_start[s];
  const auto below = merged.structure.rows_below(s);
  Eigen::MatrixXd block = Eigen::MatrixXd::Zero(merged.structure.row_count(s), width);
  std::vector<int> local;
  for (const int m : merged.members(s)) {
    const int rows = original.row_count(m);
    local.resize(static_cast<std::size_t>(rows));
    for (int k = 0; k < rows; ++k) {
      const int place = merged.place[original.row[static_cast<std::size_t>(original.row_start[m] + k)]];
      local[k] = place < first + width
                     ? place - first
                     : width + static_cast<int>(std::lower_bound(below.begin(), below.end(), place) - below.begin());
    }
    const double* value = cholesky.values().data() + original.value_start[m];
    for (int c = 0; c < original.column_count(m); ++c, value += rows) {
      for (int k = c; k < rows; ++k) block(local[k], local[c]) = value[k];
    }
  }
  return block;
}

// L₁₁⁻¹
Eigen::MatrixXd inverse_of_corner(const ConstBlock& block) {
  const Eigen::Index width = block.cols();
  return block.topRows(width).triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(width, width));
}

// body(panel index, L₁₁ over L₂₁ of the panel) for all panels.
template <class Body>
void for_each_panel(const SupernodalCholesky& cholesky, const MergedSupernodes& merged, const PanelLayout& layout,
                    const Body& body) {
  parallel_for(static_cast<int>(layout.panels.size()), kPanelGrain, [&](int begin, int end) {
    int supernode = -1;
    Eigen::MatrixXd block;
    for (int p = begin; p < end; ++p) {
      const Panel& panel = layout.panels[p];
      if (panel.supernode != supernode) block = merged_block(cholesky, merged, supernode = panel.supernode);
      body(p, block.block(panel.first_column, panel.first_column, panel.row_count, panel.width));
    }
  });
}

// SIMD vectors in group g when `vectors` of them are spread over as few groups as possible.
struct Groups {
  int count, small_size, larger;  // the first `larger` groups have one vector more
  explicit Groups(int vectors)
      : count((vectors + kGroupVectors - 1) / kGroupVectors), small_size(vectors / count), larger(vectors % count) {}
  [[nodiscard]] int size(int g) const { return small_size + (g < larger ? 1 : 0); }
  [[nodiscard]] int begin(int g) const { return g * small_size + std::min(g, larger); }
};

void store_rounded(double value, double& to) { to = value; }
void store_rounded(double value, float& to) { to = static_cast<float>(value); }
void store_rounded(double value, Half& to) { to = half_of(static_cast<float>(value)); }

template <class Real, class Stored>
void forward_any(int vectors, const Stored* values, int width, const Real* b, const int* row, Real* y) {
  switch (vectors) {
    case 1:
      return forward_group<1>(values, width, b, row, y);
    case 2:
      return forward_group<2>(values, width, b, row, y);
    case 3:
      return forward_group<3>(values, width, b, row, y);
    default:
      return forward_group<4>(values, width, b, row, y);
  }
}
template <class Real, class Stored>
void backward_any(int vectors, const Stored* values, int width, Real* b, const int* row, const Real* y) {
  switch (vectors) {
    case 1:
      return backward_group<1>(values, width, b, row, y);
    case 2:
      return backward_group<2>(values, width, b, row, y);
    case 3:
      return backward_group<3>(values, width, b, row, y);
    default:
      return backward_group<4>(values, width, b, row, y);
  }
}

// b₂ −= W b₁ and b₁ = S b₁, which is b₁ = 0 followed by b₁ −= (−S) b₁: all rows alike.
template <class Real, class Stored>
void forward_panel(const Panel& panel, const Stored* values, const int* row, Real* work) {
  constexpr int kSize = PanelSimd<Real>::kSize;
  alignas(32) Real b[4 * kPanelWidth];
  Real* own = work + 4 * static_cast<std::ptrdiff_t>(panel.own_row);
  const std::size_t bytes = 4 * sizeof(Real) * static_cast<std::size_t>(panel.width);
  std::memcpy(b, own, bytes);
  std::memset(own, 0, bytes);
  const Groups groups(panel.vector_count);
  for (int g = 0; g < groups.count; ++g) {
    const int vectors = groups.size(g);
    forward_any(vectors, values, panel.width, b, row, work);
    values += static_cast<std::ptrdiff_t>(vectors) * kSize * panel.width;
    row += vectors * kSize;
  }
}

// x₁ −= Wᵀ x₂. Groups that hold only S are not read; in the one that holds both, rows of S stand for zeros.
template <class Real, class Stored>
void backward_panel(const Panel& panel, const Stored* values, const int* row, int dummy_row, Real* work) {
  constexpr int kSize = PanelSimd<Real>::kSize;
  Real* own = work + 4 * static_cast<std::ptrdiff_t>(panel.own_row);
  const Groups groups(panel.vector_count);
  for (int g = groups.count - 1; g >= 0; --g) {
    const int vectors = groups.size(g), first = groups.begin(g) * kSize;
    const Stored* of_group = values + static_cast<std::ptrdiff_t>(first) * panel.width;
    if (first >= panel.width) {
      backward_any(vectors, of_group, panel.width, own, row + first, work);
      continue;
    }
    if (first + vectors * kSize <= panel.width || panel.row_count == panel.width) return;
    int masked[kGroupVectors * kSize];
    for (int k = 0; k < vectors * kSize; ++k) masked[k] = first + k < panel.width ? dummy_row : row[first + k];
    backward_any(vectors, of_group, panel.width, own, masked, work);
    return;
  }
}

using DoubleRow = PanelSimd<double>::Row;

// The right-hand side into own rows, scaled; nothing yet in the rest.
template <class Real>
void load_own_rows(const PanelLayout& layout, const PanelTask& task, std::span<const double> scale,
                   const BlockVector& b, Real* work) {
  using Row = typename PanelSimd<Real>::Row;
  const double* from = b.data();  // named once: the compiler does not know that writing to `work` leaves it alone
  const int* order = layout.order.data();
  const int end = task.own_end;
  for (int k = task.own_begin; k < end; ++k, work += 4) {
    const DoubleRow row = load_vector<DoubleRow>(from + 4 * static_cast<std::ptrdiff_t>(order[k]));
    store_vector(work, __builtin_convertvector(scale[k] * row, Row));
  }
  std::memset(work, 0, 4 * sizeof(Real) * static_cast<std::size_t>(task.outer_count() + 1));
}

template <class Real>
void store_own_rows(const PanelLayout& layout, const PanelTask& task, std::span<const double> scale, const Real* work,
                    BlockVector& x) {
  using Row = typename PanelSimd<Real>::Row;
  double* to = x.data();
  const int* order = layout.order.data();
  const int end = task.own_end;
  for (int k = task.own_begin; k < end; ++k, work += 4) {
    DoubleRow row = __builtin_convertvector(load_vector<Row>(work), DoubleRow);
    row[3] = 0;
    store_vector(to + 4 * static_cast<std::ptrdiff_t>(order[k]), scale[k] * row);
  }
}

}  // namespace

SweepCosts PanelValues::costs() const {
  // Cycles per number: reading 8, 4 and 2 bytes from between the last-level cache (1.1 for 8) and memory (2.2), the
  // last held up by arithmetic. Between these two times of solves differ by a twentieth.
  switch (wanted_) {
    case FactorStorage::float64:
      return {.entry = 1.6, .simd_size = PanelSimd<double>::kSize};
    case FactorStorage::float32:
      return {.entry = 0.8, .simd_size = PanelSimd<float>::kSize};
    case FactorStorage::float16:
      break;
  }
  return {.entry = 0.5, .simd_size = PanelSimd<float>::kSize};
}

template <class Stored>
PanelValues::Fits PanelValues::fill_as(const SupernodalCholesky& cholesky, const MergedSupernodes& merged,
                                       const PanelLayout& layout) {
  auto& values = values_.emplace<Array<Stored>>(static_cast<std::size_t>(layout.value_count), Stored{});
  const int simd = costs().simd_size;
  std::vector<double> largest(layout.panels.size());
  for_each_panel(cholesky, merged, layout, [&](int p, const ConstBlock& block) {
    const Panel& panel = layout.panels[p];
    const int below = panel.row_count - panel.width;
    const Eigen::MatrixXd inverse = inverse_of_corner(block);
    Eigen::MatrixXd rows(panel.row_count, panel.width);
    rows.topRows(panel.width).noalias() = -inverse.transpose() * inverse;
    rows.bottomRows(below).noalias() = block.bottomRows(below) * inverse;
    // d A d: S becomes d⁻¹ S d⁻¹, W becomes d W d⁻¹.
    const int* place = layout.scale_row.data() + panel.index_start;
    for (int c = 0; c < panel.width; ++c) rows.col(c) /= scale_[place[c]];
    for (int r = 0; r < panel.row_count; ++r) {
      rows.row(r) *= r < panel.width ? 1 / scale_[place[r]] : scale_[place[r]];
    }
    largest[p] = rows.cwiseAbs().maxCoeff();

    const Groups groups(panel.vector_count);
    Stored* to = values.data() + panel.value_start;
    for (int g = 0; g < groups.count; ++g) {
      const int first = groups.begin(g) * simd, size = groups.size(g) * simd;
      for (int c = 0; c < panel.width; ++c, to += size) {
        for (int k = 0; k < std::min(size, panel.row_count - first); ++k) store_rounded(rows(first + k, c), to[k]);
      }
    }
  });
  const bool fits = *std::max_element(largest.begin(), largest.end()) <= kLargestHalf;
  return std::is_same_v<Stored, Half> && !fits ? Fits::no : Fits::yes;
}

PanelValues::Finite PanelValues::fill(const SupernodalCholesky& cholesky, const MergedSupernodes& merged,
                                      const PanelLayout& layout) {
  // d² = the power of four next to the diagonal of S.
  scale_.resize(layout.order.size());
  for_each_panel(cholesky, merged, layout, [&](int p, const ConstBlock& block) {
    const Eigen::VectorXd diagonal = inverse_of_corner(block).colwise().squaredNorm().transpose();
    const int* place = layout.scale_row.data() + layout.panels[p].index_start;
    for (int c = 0; c < layout.panels[p].width; ++c) {
      scale_[place[c]] = std::isfinite(diagonal[c]) ? std::exp2(std::round(0.5 * std::log2(diagonal[c]))) : 0;
    }
  });
  for (const double d : scale_) {
    if (!(d > 0)) return Finite::no;
  }

  storage_ = wanted_;
  if (storage_ == FactorStorage::float16 && fill_as<Half>(cholesky, merged, layout) == Fits::no)
    storage_ = FactorStorage::float32;
  if (storage_ == FactorStorage::float32) (void)fill_as<float>(cholesky, merged, layout);
  if (storage_ == FactorStorage::float64) (void)fill_as<double>(cholesky, merged, layout);
  return Finite::yes;
}

template <class Stored, class Real>
void PanelValues::solve_as(const PanelLayout& layout, const BlockVector& b, BlockVector& x, Array<Real>& workspace) {
  if (layout.order.empty()) return;
  workspace.resize(4 * static_cast<std::size_t>(layout.workspace_rows));
  const Stored* values = std::get<Array<Stored>>(values_).data();
  const auto work_of = [&](const PanelTask& task) { return workspace.data() + 4 * task.workspace; };
  const auto forward = [&](const PanelTask& task) {
    for (int p = task.panel_begin; p < task.panel_end; ++p) {
      const Panel& panel = layout.panels[p];
      forward_panel(panel, values + panel.value_start, layout.row.data() + panel.index_start, work_of(task));
    }
  };
  const auto backward = [&](const PanelTask& task) {
    for (int p = task.panel_end - 1; p >= task.panel_begin; --p) {
      const Panel& panel = layout.panels[p];
      backward_panel(panel, values + panel.value_start, layout.row.data() + panel.index_start, task.dummy_row(),
                     work_of(task));
    }
  };
  const int count = layout.subtree_task_count();
  const PanelTask& top = layout.top();

  // Forward: the subtrees, each on its own; then what they pass on, task by task; then the top.
  parallel_for(count, 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) {
      load_own_rows<Real>(layout, layout.tasks[t], scale_, b, work_of(layout.tasks[t]));
      forward(layout.tasks[t]);
    }
  });
  load_own_rows<Real>(layout, top, scale_, b, work_of(top));
  for (int t = 0; t < count; ++t) {
    const Real* from = work_of(layout.tasks[t]) + 4 * static_cast<std::ptrdiff_t>(layout.tasks[t].own_count());
    for (int k = layout.tasks[t].outer_begin; k < layout.tasks[t].outer_end; ++k, from += 4) {
      for (int c = 0; c < 4; ++c) work_of(top)[4 * layout.outer[k] + c] += from[c];
    }
  }
  forward(top);

  // Backward: the top, then the subtrees with the top's solution in their outer rows; the last read comes first.
  backward(top);
  store_own_rows(layout, top, scale_, work_of(top), x);
  parallel_for(count, 1, [&](int begin, int end) {
    for (int t = count - 1 - begin; t > count - 1 - end; --t) {
      const PanelTask& task = layout.tasks[t];
      Real* to = work_of(task) + 4 * static_cast<std::ptrdiff_t>(task.own_count());
      for (int k = task.outer_begin; k < task.outer_end; ++k, to += 4) {
        std::memcpy(to, work_of(top) + 4 * static_cast<std::ptrdiff_t>(layout.outer[k]), 4 * sizeof(Real));
      }
      backward(task);
      store_own_rows(layout, task, scale_, work_of(task), x);
    }
  });
}

void PanelValues::solve(const PanelLayout& layout, const BlockVector& b, BlockVector& x) {
  switch (storage_) {
    case FactorStorage::float64:
      return solve_as<double>(layout, b, x, workspace64_);
    case FactorStorage::float32:
      return solve_as<float>(layout, b, x, workspace32_);
    case FactorStorage::float16:
      return solve_as<Half>(layout, b, x, workspace32_);
  }
}

std::size_t PanelValues::memory_bytes() const {
  return std::visit([](const auto& values) { return sizeof(values[0]) * values.capacity(); }, values_) +
         sizeof(double) * (scale_.capacity() + workspace64_.capacity()) + sizeof(float) * workspace32_.capacity();
}

}  // namespace pliant::linear
