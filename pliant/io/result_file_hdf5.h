// The few HDF5 operations that results need, with C++ lifetimes and one kind of error.
//
// Failures while writing are WriteError, while reading InputError (the file is damaged or not ours). HDF5 itself
// prints nothing while an Hdf5Quiet lives. HDF5 is to be used from one thread at a time.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pliant/io/result_file_storage.h"
#include "pliant/io/result_file_types.h"

namespace pliant::io {

// HDF5 prints its error stack on stderr unless told otherwise; a library must not.
class Hdf5Quiet {
 public:
  Hdf5Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &argument_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, argument_); }
  Hdf5Quiet(const Hdf5Quiet&) = delete;
  Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* argument_ = nullptr;
};

// Any HDF5 identifier; closed by what HDF5 says it is.
class Hdf5Object {
 public:
  Hdf5Object() = default;
  explicit Hdf5Object(hid_t id) : id_(id) {}
  Hdf5Object(Hdf5Object&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hdf5Object& operator=(Hdf5Object&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Hdf5Object() { close(); }
  bool close();  // false when HDF5 reports a failure
  [[nodiscard]] hid_t id() const { return id_; }

 private:
  hid_t id_ = -1;
};

using Shape = std::vector<hsize_t>;

// A file and what can be done in it. `parent` below is the file's root() or a group.
class Hdf5File {
 public:
  enum class Mode { create, write, read };
  // path: for messages. The storage must outlive this.
  Hdf5File(ResultStorage& storage, std::string path, Mode mode);

  [[nodiscard]] const Hdf5Object& root() const { return file_; }
  void flush();
  void close();                                                   // throws WriteError when HDF5 cannot
  [[noreturn]] void fail_writing(const std::string& what) const;  // WriteError
  [[noreturn]] void fail_reading(const std::string& what) const;  // InputError

  // groups and what they contain
  [[nodiscard]] Hdf5Object create_group(const Hdf5Object& parent, const std::string& name) const;
  [[nodiscard]] Hdf5Object open_group(const Hdf5Object& parent, const std::string& name) const;
  [[nodiscard]] Hdf5Object open_dataset(const Hdf5Object& parent, const std::string& name) const;
  [[nodiscard]] bool has(const Hdf5Object& parent, const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names_in(const Hdf5Object& parent) const;
  void remove(const Hdf5Object& parent, const std::string& name) const;

  // attributes
  void set_attribute(const Hdf5Object& object, const std::string& name, const std::string& text) const;
  void set_attribute(const Hdf5Object& object, const std::string& name, std::int64_t number) const;
  [[nodiscard]] std::string text_attribute(const Hdf5Object& object, const std::string& name) const;
  [[nodiscard]] std::int64_t number_attribute(const Hdf5Object& object, const std::string& name) const;

  // arrays of fixed length
  void write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape, const double* values) const;
  void write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape, const int* values) const;
  void write_array(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                   const std::int64_t* values) const;

  // series: arrays that grow along their first axis; row_shape is what one row looks like
  struct SeriesLayout {
    Shape row_shape;
    hid_t file_type = -1;
    int compression = 0;  // gzip level, 0 to 9
  };
  [[nodiscard]] Hdf5Object create_series(const Hdf5Object& parent, const std::string& name,
                                         const SeriesLayout& layout) const;
  void append_rows(const Hdf5Object& series, hsize_t count, hid_t type, const void* values) const;
  void keep_rows(const Hdf5Object& series, hsize_t count) const;

  // reading either kind; whole arrays, or some rows
  [[nodiscard]] Shape shape_of(const Hdf5Object& dataset) const;
  // Checks the rank and the fixed extents (kAny accepts all); what: name in the message.
  static constexpr hsize_t kAny = static_cast<hsize_t>(-1);
  [[nodiscard]] Shape expect_shape(const Hdf5Object& dataset, const Shape& expected, const std::string& what) const;
  template <typename T>
  [[nodiscard]] std::vector<T> read_rows(const Hdf5Object& dataset, hsize_t first, hsize_t count) const;
  template <typename T>
  [[nodiscard]] std::vector<T> read_all(const Hdf5Object& dataset) const;

 private:
  void write_fixed(const Hdf5Object& parent, const std::string& name, const Shape& shape,
                   std::pair<hid_t, hid_t> file_and_memory_type, const void* values) const;
  std::size_t checked_size(const Shape& shape) const;
  void read_block(const Hdf5Object& dataset, const Shape& start, const Shape& count, hid_t type, void* values) const;

  ResultStorage* storage_;
  std::string path_;
  Hdf5Object file_;
};

extern template std::vector<double> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
extern template std::vector<int> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
extern template std::vector<std::int64_t> Hdf5File::read_rows(const Hdf5Object&, hsize_t, hsize_t) const;
extern template std::vector<double> Hdf5File::read_all(const Hdf5Object&) const;
extern template std::vector<int> Hdf5File::read_all(const Hdf5Object&) const;
extern template std::vector<std::int64_t> Hdf5File::read_all(const Hdf5Object&) const;

}  // namespace pliant::io
