// probes.csv: numbers read back exactly, rows survive, and resuming cuts where asked.
#include "pliant/io/probes_csv.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "pliant/input_error.h"
#include "tests/io/result_scene.h"

namespace pliant::io {
namespace {

using testing::TemporaryFolder;

std::string content(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(ProbesCsv, WritesTheShortestExactNumbers) {
  const TemporaryFolder folder;
  ProbesCsv probes(folder / "probes.csv", {"corner.x", "corner.y"});
  probes.append(0, 0, std::vector<double>{0.1, -2.5e-300});
  probes.append(12345678901, 1.0 / 3, std::vector<double>{-0.0, std::numeric_limits<double>::infinity()});
  probes.append(2, 0.02, std::vector<double>{std::numeric_limits<double>::max(), std::nan("")});
  EXPECT_EQ(probes.row_count(), 3);
  EXPECT_EQ(content(folder / "probes.csv"),
            "step,time,corner.x,corner.y\n"
            "0,0,0.1,-2.5e-300\n"
            "12345678901,0.3333333333333333,-0,inf\n"
            "2,0.02,1.7976931348623157e+308,nan\n");
}

TEST(ProbesCsv, ReadsBackToTheSameDoubles) {
  const TemporaryFolder folder;
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(std::sin(i * 1e5) * std::pow(10, i % 40 - 20));
  ProbesCsv probes(folder / "probes.csv", std::vector<std::string>(values.size(), "v"));
  probes.append(1, 0.01, values);
  std::string line = content(folder / "probes.csv");
  line.erase(0, line.find('\n') + 1);
  std::size_t at = line.find(',', line.find(',') + 1);
  for (const double value : values) {
    EXPECT_EQ(std::strtod(line.c_str() + at + 1, nullptr), value);
    at = line.find(',', at + 1);
  }
}

TEST(ProbesCsv, ResumingKeepsTheFirstRows) {
  const TemporaryFolder folder;
  const std::vector<std::string> columns = {"a,b", "say \"x\""};
  {
    ProbesCsv probes(folder / "probes.csv", columns);
    for (int step = 0; step < 5; ++step) probes.append(step, step * 0.5, std::vector<double>{1.0 * step, -1.0});
  }
  const std::string whole = content(folder / "probes.csv");
  EXPECT_EQ(whole.substr(0, whole.find('\n')), "step,time,\"a,b\",\"say \"\"x\"\"\"");
  // A kill in the middle of a row leaves a rest without its newline.
  std::ofstream(folder / "probes.csv", std::ios::binary | std::ios::app) << "5,2.5,5";
  EXPECT_THROW((void)ProbesCsv::reopen(folder / "probes.csv", columns, 6), InputError);
  {
    ProbesCsv probes = ProbesCsv::reopen(folder / "probes.csv", columns, 5);
    EXPECT_EQ(content(folder / "probes.csv"), whole);
    EXPECT_EQ(probes.row_count(), 5);
  }
  ProbesCsv probes = ProbesCsv::reopen(folder / "probes.csv", columns, 3);
  for (int step = 3; step < 5; ++step) probes.append(step, step * 0.5, std::vector<double>{1.0 * step, -1.0});
  EXPECT_EQ(content(folder / "probes.csv"), whole);
}

TEST(ProbesCsv, ResumingNeedsTheSameColumns) {
  const TemporaryFolder folder;
  { ProbesCsv probes(folder / "probes.csv", {"a"}); }
  EXPECT_THROW((void)ProbesCsv::reopen(folder / "probes.csv", {"a", "b"}, 0), InputError);
  EXPECT_THROW((void)ProbesCsv::reopen(folder / "other.csv", {"a"}, 0), InputError);
  EXPECT_NO_THROW((void)ProbesCsv::reopen(folder / "probes.csv", {"a"}, 0));
}

TEST(ProbesCsv, SaysWhenItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(ProbesCsv(folder / "missing" / "probes.csv", {}), WriteError);
}

}  // namespace
}  // namespace pliant::io
