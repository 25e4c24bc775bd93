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

using testing::content;
using testing::TemporaryFolder;

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
  std::vector<double> values = {std::numeric_limits<double>::infinity(), -0.0,
                                std::numeric_limits<double>::denorm_min()};
  for (int i = 0; i < 200; ++i) values.push_back(std::sin(i * 1e5) * std::pow(10, i % 40 - 20));
  std::vector<std::string> columns(values.size(), "v");
  columns[0] = "a,b";
  columns[1] = "say \"x\"\nand more";
  ProbesCsv probes(folder / "probes.csv", columns);
  probes.append(1, 0.01, values);
  std::vector<double> second = values;
  second[2] = std::nan("");
  probes.append(2, 0.1 + 0.2, second);
  std::ofstream(folder / "probes.csv", std::ios::app) << "3,0.4,1";  // a run was killed here

  const ProbeTable table = read_probes(folder / "probes.csv");
  EXPECT_EQ(table.columns, columns);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].values, values);
  EXPECT_TRUE(std::signbit(table.rows[0].values[1]));
  EXPECT_EQ(table.rows[1].step, 2);
  EXPECT_EQ(table.rows[1].time, 0.1 + 0.2);
  EXPECT_TRUE(std::isnan(table.rows[1].values[2]));
}

TEST(ProbesCsv, ReadingRefusesWhatIsNoTable) {
  const TemporaryFolder folder;
  EXPECT_THROW((void)read_probes(folder / "none.csv"), InputError);
  for (const char* text : {"", "step", "time,step\n", "step,time,a\n0,0\n", "step,time,a\n0,0,1,2\n",
                           "step,time,a\n0,0,x\n", "step,time,a\n0.5,0,1\n", "step,time,a\n0,0,1 \n"}) {
    std::ofstream(folder / "bad.csv") << text;
    EXPECT_THROW((void)read_probes(folder / "bad.csv"), InputError) << text;
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
