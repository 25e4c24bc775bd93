#include "pliant/io/result_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "pliant/assert.h"
#include "pliant/input_error.h"
#include "pliant/io/result_file_hdf5.h"
#include "pliant/io/result_file_outline.h"
#include "pliant/io/write_error.h"
#include "pliant/io/xdmf.h"

namespace pliant::io {
namespace {

// Every array that grows costs some 30 µs and a page or two of the log each time something is added to it, however little:
// 2,000 boxes 0.1 s. With more arrays than this frames wait for each other.
constexpr std::size_t kManySeries = 256;
// They wait this many times as long as the last writing took.
constexpr double kWaitOverWriting = 10;
constexpr std::size_t kMostWaiting = 1 << 23;  // numbers

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

hid_t file_type(StoredAs stored_as) {
  switch (stored_as) {
    case StoredAs::float64:
      return H5T_IEEE_F64LE;
    case StoredAs::float32:
      return H5T_IEEE_F32LE;
    case StoredAs::uint8:
      return H5T_STD_U8LE;
  }
  return -1;
}

// Vec3 is three doubles without padding, so an array of them is an array of doubles.
const double* doubles(std::span<const Vec3> points) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Vec2) == 2 * sizeof(double));
  return points.empty() ? nullptr : points.front().data();
}

void check_names(std::span<const BodyDescription> bodies) {
  std::set<std::string> names;
  for (const BodyDescription& body : bodies) {
    const bool usable = !body.name.empty() && body.name != "." && body.name.find('/') == std::string::npos &&
                        std::none_of(body.name.begin(), body.name.end(), [](unsigned char c) { return c < 32; });
    if (!usable)
      throw InputError("the body name '" + body.name +
                       "' cannot be used in a result; use letters, digits, dots and underscores");
    if (!names.insert(body.name).second) throw InputError("two bodies are named '" + body.name + "'; rename one");
  }
}

}  // namespace

struct ResultWriter::File {
  // A dataset that grows, and rows that wait to be written.
  template <typename T>
  struct Series {
    Hdf5Object dataset;
    std::vector<T> waiting;

    template <typename Values>
    void add(const Values& values) {
      waiting.insert(waiting.end(), std::begin(values), std::end(values));
    }
    void write(const Hdf5File& file, std::size_t rows, hid_t type) {
      file.append_rows(dataset, rows, type, waiting.data());
      waiting.clear();
    }
  };

  // Of one body's current revision.
  struct BodySeries {
    Series<double> positions;
    Series<double> poses;  // posed bodies only
    std::vector<Series<double>> fields;
    std::vector<Vec3> rest_positions;  // posed bodies only: to compute positions from poses
  };

  struct ContactSeries {
    Series<std::int64_t> offsets;
    Series<int> pair;
    Series<double> point, normal, force;
    std::int64_t count = 0;  // contacts of all frames so far
  };

  std::filesystem::path folder;
  ResultOptions options;
  ResultStorage storage;
  std::optional<Hdf5File> hdf5;
  ResultOutline outline;
  std::vector<BodySeries> bodies;
  ContactSeries contacts;
  Series<double> times;
  Series<std::int64_t> steps;
  bool usable = true;
  double last_write = 0, last_cost = 0;  // s: when frames were written last, and how long that took
  std::size_t series_count = 0;          // arrays that grow with the bodies
  std::size_t waiting_numbers = 0;
  std::uint64_t next_description = 1;  // frames with which result.xdmf is brought up to date again

  File(const std::filesystem::path& result_folder, const ResultOptions& result_options, ResultStorage result_storage)
      : folder(result_folder), options(result_options), storage(std::move(result_storage)) {}
  ~File();

  [[nodiscard]] Hdf5Object series(const Hdf5Object& parent, const std::string& name, Shape row_shape,
                                  hid_t type) const {
    return hdf5->create_series(parent, name, {std::move(row_shape), type, options.compression});
  }
  void create(std::span<const BodyDescription> descriptions);
  void create_contacts();
  void create_revision(std::size_t body, const BodyMesh& mesh, BodyMotion motion,
                       std::span<const FieldDescription> fields);
  void create_surface(const Hdf5Object& parent, const EmbeddedSurface& embedded) const;
  void reopen(std::int64_t kept_frames);
  void truncate_body(std::size_t index, std::int64_t kept_frames);
  void open_series(std::size_t index, std::int64_t kept_frames);
  void open_contacts();
  void append_body(std::size_t index, const BodyFrame& frame);
  void append_contacts(std::span<const Contact> list);
  void count_series();
  [[nodiscard]] bool is_time_to_write() const;
  void write_waiting();
  void describe_if_due();
  void commit();
  void close_objects();
};

ResultWriter::File::~File() {
  const Hdf5Quiet quiet;
  // Whatever HDF5 still wants to write belongs to no commit.
  storage.abandon();
  try {
    close_objects();
  } catch (const WriteError&) {  // nothing left to save
  }
}

void ResultWriter::File::close_objects() {
  bodies.clear();
  contacts = {};
  times.dataset.close();
  steps.dataset.close();
  if (hdf5) hdf5->close();
}

void ResultWriter::File::commit() {
  hdf5->flush();
  storage.commit();
}

void ResultWriter::File::create(std::span<const BodyDescription> descriptions) {
  hdf5.emplace(storage, result_path(folder).string(), Hdf5File::Mode::create);
  const Hdf5Object& root = hdf5->root();
  hdf5->set_attribute(root, "format", std::string("pliant result"));
  hdf5->set_attribute(root, "format_version", kResultFormatVersion);
  hdf5->set_attribute(root, "pliant_version", options.pliant_version);
  hdf5->set_attribute(root, "units", std::string("SI: m, s, kg, N; poses: x y z, then the quaternion w x y z"));
  hdf5->set_attribute(root, "up", std::string("y"));
  outline.pliant_version = options.pliant_version;
  times.dataset = series(root, "times", {}, H5T_IEEE_F64LE);
  steps.dataset = series(root, "steps", {}, H5T_STD_I64LE);

  const Hdf5Object group = hdf5->create_group(root, "bodies");
  bodies.resize(descriptions.size());
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    const BodyDescription& description = descriptions[i];
    const Hdf5Object body = hdf5->create_group(group, description.name);
    hdf5->set_attribute(body, "kind", name_of(description.kind));
    hdf5->set_attribute(body, "index", static_cast<std::int64_t>(i));
    (void)hdf5->create_group(body, "revisions");
    outline.bodies.push_back({description.name, description.kind, {}});
    create_revision(i, description.mesh, description.motion, description.fields);
  }
  create_contacts();
  count_series();
  commit();
}

void ResultWriter::File::create_contacts() {
  const Hdf5Object group = hdf5->create_group(hdf5->root(), "contacts");
  contacts.offsets.dataset = series(group, "offsets", {}, H5T_STD_I64LE);
  contacts.pair.dataset = series(group, "pair", {2}, H5T_STD_I32LE);
  contacts.point.dataset = series(group, "point", {3}, H5T_IEEE_F64LE);
  contacts.normal.dataset = series(group, "normal", {3}, H5T_IEEE_F64LE);
  contacts.force.dataset = series(group, "force", {3}, H5T_IEEE_F64LE);
  hdf5->append_rows(contacts.offsets.dataset, 1, H5T_NATIVE_INT64, &contacts.count);
}

void ResultWriter::File::create_revision(std::size_t body, const BodyMesh& mesh, BodyMotion motion,
                                         std::span<const FieldDescription> fields) {
  BodyOutline& body_outline = outline.bodies[body];
  const auto corners = static_cast<hsize_t>(mesh.shape);
  const hsize_t vertex_count = mesh.rest_positions.size();
  PLIANT_ASSERT(mesh.cells.size() % corners == 0, "cells have as many corners as their shape");
  PLIANT_ASSERT(mesh.texture.empty() || mesh.texture.size() == vertex_count, "texture is per vertex or absent");
  PLIANT_ASSERT(mesh.radius.empty() || mesh.radius.size() == vertex_count, "a radius is per vertex or absent");
  RevisionOutline revision{outline.frame_count(),
                           static_cast<std::int64_t>(vertex_count),
                           static_cast<std::int64_t>(mesh.cell_count()),
                           mesh.shape,
                           motion,
                           {fields.begin(), fields.end()}};

  // What does not move.
  const std::string path = revision_path(body_outline.name, static_cast<int>(body_outline.revisions.size()));
  const Hdf5Object group = hdf5->create_group(hdf5->root(), path);
  hdf5->set_attribute(group, "cell_shape", name_of(mesh.shape));
  hdf5->write_array(group, "cells", {mesh.cell_count(), corners}, mesh.cells.data());
  hdf5->write_array(group, "rest_positions", {vertex_count, 3}, doubles(mesh.rest_positions));
  hdf5->write_array(group, "first_frame", {}, &revision.first_frame);
  if (!mesh.texture.empty()) hdf5->write_array(group, "texture", {vertex_count, 2}, mesh.texture.front().data());
  if (!mesh.radius.empty()) hdf5->write_array(group, "radius", {vertex_count}, mesh.radius.data());
  if (!mesh.pinned.empty()) hdf5->write_array(group, "pinned", {mesh.pinned.size()}, mesh.pinned.data());
  if (mesh.surface) create_surface(group, *mesh.surface);

  // What does.
  BodySeries current;
  current.positions.dataset = series(group, "positions", {vertex_count, 3}, H5T_IEEE_F64LE);
  if (motion == BodyMotion::posed) {
    current.poses.dataset = series(group, "poses", {7}, H5T_IEEE_F64LE);
    current.rest_positions = mesh.rest_positions;
  }
  for (const FieldDescription& field : fields) {
    PLIANT_ASSERT(!is_reserved_name(field.name) && field.components > 0, "a field has a name of its own");
    const hsize_t rows = field.place == FieldPlace::vertex ? vertex_count : mesh.cell_count();
    const auto components = static_cast<hsize_t>(field.components);
    Hdf5Object& dataset = current.fields.emplace_back().dataset;
    dataset = series(group, field.name, {rows, components}, file_type(field.stored_as));
    hdf5->set_attribute(dataset, "place", std::string(field.place == FieldPlace::vertex ? "vertex" : "cell"));
    hdf5->set_attribute(dataset, "unit", field.unit);
    hdf5->set_attribute(dataset, "index", static_cast<std::int64_t>(current.fields.size()) - 1);
  }
  body_outline.revisions.push_back(std::move(revision));
  bodies[body] = std::move(current);
}

void ResultWriter::File::create_surface(const Hdf5Object& parent, const EmbeddedSurface& embedded) const {
  const TriangleMesh& mesh = embedded.surface;
  const hsize_t count = mesh.vertices.size();
  PLIANT_ASSERT(embedded.tet.size() == count && embedded.weights.size() == count, "every surface vertex has its tet");
  const Hdf5Object group = hdf5->create_group(parent, "surface");
  hdf5->write_array(group, "triangles", {mesh.triangles.size(), 3},
                    mesh.triangles.empty() ? nullptr : mesh.triangles.front().data());
  hdf5->write_array(group, "rest_positions", {count, 3}, doubles(mesh.vertices));
  hdf5->write_array(group, "tet", {count}, embedded.tet.data());
  hdf5->write_array(group, "weights", {count, 4}, count == 0 ? nullptr : embedded.weights.front().data());
  if (!mesh.texture.empty()) hdf5->write_array(group, "texture", {count, 2}, mesh.texture.front().data());
}

void ResultWriter::File::reopen(std::int64_t kept_frames) {
  const std::string path = result_path(folder).string();
  hdf5.emplace(storage, path, Hdf5File::Mode::write);
  outline = read_outline(*hdf5);
  if (kept_frames > outline.frame_count())
    throw InputError(path, "the result holds " + std::to_string(outline.frame_count()) +
                               " finished frames, and resuming needs " + std::to_string(kept_frames) +
                               "; run the simulation again without --resume");
  times.dataset = hdf5->open_dataset(hdf5->root(), "times");
  steps.dataset = hdf5->open_dataset(hdf5->root(), "steps");
  bodies.resize(outline.bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    truncate_body(i, kept_frames);
    open_series(i, kept_frames);
  }
  const auto kept = static_cast<std::size_t>(kept_frames);
  hdf5->keep_rows(times.dataset, kept);
  hdf5->keep_rows(steps.dataset, kept);
  outline.times.resize(kept);
  outline.steps.resize(kept);
  next_description = std::bit_ceil(static_cast<std::uint64_t>(kept) + 1);
  open_contacts();
  count_series();
  commit();
}

void ResultWriter::File::truncate_body(std::size_t index, std::int64_t kept_frames) {
  BodyOutline& body = outline.bodies[index];
  while (body.revisions.size() > 1 && body.revisions.back().first_frame >= kept_frames) {
    body.revisions.pop_back();
    hdf5->remove(hdf5->root(), revision_path(body.name, static_cast<int>(body.revisions.size())));
  }
}

void ResultWriter::File::open_series(std::size_t index, std::int64_t kept_frames) {
  const BodyOutline& body = outline.bodies[index];
  const RevisionOutline& revision = body.revisions.back();
  const Hdf5Object group =
      hdf5->open_group(hdf5->root(), revision_path(body.name, static_cast<int>(body.revisions.size()) - 1));
  BodySeries& current = bodies[index];
  current.positions.dataset = hdf5->open_dataset(group, "positions");
  if (revision.motion == BodyMotion::posed) {
    current.poses.dataset = hdf5->open_dataset(group, "poses");
    const auto rest = hdf5->read_all<double>(hdf5->open_dataset(group, "rest_positions"));
    for (std::size_t v = 0; v + 2 < rest.size(); v += 3)
      current.rest_positions.emplace_back(rest[v], rest[v + 1], rest[v + 2]);
  }
  for (const FieldDescription& field : revision.fields)
    current.fields.emplace_back().dataset = hdf5->open_dataset(group, field.name);

  const auto rows = static_cast<hsize_t>(kept_frames - revision.first_frame);
  hdf5->keep_rows(current.positions.dataset, rows);
  if (revision.motion == BodyMotion::posed) hdf5->keep_rows(current.poses.dataset, rows);
  for (const Series<double>& field : current.fields) hdf5->keep_rows(field.dataset, rows);
}

void ResultWriter::File::open_contacts() {
  const Hdf5Object group = hdf5->open_group(hdf5->root(), "contacts");
  contacts.offsets.dataset = hdf5->open_dataset(group, "offsets");
  contacts.pair.dataset = hdf5->open_dataset(group, "pair");
  contacts.point.dataset = hdf5->open_dataset(group, "point");
  contacts.normal.dataset = hdf5->open_dataset(group, "normal");
  contacts.force.dataset = hdf5->open_dataset(group, "force");
  const auto frames = static_cast<hsize_t>(outline.frame_count());
  contacts.count = hdf5->read_rows<std::int64_t>(contacts.offsets.dataset, frames, 1).front();
  if (contacts.count < 0) hdf5->fail_reading("the offsets of contacts are negative");
  hdf5->keep_rows(contacts.offsets.dataset, frames + 1);
  for (const Hdf5Object* list :
       {&contacts.pair.dataset, &contacts.point.dataset, &contacts.normal.dataset, &contacts.force.dataset})
    hdf5->keep_rows(*list, static_cast<hsize_t>(contacts.count));
}

void ResultWriter::File::append_body(std::size_t index, const BodyFrame& frame) {
  const RevisionOutline& revision = outline.bodies[index].revisions.back();
  BodySeries& current = bodies[index];
  const auto vertex_count = static_cast<std::size_t>(revision.vertex_count);
  waiting_numbers += 3 * vertex_count;
  if (revision.motion == BodyMotion::posed) {
    current.poses.add(frame.pose.position);
    current.poses.add(frame.pose.quaternion);
    for (const Vec3& point : current.rest_positions) current.positions.add(frame.pose.apply(point));
  } else {
    PLIANT_ASSERT(frame.positions.size() == vertex_count, "a frame has every vertex");
    current.positions.add(std::span(doubles(frame.positions), 3 * vertex_count));
  }
  PLIANT_ASSERT(frame.fields.size() == revision.fields.size(), "a frame has every field");
  for (std::size_t i = 0; i < frame.fields.size(); ++i) {
    const FieldDescription& field = revision.fields[i];
    const std::int64_t rows = field.place == FieldPlace::vertex ? revision.vertex_count : revision.cell_count;
    PLIANT_ASSERT(frame.fields[i].size() == static_cast<std::size_t>(rows * field.components),
                  "a field has a row per vertex or cell");
    current.fields[i].add(frame.fields[i]);
    waiting_numbers += frame.fields[i].size();
  }
}

void ResultWriter::File::append_contacts(std::span<const Contact> list) {
  for (const Contact& contact : list) {
    contacts.pair.add(std::array{contact.first_body, contact.second_body});
    contacts.point.add(contact.point);
    contacts.normal.add(contact.normal);
    contacts.force.add(contact.force);
  }
  waiting_numbers += 10 * list.size();
  contacts.count += static_cast<std::int64_t>(list.size());
  contacts.offsets.waiting.push_back(contacts.count);
}

void ResultWriter::File::count_series() {
  series_count = 0;
  for (const BodyOutline& body : outline.bodies) {
    const RevisionOutline& revision = body.revisions.back();
    series_count += 1 + (revision.motion == BodyMotion::posed ? 1 : 0) + revision.fields.size();
  }
}

bool ResultWriter::File::is_time_to_write() const {
  if (series_count <= kManySeries || waiting_numbers > kMostWaiting) return true;
  return seconds_now() - last_write > std::min(kWaitOverWriting * last_cost, options.longest_wait);
}

void ResultWriter::File::write_waiting() {
  const std::size_t frames = times.waiting.size();
  if (frames == 0) return;
  const double start = seconds_now();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    BodySeries& body = bodies[i];
    if (outline.bodies[i].revisions.back().motion == BodyMotion::posed)
      body.poses.write(*hdf5, frames, H5T_NATIVE_DOUBLE);
    body.positions.write(*hdf5, frames, H5T_NATIVE_DOUBLE);
    for (Series<double>& field : body.fields) field.write(*hdf5, frames, H5T_NATIVE_DOUBLE);
  }
  const std::size_t contact_count = contacts.pair.waiting.size() / 2;
  contacts.pair.write(*hdf5, contact_count, H5T_NATIVE_INT);
  for (Series<double>* list : {&contacts.point, &contacts.normal, &contacts.force})
    list->write(*hdf5, contact_count, H5T_NATIVE_DOUBLE);
  contacts.offsets.write(*hdf5, frames, H5T_NATIVE_INT64);
  times.write(*hdf5, frames, H5T_NATIVE_DOUBLE);
  steps.write(*hdf5, frames, H5T_NATIVE_INT64);
  commit();
  waiting_numbers = 0;
  last_write = seconds_now();
  last_cost = last_write - start;
}

// A killed run can be looked at in ParaView too: now and then (frames 1, 2, 4, 8, …) its description is brought up to date. The
// cost stays proportional to the number of frames.
void ResultWriter::File::describe_if_due() {
  const auto count = static_cast<std::uint64_t>(outline.frame_count());
  if (!times.waiting.empty() || count < next_description) return;
  next_description = std::bit_ceil(count + 1);
  write_xdmf(folder, outline);
}

std::filesystem::path result_path(const std::filesystem::path& folder) { return folder / "result.h5"; }

ResultWriter::ResultWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
ResultWriter::ResultWriter(ResultWriter&&) noexcept = default;
ResultWriter& ResultWriter::operator=(ResultWriter&& other) noexcept {
  std::swap(file_, other.file_);  // what this one wrote ends with the other
  return *this;
}
ResultWriter::~ResultWriter() {
  if (file_ == nullptr || !file_->usable) return;
  try {
    write();
  } catch (...) {  // the file ends with what was written before; nothing may be thrown from here
  }
}

ResultWriter::ResultWriter(const std::filesystem::path& folder, std::span<const BodyDescription> bodies,
                           const ResultOptions& options) {
  PLIANT_ASSERT(options.compression >= 0 && options.compression <= 9, "gzip levels are 0 to 9");
  const Hdf5Quiet quiet;
  check_names(bodies);
  make_folder(folder);
  file_ = std::make_unique<File>(folder, options, ResultStorage::create(result_path(folder), options.durability));
  file_->create(bodies);
}

ResultWriter ResultWriter::reopen(const std::filesystem::path& folder, std::int64_t kept_frames,
                                  const ResultOptions& options) {
  PLIANT_ASSERT(kept_frames >= 0, "a number of frames is not negative");
  const Hdf5Quiet quiet;
  auto file =
      std::make_unique<File>(folder, options, ResultStorage::open_for_writing(result_path(folder), options.durability));
  file->reopen(kept_frames);
  return ResultWriter(std::move(file));
}

void ResultWriter::append(const Frame& frame) {
  PLIANT_ASSERT(file_->usable, "nothing is appended after finish() or a failure");
  PLIANT_ASSERT(frame.bodies.size() == file_->bodies.size(), "a frame has every body");
  const Hdf5Quiet quiet;
  file_->usable = false;  // until the frame is complete: half a frame must never be committed
  for (std::size_t i = 0; i < frame.bodies.size(); ++i) file_->append_body(i, frame.bodies[i]);
  file_->append_contacts(frame.contacts);
  file_->times.waiting.push_back(frame.time);
  file_->steps.waiting.push_back(frame.step);
  file_->outline.times.push_back(frame.time);
  file_->outline.steps.push_back(frame.step);
  file_->usable = true;
  write_if_due();
}

void ResultWriter::write_if_due() {
  if (!file_->times.waiting.empty() && file_->is_time_to_write()) write();
  file_->describe_if_due();
}

bool ResultWriter::is_written() const { return file_->times.waiting.empty(); }

void ResultWriter::write() {
  PLIANT_ASSERT(file_->usable, "nothing is written after finish() or a failure");
  const Hdf5Quiet quiet;
  file_->usable = false;
  file_->write_waiting();
  file_->usable = true;
}

void ResultWriter::add_revision(int body_index, const BodyMesh& mesh) {
  PLIANT_ASSERT(file_->usable, "nothing is added after finish() or a failure");
  PLIANT_ASSERT(body_index >= 0 && body_index < static_cast<int>(file_->bodies.size()), "the body exists");
  const Hdf5Quiet quiet;
  file_->usable = false;
  file_->write_waiting();  // rows of the revision before
  const auto body = static_cast<std::size_t>(body_index);
  const RevisionOutline previous = file_->outline.bodies[body].revisions.back();
  file_->create_revision(body, mesh, previous.motion, previous.fields);
  file_->commit();
  file_->usable = true;
}

void ResultWriter::finish() {
  PLIANT_ASSERT(file_->usable, "a result is finished once, and not after a failure");
  const Hdf5Quiet quiet;
  file_->usable = false;
  file_->write_waiting();
  // Closing may still move tables, so it is followed by a commit of its own.
  file_->close_objects();
  file_->storage.commit();
  file_->storage.finish();
  write_xdmf(file_->folder, file_->outline);
}

const ResultOutline& ResultWriter::outline() const { return file_->outline; }

}  // namespace pliant::io
