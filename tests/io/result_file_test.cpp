// ResultWriter: what goes in comes out bit for bit, also after kills, full disks and resuming.
#include "pliant/io/result_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"
#include "tests/support/places.h"

namespace pliant::io {
namespace {

using testing::append_frames;
using testing::difference;
using testing::make_frame;
using testing::small_scene;
using testing::TemporaryFolder;

void expect_frames(const std::filesystem::path& folder, const std::vector<BodyDescription>& bodies, int count) {
  const ResultReader reader(folder);
  ASSERT_EQ(reader.frame_count(), count);
  for (int frame = 0; frame < count; ++frame) ASSERT_EQ(difference(reader, bodies, frame), "");
}

// 0 when the script with h5py is content. Its reasons go to the test's output.
int run_check(const std::string& arguments) {
  const std::string command =
      "/usr/bin/python3 '" + test::source_folder().string() + "/tests/io/check_result.py' " + arguments;
  return std::system(command.c_str());
}

// How many frames a program sees that knows nothing of logs; −1 when it cannot open the file.
int frames_seen_by_others(const std::filesystem::path& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return -1;
  const hid_t times = H5Dopen2(file, "times", H5P_DEFAULT);
  const hid_t space = H5Dget_space(times);
  const auto count = static_cast<int>(H5Sget_simple_extent_npoints(space));
  H5Sclose(space);
  H5Dclose(times);
  H5Fclose(file);
  return count;
}

// A number that a child process and its parent both see.
class SharedCount {
 public:
  SharedCount()
      : value_(static_cast<volatile int*>(
            ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    *value_ = 0;
  }
  ~SharedCount() { ::munmap(const_cast<int*>(value_), sizeof(int)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  void operator=(int value) { *value_ = value; }
  [[nodiscard]] int get() const { return *value_; }

 private:
  volatile int* value_;
};

// Runs `work` in a child process, which ends without any clean-up: 0 when work returned, 1 when it threw.
pid_t start_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

void write_frames_counting(ResultWriter& writer, const std::vector<BodyDescription>& bodies, int end,
                           SharedCount& finished) {
  for (int frame = static_cast<int>(writer.frame_count()); frame < end; ++frame) {
    writer.append(make_frame(bodies, frame).frame);
    finished = frame + 1;
  }
}

TEST(ResultFile, ReturnsEveryBit) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 9);
  writer.finish();
  expect_frames(folder.path(), bodies, 9);
  EXPECT_FALSE(std::filesystem::exists(folder / "result.h5.log"));
  EXPECT_FALSE(std::filesystem::exists(folder / "result.h5.partial"));
}

TEST(ResultFile, KeepsSpecialNumbers) {
  const TemporaryFolder folder;
  const std::vector<BodyDescription> bodies = {
      {"p", BodyKind::particles, BodyMotion::vertices, point_mesh({{0, 0, 0}}), {}}};
  const std::vector<Vec3> odd = {{-0.0, std::nan("17"), -std::numeric_limits<double>::infinity()}};
  ResultWriter writer(folder.path(), bodies);
  Frame frame;
  frame.bodies.resize(1);
  frame.bodies[0].positions = odd;
  writer.append(frame);
  writer.finish();
  EXPECT_TRUE(testing::same_bits(ResultReader(folder.path()).positions(0, 0), odd));
}

TEST(ResultFile, CompressesWithoutLoss) {
  const TemporaryFolder folder;
  const auto bodies = small_scene(2000);
  const auto size_with = [&](int level) {
    ResultOptions options;
    options.compression = level;
    ResultWriter writer(folder.path(), bodies, options);
    append_frames(writer, bodies, 0, 5);
    writer.finish();
    expect_frames(folder.path(), bodies, 5);
    return std::filesystem::file_size(folder / "result.h5");
  };
  const auto plain = size_with(0);
  EXPECT_LT(size_with(4), plain);
}

TEST(ResultFile, SameRunSameBytes) {
  const TemporaryFolder first, second;
  const auto bodies = small_scene();
  std::vector<std::string> contents;
  for (const TemporaryFolder* folder : {&first, &second}) {
    ResultWriter writer(folder->path(), bodies);
    append_frames(writer, bodies, 0, 5);
    writer.finish();
    std::ifstream stream(*folder / "result.h5", std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  EXPECT_TRUE(contents[0] == contents[1]);
}

TEST(ResultFile, ResumingTruncatesToTheKeptFrames) {
  const auto bodies = small_scene();
  for (const int kept : {0, 1, 4, 7}) {
    const TemporaryFolder folder;
    {
      ResultWriter writer(folder.path(), bodies);
      append_frames(writer, bodies, 0, 7);
    }
    ResultWriter writer = ResultWriter::reopen(folder.path(), kept);
    expect_frames(folder.path(), bodies, kept);
    append_frames(writer, bodies, kept, 10);
    writer.finish();
    expect_frames(folder.path(), bodies, 10);
  }
}

TEST(ResultFile, ResumingNeedsTheFrames) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  { ResultWriter writer(folder.path(), bodies); }
  try {
    (void)ResultWriter::reopen(folder.path(), 3);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("holds 0 finished frames"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)ResultWriter::reopen(folder / "nowhere", 0), InputError);
}

TEST(ResultFile, RevisionsChangeTheTopology) {
  const TemporaryFolder folder;
  auto bodies = small_scene();
  const auto uncut = bodies;
  auto cut = bodies;
  cut[1].mesh = small_scene(53)[1].mesh;
  {
    ResultWriter writer(folder.path(), bodies);
    append_frames(writer, uncut, 0, 3);
    writer.add_revision(1, cut[1].mesh);
    append_frames(writer, cut, 3, 6);
  }
  {
    const ResultReader reader(folder.path());
    EXPECT_EQ(reader.outline().bodies[1].revisions.size(), 2u);
    EXPECT_EQ(reader.outline().bodies[1].revisions[1].first_frame, 3);
    EXPECT_EQ(reader.mesh(1, 1).rest_positions.size(), 53u);
    for (int frame = 0; frame < 6; ++frame) EXPECT_EQ(difference(reader, frame < 3 ? uncut : cut, frame), "");
  }
  // Resuming before the cut forgets it; resuming after keeps it.
  {
    ResultWriter writer = ResultWriter::reopen(folder.path(), 5);
    EXPECT_EQ(writer.outline().bodies[1].revisions.size(), 2u);
    append_frames(writer, cut, 5, 6);
  }
  ResultWriter writer = ResultWriter::reopen(folder.path(), 3);
  EXPECT_EQ(writer.outline().bodies[1].revisions.size(), 1u);
  append_frames(writer, uncut, 3, 6);
  writer.finish();
  expect_frames(folder.path(), uncut, 6);
}

// 300 arrays that grow.
std::vector<BodyDescription> large_scene() {
  std::vector<BodyDescription> bodies;
  for (int copy = 0; copy < 30; ++copy) {
    for (BodyDescription& body : small_scene()) {
      body.name += " " + std::to_string(copy);
      bodies.push_back(std::move(body));
    }
  }
  return bodies;
}

TEST(ResultFile, FramesWaitNoLongerThanWished) {
  const TemporaryFolder folder;
  const auto bodies = large_scene();
  ResultWriter writer(folder.path(), bodies, {.longest_wait = 0});
  for (int frame = 0; frame < 3; ++frame) {
    append_frames(writer, bodies, frame, frame + 1);
    EXPECT_TRUE(writer.is_written());
    expect_frames(folder.path(), bodies, frame + 1);
  }
}

// What is replaced ends with its last frame, as what is destroyed does.
TEST(ResultFile, WaitingFramesSurviveBeingReplaced) {
  const TemporaryFolder folder, other;
  const auto bodies = large_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 5);
  writer = ResultWriter(other.path(), bodies);
  expect_frames(folder.path(), bodies, 5);
}

// Frames of many bodies wait for each other; write(), a new topology, the end of the writer and finish() write them all.
TEST(ResultFile, ManyBodiesWaitForEachOther) {
  const TemporaryFolder folder;
  const auto uncut = large_scene();
  auto cut = uncut;
  cut[1].mesh = small_scene(53)[1].mesh;
  const auto expect_readable = [&](int count) {
    const ResultReader reader(folder.path());
    ASSERT_EQ(reader.frame_count(), count);
    for (int frame = 0; frame < count; ++frame) ASSERT_EQ(difference(reader, frame < 40 ? uncut : cut, frame), "");
  };
  {
    ResultWriter writer(folder.path(), uncut);
    bool has_waited = false;
    for (int frame = 0; frame < 20; ++frame) {
      append_frames(writer, uncut, frame, frame + 1);
      has_waited = has_waited || !writer.is_written();
    }
    EXPECT_EQ(writer.frame_count(), 20);
    EXPECT_TRUE(has_waited);
    writer.write();
    EXPECT_TRUE(writer.is_written());
    expect_readable(20);
    append_frames(writer, uncut, 20, 40);
    writer.add_revision(1, cut[1].mesh);
    expect_readable(40);
    append_frames(writer, cut, 40, 50);
  }
  expect_readable(50);
  ResultWriter writer = ResultWriter::reopen(folder.path(), 45);
  append_frames(writer, cut, 45, 60);
  writer.finish();
  expect_readable(60);
}

TEST(ResultFile, ManyBodiesAreWholeAfterAKill) {
  const TemporaryFolder folder;
  const auto bodies = large_scene();
  const pid_t child = start_child([&] {
    ResultWriter writer(folder.path(), bodies);
    append_frames(writer, bodies, 0, 20);
    writer.write();
    append_frames(writer, bodies, 20, 60);
    ::kill(::getpid(), SIGKILL);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const ResultReader reader(folder.path());
  ASSERT_GE(reader.frame_count(), 20);
  for (int frame = 0; frame < reader.frame_count(); ++frame) ASSERT_EQ(difference(reader, bodies, frame), "");
}

TEST(ResultFile, RefusesUnusableNames) {
  const TemporaryFolder folder;
  for (const char* name : {"a/b", "", ".", "line\nbreak"}) {
    std::vector<BodyDescription> bodies = small_scene();
    bodies[0].name = name;
    EXPECT_THROW(ResultWriter(folder.path(), bodies), InputError) << name;
  }
  std::vector<BodyDescription> twins = small_scene();
  twins[0].name = twins[1].name;
  EXPECT_THROW(ResultWriter(folder.path(), twins), InputError);
}

TEST(ResultFile, OneWriterAtATime) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultWriter writer(folder.path(), bodies);
  append_frames(writer, bodies, 0, 2);
  EXPECT_THROW(ResultWriter(folder.path(), bodies), InputError);
  EXPECT_THROW((void)ResultWriter::reopen(folder.path(), 0), InputError);
  append_frames(writer, bodies, 2, 3);
  writer.finish();
  expect_frames(folder.path(), bodies, 3);
}

TEST(ResultFile, OldResultStaysUntilTheNewOneHasItsBodies) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  {
    ResultWriter writer(folder.path(), bodies);
    append_frames(writer, bodies, 0, 4);
    writer.finish();
  }
  auto twins = bodies;
  twins[0].name = twins[1].name;
  EXPECT_THROW(ResultWriter(folder.path(), twins), InputError);
  expect_frames(folder.path(), bodies, 4);
  ResultWriter writer(folder.path(), bodies);
  expect_frames(folder.path(), bodies, 0);
}

// Kill -9 at moments nobody chose: what append() returned for is there, and the resumed result is as if never killed.
TEST(ResultFile, SurvivesKillsAtRandomMoments) {
  const auto bodies = small_scene(3000);
  constexpr int kFrames = 60;
  const TemporaryFolder reference;
  {
    ResultWriter writer(reference.path(), bodies);
    append_frames(writer, bodies, 0, kFrames);
    writer.finish();
  }
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(500, 60000);
  std::string checks_after_kills, checks_at_end;
  std::vector<std::unique_ptr<TemporaryFolder>> folders;
  for (int trial = 0; trial < 20; ++trial) {
    folders.push_back(std::make_unique<TemporaryFolder>());
    const std::filesystem::path& folder = folders.back()->path();
    { ResultWriter writer(folder, bodies); }
    // Kill it twice: in its first part, and when it has resumed.
    for (int kill_number = 0; kill_number < 2; ++kill_number) {
      const int kept = static_cast<int>(ResultReader(folder).frame_count());
      SharedCount finished;
      finished = kept;
      const pid_t child = start_child([&] {
        ResultWriter writer = ResultWriter::reopen(folder, kept);
        write_frames_counting(writer, bodies, kFrames, finished);
        ::pause();
      });
      ::usleep(static_cast<useconds_t>(microseconds(random)));
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      const ResultReader reader(folder);
      ASSERT_GE(reader.frame_count(), finished.get());
      ASSERT_LE(reader.frame_count(), finished.get() + 1);
      for (int frame = 0; frame < reader.frame_count(); ++frame) ASSERT_EQ(difference(reader, bodies, frame), "");
    }
    const auto frame_count = static_cast<int>(ResultReader(folder).frame_count());
    // As the kill left it, for h5py below; only a kill while tables are copied needs the log.
    if (!std::filesystem::exists(folder / "result.h5.log")) {
      std::filesystem::create_directory(folder / "killed");
      std::filesystem::copy_file(folder / "result.h5", folder / "killed" / "result.h5");
      checks_after_kills += " '" + (folder / "killed").string() + "' " + std::to_string(frame_count);
    }
    ResultWriter writer = ResultWriter::reopen(folder, frame_count);
    append_frames(writer, bodies, frame_count, kFrames);
    writer.finish();
    checks_at_end += " '" + folder.string() + "'";
  }
  EXPECT_EQ(run_check("frames" + checks_after_kills), 0);
  EXPECT_EQ(run_check("same '" + reference.path().string() + "'" + checks_at_end), 0);
}

// Calls that change files; a kill just before each of them is every state the disk can be in.
const std::set<unsigned long long> kFileCalls = {SYS_pwrite64, SYS_write,  SYS_ftruncate, SYS_rename,
                                                 SYS_unlink,   SYS_openat, SYS_flock,     SYS_fsync};

enum class Fault { kill_before_call, kill_in_write, full_disk };

// Lets the child run up to its n-th call that the fault is about, and lets it happen there; a full disk stays full.
// False when the child ended before.
bool cause_fault(pid_t child, int n, Fault fault) {
  int status = 0;
  ::waitpid(child, &status, 0);
  const auto run_to_next_stop = [&] {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    return !WIFEXITED(status) && !WIFSIGNALED(status);
  };
  int count = 0;
  while (run_to_next_stop()) {
    // The child has stopped at the beginning of a call.
    user_regs_struct registers = {};
    ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    const bool is_write = registers.orig_rax == SYS_pwrite64;
    const bool counts = fault == Fault::kill_before_call ? kFileCalls.count(registers.orig_rax) > 0 : is_write;
    const bool now = counts && count++ >= n;
    if (now && fault == Fault::kill_in_write) registers.rdx /= 2;                                    // write half of it
    if (now && fault == Fault::full_disk) registers.orig_rax = static_cast<unsigned long long>(-1);  // call nothing
    if (now) ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    if (now && fault == Fault::kill_before_call) ::kill(child, SIGKILL);
    if (!run_to_next_stop()) break;
    // The call has ended.
    if (now && fault == Fault::full_disk) {
      registers.rax = static_cast<unsigned long long>(-ENOSPC);
      ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
    }
    if (now && fault == Fault::kill_in_write) ::kill(child, SIGKILL);
  }
  return count > n;
}

// Returns how many moments there were.
int cause_everywhere(Fault fault) {
  // A sheet and a rigid body: few calls, hence few moments, but every kind of table.
  const std::vector<BodyDescription> scene = small_scene();
  const std::vector<BodyDescription> bodies = {scene[1], scene[3]};
  constexpr int kFrames = 3;
  int moment = 0;
  for (;; ++moment) {
    const TemporaryFolder folder;
    SharedCount finished, reported;
    const pid_t child = start_child([&] {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(2);
      ::raise(SIGSTOP);
      try {
        {
          ResultWriter writer(folder.path(), bodies);
          write_frames_counting(writer, bodies, 2, finished);
        }
        finished = 1;
        ResultWriter writer = ResultWriter::reopen(folder.path(), 1);
        write_frames_counting(writer, bodies, kFrames, finished);
        writer.finish();
      } catch (const WriteError&) {
        reported = 1;
      }
    });
    const bool happened = cause_fault(child, moment, fault);
    if (happened && fault == Fault::full_disk) {
      EXPECT_EQ(reported.get(), 1) << "moment " << moment;
    }
    // The file gets its name with its first commit; before that there is nothing to see.
    int frame_count = 0;
    if (std::filesystem::exists(folder / "result.h5")) {
      const ResultReader reader(folder.path());
      frame_count = static_cast<int>(reader.frame_count());
      EXPECT_GE(frame_count, finished.get()) << "moment " << moment;
      for (int frame = 0; frame < frame_count; ++frame) EXPECT_EQ(difference(reader, bodies, frame), "");
      if (!std::filesystem::exists(folder / "result.h5.log")) {
        EXPECT_EQ(frames_seen_by_others(folder / "result.h5"), frame_count) << "moment " << moment;
      }
    } else {
      EXPECT_EQ(finished.get(), 0);
    }
    if (!happened) {
      EXPECT_EQ(frame_count, kFrames);
      break;
    }
    {
      ResultWriter writer =
          frame_count > 0 ? ResultWriter::reopen(folder.path(), frame_count) : ResultWriter(folder.path(), bodies);
      append_frames(writer, bodies, frame_count, kFrames);
      writer.finish();
    }
    expect_frames(folder.path(), bodies, kFrames);
    if (::testing::Test::HasFailure()) break;
  }
  ::testing::Test::RecordProperty("moments", moment);
  return moment;
}

// False inside some containers; the kills at random moments still run there.
bool can_trace_children() {
  const pid_t child = start_child([] {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) throw std::runtime_error("not allowed");
  });
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ResultFile, SurvivesAKillAtEverySystemCall) {
  if (!can_trace_children()) GTEST_SKIP() << "this system does not allow a process to trace its children";
  EXPECT_GT(cause_everywhere(Fault::kill_before_call), 50);
}

TEST(ResultFile, SurvivesAKillInTheMiddleOfEveryWrite) {
  if (!can_trace_children()) GTEST_SKIP() << "this system does not allow a process to trace its children";
  EXPECT_GT(cause_everywhere(Fault::kill_in_write), 20);
}

TEST(ResultFile, SurvivesAFullDiskAtEveryWrite) {
  if (!can_trace_children()) GTEST_SKIP() << "this system does not allow a process to trace its children";
  EXPECT_GT(cause_everywhere(Fault::full_disk), 20);
}

TEST(ResultFile, FileSizeLimitLosesNoFinishedFrame) {
  const auto bodies = small_scene(1000);
  // A limit on the size of files stops writes the way a full disk does, at many places of a frame.
  for (int limit = 60000; limit < 200000; limit += 7001) {
    const TemporaryFolder folder;
    SharedCount finished, reported;
    const pid_t child = start_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit size = {static_cast<rlim_t>(limit), static_cast<rlim_t>(limit)};
      ::setrlimit(RLIMIT_FSIZE, &size);
      try {
        ResultWriter writer(folder.path(), bodies);
        write_frames_counting(writer, bodies, 100, finished);
      } catch (const WriteError&) {
        reported = 1;
      }
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(reported.get(), 1) << "a full disk is reported";
    if (!std::filesystem::exists(folder / "result.h5")) {
      EXPECT_EQ(finished.get(), 0);
      continue;
    }
    expect_frames(folder.path(), bodies, finished.get());
    // With room again, the run goes on.
    ResultWriter writer = ResultWriter::reopen(folder.path(), finished.get());
    append_frames(writer, bodies, finished.get(), 12);
    writer.finish();
    expect_frames(folder.path(), bodies, 12);
  }
}

TEST(ResultFile, FailingLogLosesNoFinishedFrame) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  {
    ResultWriter writer(folder.path(), bodies);
    append_frames(writer, bodies, 0, 3);
    std::filesystem::create_directory(folder / "result.h5.log.partial");  // now the log cannot be written
    EXPECT_THROW(append_frames(writer, bodies, 3, 4), WriteError);
    EXPECT_ANY_THROW(append_frames(writer, bodies, 3, 4));
    EXPECT_ANY_THROW(writer.finish());
  }
  std::filesystem::remove(folder / "result.h5.log.partial");
  expect_frames(folder.path(), bodies, 3);
  ResultWriter writer = ResultWriter::reopen(folder.path(), 3);
  append_frames(writer, bodies, 3, 5);
  writer.finish();
  expect_frames(folder.path(), bodies, 5);
}

TEST(ResultFile, OpensInH5py) {
  const TemporaryFolder folder;
  const auto bodies = small_scene();
  ResultOptions options;
  options.compression = 1;
  options.pliant_version = "0.1.0";
  ResultWriter writer(folder.path(), bodies, options);
  append_frames(writer, bodies, 0, 6);
  EXPECT_EQ(run_check("layout '" + folder.path().string() + "' 6"), 0) << "while the writer is open";
  writer.finish();
  EXPECT_EQ(run_check("layout '" + folder.path().string() + "' 6"), 0);
}

}  // namespace
}  // namespace pliant::io
