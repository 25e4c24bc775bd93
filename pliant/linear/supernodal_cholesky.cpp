// Supernodes by CHOLMOD or, built without it, by our own multifrontal method: each is one class Backend.
#include "pliant/linear/supernodal_cholesky.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "pliant/assert.h"

#ifdef PLIANT_WITH_CHOLMOD
#include "pliant/linear/cholmod_calls.h"
#else
#include <Eigen/Cholesky>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#endif

namespace pliant::linear {

#ifdef PLIANT_WITH_CHOLMOD
class SupernodalCholesky::Backend {
 public:
  Backend(const sparse::BlockPattern& pattern, SupernodalStructure& structure)
      : size_(static_cast<std::size_t>(pattern.row_count())),
        start_(pattern.row_start().begin(), pattern.row_start().end()),
        row_(pattern.column().begin(), pattern.column().end()) {
    start_silently(common_);
    common_.nmethods = 2;
    common_.method[0].ordering = CHOLMOD_AMD;
    common_.method[1].ordering = CHOLMOD_METIS;
    common_.postorder = 1;
    common_.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse graph = lower_columns(nullptr);
    symbolic_ = cholmod_l_analyze(&graph, &common_);
    check_memory();
    PLIANT_ASSERT(symbolic_ && symbolic_->is_super, "the pattern of the matrix can be analysed");
    copy_structure(structure);
  }
  ~Backend() {
    cholmod_l_free_factor(&symbolic_, &common_);
    cholmod_l_free_factor(&numeric_, &common_);
    cholmod_l_finish(&common_);
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  LinearStatus factor(const SupernodalStructure&, std::span<const double> slots) {
    const CholmodCall call(1);  // the same bits for every set_thread_count
    cholmod_sparse matrix = lower_columns(const_cast<double*>(slots.data()));  // only read
    cholmod_l_free_factor(&numeric_, &common_);
    numeric_ = cholmod_l_copy_factor(symbolic_, &common_);
    check_memory();
    cholmod_l_factorize(&matrix, numeric_, &common_);
    check_memory();
    const bool whole = common_.status == CHOLMOD_OK && numeric_->minor == numeric_->n;
    return whole ? LinearStatus::solved : LinearStatus::not_positive_definite;
  }

  [[nodiscard]] std::span<const double> values() const {
    return {static_cast<const double*>(numeric_->x), static_cast<std::size_t>(numeric_->xsize)};
  }
  void release_values() { cholmod_l_free_factor(&numeric_, &common_); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return common_.memory_inuse + sizeof(std::int64_t) * (start_.capacity() + row_.capacity());
  }

 private:
  // Upper rows, which we have, are lower columns. Without values: the pattern.
  cholmod_sparse lower_columns(double* values) { return lower_triangle(size_, start_, row_, values); }

  void copy_structure(SupernodalStructure& structure) const {
    const auto copy = [](auto& to, const void* from, std::size_t count) {
      const auto* first = static_cast<const SuiteSparse_long*>(from);
      to.assign(first, first + count);
    };
    copy(structure.order, symbolic_->Perm, symbolic_->n);
    copy(structure.column_start, symbolic_->super, symbolic_->nsuper + 1);
    copy(structure.row_start, symbolic_->pi, symbolic_->nsuper + 1);
    copy(structure.value_start, symbolic_->px, symbolic_->nsuper + 1);
    copy(structure.row, symbolic_->s, symbolic_->ssize);
  }

  void check_memory() const {
    if (common_.status == CHOLMOD_OUT_OF_MEMORY || common_.status == CHOLMOD_TOO_LARGE) throw std::bad_alloc();
  }

  cholmod_common common_{};
  std::size_t size_;
  std::vector<std::int64_t> start_, row_;
  cholmod_factor *symbolic_ = nullptr, *numeric_ = nullptr;
};

#else
namespace {

// parent[j]: the first row below the diagonal of column j of L, −1 at a root. For every row i the entries left of the
// diagonal climb the tree to i; paths are shortened on the way.
std::vector<int> elimination_tree(const std::vector<std::vector<int> >& columns_left) {
  const int n = static_cast<int>(columns_left.size());
  std::vector<int> parent(n, -1), ancestor(n, -1);
  for (int i = 0; i < n; ++i) {
    for (int j : columns_left[i]) {
      while (j != -1 && j < i) {
        const int next = ancestor[j];
        ancestor[j] = i;
        if (next == -1) parent[j] = i;
        j = next;
      }
    }
  }
  return parent;
}

// Children before parents, each subtree in one piece.
std::vector<int> postorder_of(const std::vector<int>& parent) {
  const int n = static_cast<int>(parent.size());
  std::vector<int> first_child(n, -1), next_sibling(n, -1), post, stack;
  for (int j = n - 1; j >= 0; --j) {
    if (parent[j] < 0) continue;
    next_sibling[j] = first_child[parent[j]];
    first_child[parent[j]] = j;
  }
  post.reserve(n);
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const int j = stack.back();
      if (first_child[j] >= 0) {
        stack.push_back(first_child[j]);
        first_child[j] = next_sibling[first_child[j]];
      } else {
        post.push_back(j);
        stack.pop_back();
      }
    }
  }
  return post;
}

// A supernode while columns are being joined.
struct JoinedColumns {
  int first, last;         // columns [first, last)
  std::vector<int> below;  // rows below the diagonal block
  std::int64_t zeros = 0;  // stored although L has none there

  [[nodiscard]] std::int64_t entries() const {
    const std::int64_t width = last - first;
    return width * (width + 1) / 2 + width * static_cast<std::int64_t>(below.size());
  }
};

// Joins a child with the parent that follows it when few zeros come in: any for four columns, then up to 80, 10 and 5 %.
bool worth_joining(const JoinedColumns& child, const JoinedColumns& parent) {
  if (child.last != parent.first || child.below.empty() || child.below.front() >= parent.last) return false;
  const JoinedColumns both{child.first, parent.last, {}};
  const std::int64_t width = both.last - both.first;
  const std::int64_t entries = both.entries() + width * static_cast<std::int64_t>(parent.below.size());
  const std::int64_t zeros = entries - (child.entries() - child.zeros) - (parent.entries() - parent.zeros);
  const double share = static_cast<double>(zeros) / static_cast<double>(entries);
  return zeros == 0 || width <= 4 || (width <= 16 && share < 0.8) || (width <= 48 && share < 0.1) || share < 0.05;
}

}  // namespace

class SupernodalCholesky::Backend {
 public:
  Backend(const sparse::BlockPattern& pattern, SupernodalStructure& structure) {
    choose_order(pattern, structure);
    place_entries(pattern, structure.order);
    join_columns(structure);
  }

  // Multifrontal: per supernode a dense matrix over its rows, the sum of its columns of A and of what its children pass
  // on; its columns are eliminated and the rest is passed to the parent.
  LinearStatus factor(const SupernodalStructure& structure, std::span<const double> slots) {
    const int count = structure.supernode_count();
    values_.resize(static_cast<std::size_t>(structure.value_start.back()));
    std::vector<Eigen::MatrixXd> passed_on(count);
    std::vector<int> local(start_.size());  // of a row of L, its place in the current front
    for (int s = 0; s < count; ++s) {
      const int width = structure.column_count(s), rows = structure.row_count(s), below = rows - width;
      const int* row = structure.row.data() + structure.row_start[s];
      for (int k = 0; k < rows; ++k) local[row[k]] = k;
      Eigen::MatrixXd front = Eigen::MatrixXd::Zero(rows, rows);
      for (int c = 0; c < width; ++c) {
        for (int e = start_[row[c]]; e < start_[row[c] + 1]; ++e) front(local[row_[e]], c) = slots[slot_[e]];
      }
      for (const int child : children_[s]) {
        add_passed_on(structure.rows_below(child), passed_on[child], local, front);
        passed_on[child].resize(0, 0);
      }
      if (!eliminate(front, width)) return LinearStatus::not_positive_definite;
      passed_on[s] = front.bottomRightCorner(below, below);
      Eigen::Map<Eigen::MatrixXd>(values_.data() + structure.value_start[s], rows, width) = front.leftCols(width);
    }
    return LinearStatus::solved;
  }

  [[nodiscard]] std::span<const double> values() const { return values_; }
  void release_values() { values_ = {}; }
  [[nodiscard]] std::size_t memory_bytes() const {
    std::size_t links = 0;
    for (const auto& children : children_) links += sizeof children + sizeof(int) * children.capacity();
    return sizeof(int) * (start_.capacity() + row_.capacity() + slot_.capacity()) + links +
           sizeof(double) * values_.capacity();
  }

 private:
  void choose_order(const sparse::BlockPattern& pattern, SupernodalStructure& structure) {
    using Matrix = Eigen::SparseMatrix<double>;
    const int n = pattern.row_count();
    const std::vector<double> ones(static_cast<std::size_t>(pattern.slot_count()), 1.0);
    const Matrix lower = Eigen::Map<const Matrix>(n, n, pattern.slot_count(), pattern.row_start().data(),
                                                  pattern.column().data(), ones.data());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(n);
    if (n > 0) Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), order);
    structure.order.assign(order.indices().data(), order.indices().data() + n);

    place_entries(pattern, structure.order);
    std::vector<std::vector<int> > columns_left(n);
    for (int j = 0; j < n; ++j) {
      for (int e = start_[j] + 1; e < start_[j + 1]; ++e) columns_left[row_[e]].push_back(j);
    }
    const std::vector<int> before = structure.order;
    const std::vector<int> post = postorder_of(elimination_tree(columns_left));
    for (int k = 0; k < n; ++k) structure.order[k] = before[post[k]];
  }

  // The lower columns of P A Pᵀ: rows (the diagonal first), and from which slot each entry comes.
  void place_entries(const sparse::BlockPattern& pattern, const std::vector<int>& order) {
    const int n = pattern.row_count();
    std::vector<int> place(n);
    for (int k = 0; k < n; ++k) place[order[k]] = k;
    std::vector<std::vector<std::pair<int, int> > > columns(n);  // row, slot
    for (int i = 0; i < n; ++i) {
      for (int slot = pattern.row_start()[i]; slot < pattern.row_start()[i + 1]; ++slot) {
        const auto [column, row] = std::minmax(place[i], place[pattern.column()[slot]]);
        columns[column].emplace_back(row, slot);
      }
    }
    start_.assign(1, 0);
    row_.clear();
    slot_.clear();
    for (auto& column : columns) {
      std::sort(column.begin(), column.end());
      for (const auto& [row, slot] : column) {
        row_.push_back(row);
        slot_.push_back(slot);
      }
      start_.push_back(static_cast<int>(row_.size()));
    }
  }

  // Patterns of the columns of L, each from those of its children; then supernodes.
  void join_columns(SupernodalStructure& structure) {
    const int n = static_cast<int>(start_.size()) - 1;
    std::vector<std::vector<int> > below(n), children(n);
    std::vector<int> merged;
    std::vector<JoinedColumns> joined;
    for (int j = 0; j < n; ++j) {
      below[j].assign(row_.begin() + start_[j] + 1, row_.begin() + start_[j + 1]);
      for (const int child : children[j]) {
        merged.clear();
        std::set_union(below[j].begin(), below[j].end(), below[child].begin() + 1, below[child].end(),
                       std::back_inserter(merged));
        below[j] = merged;
        below[child] = {};
      }
      if (!below[j].empty()) children[below[j].front()].push_back(j);
      joined.push_back({j, j + 1, below[j]});
      while (joined.size() > 1 && worth_joining(joined[joined.size() - 2], joined.back())) {
        JoinedColumns parent = std::move(joined.back());
        joined.pop_back();
        const std::int64_t own = joined.back().entries() - joined.back().zeros + parent.entries() - parent.zeros;
        parent.first = joined.back().first;
        parent.zeros = parent.entries() - own;
        joined.back() = std::move(parent);
      }
    }
    write_structure(joined, structure);
  }

  void write_structure(const std::vector<JoinedColumns>& joined, SupernodalStructure& structure) {
    std::vector<int> supernode_of;
    for (const JoinedColumns& s : joined) {
      supernode_of.resize(s.last, structure.supernode_count());
      for (int c = s.first; c < s.last; ++c) structure.row.push_back(c);
      structure.row.insert(structure.row.end(), s.below.begin(), s.below.end());
      const std::int64_t rows = s.last - s.first + static_cast<std::int64_t>(s.below.size());
      structure.value_start.push_back(structure.value_start.back() + rows * (s.last - s.first));
      structure.row_start.push_back(static_cast<std::int64_t>(structure.row.size()));
      structure.column_start.push_back(s.last);
    }
    children_.resize(joined.size());
    for (int s = 0; s < structure.supernode_count(); ++s) {
      if (!joined[s].below.empty()) children_[supernode_of[joined[s].below.front()]].push_back(s);
    }
  }

  static void add_passed_on(std::span<const int> rows, const Eigen::MatrixXd& from, const std::vector<int>& local,
                            Eigen::MatrixXd& to) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      for (std::size_t r = c; r < rows.size(); ++r) {
        to(local[rows[r]], local[rows[c]]) += from(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
      }
    }
  }

  static bool eliminate(Eigen::MatrixXd& front, int width) {
    const Eigen::Index below = front.rows() - width;
    auto l11 = front.topLeftCorner(width, width);
    auto l21 = front.bottomLeftCorner(below, width);
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> dense(l11);
    if (dense.info() != Eigen::Success) return false;
    l11 = dense.matrixL();
    if (below == 0) return true;
    l11.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(l21);
    front.bottomRightCorner(below, below).selfadjointView<Eigen::Lower>().rankUpdate(l21, -1.0);
    return true;
  }

  std::vector<int> start_, row_, slot_;      // lower columns of P A Pᵀ
  std::vector<std::vector<int> > children_;  // of a supernode
  std::vector<double> values_;
};

#endif

std::size_t SupernodalStructure::memory_bytes() const {
  return sizeof(int) * (order.capacity() + column_start.capacity() + row.capacity()) +
         sizeof(std::int64_t) * (row_start.capacity() + value_start.capacity());
}

SupernodalCholesky::SupernodalCholesky(const sparse::BlockPattern& pattern)
    : backend_(std::make_unique<Backend>(pattern, structure_)) {}
SupernodalCholesky::~SupernodalCholesky() = default;

LinearStatus SupernodalCholesky::factor(std::span<const double> slots) { return backend_->factor(structure_, slots); }
std::span<const double> SupernodalCholesky::values() const { return backend_->values(); }
void SupernodalCholesky::release_values() { backend_->release_values(); }
std::size_t SupernodalCholesky::memory_bytes() const { return backend_->memory_bytes() + structure_.memory_bytes(); }

}  // namespace pliant::linear
