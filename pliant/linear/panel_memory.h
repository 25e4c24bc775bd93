// Memory for the numbers of a factor: on large pages, where the system has them for the asking.
//
// A solve streams tens of megabytes, a new page of 4 KB every few hundred cycles, and prefetches stall on addresses that
// are not translated yet; with pages of 2 MB solves beyond the caches take about a fifth less time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pliant::linear {

template <class T>
struct PanelAllocator {
  using value_type = T;
  static constexpr std::size_t kCacheLine = 64, kLargePage = std::size_t{1} << 21;

  PanelAllocator() = default;
  template <class U>
  PanelAllocator(const PanelAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - kLargePage) / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t unit = count * sizeof(T) < kLargePage ? kCacheLine : kLargePage;
    const std::size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
    void* memory = std::aligned_alloc(unit, bytes);
    if (!memory) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (unit == kLargePage) (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: refused, pages are small
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  bool operator==(const PanelAllocator&) const { return true; }
};

}  // namespace pliant::linear
