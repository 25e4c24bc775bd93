// TetGen: numbering from 0 and 1, positive volumes, and errors for what cannot be read.
#include "pliant/io/tetgen.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "pliant/input_error.h"

namespace pliant::io {
namespace {

TetMesh parse_tetgen(const std::string& nodes, const std::string& elements) {
  std::istringstream node_stream(nodes);
  std::istringstream element_stream(elements);
  return read_tetgen({node_stream, "a.node"}, {element_stream, "a.ele"});
}

void expect_error(const std::string& nodes, const std::string& elements, const std::string& place,
                  const std::string& words) {
  try {
    parse_tetgen(nodes, elements);
    ADD_FAILURE() << "no error, but expected: " << words;
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find(place), 0u) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  }
}

const std::string kNodes =
    "# Node count, 3 dim, 1 attribute, marker\n4 3 1 1\n\n 1 0 0 0  7 1\n 2 1 0 0 7 0\n3 0 1 0 7 0\n4 0 0 1 7 0\n# "
    "end\n";

TEST(Tetgen, NumberingFromZeroAndOneAgree) {
  const TetMesh one = parse_tetgen(kNodes, "1 4 1\n1 1 3 2 4 99\n# end");
  const TetMesh zero = parse_tetgen("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "1 4 0\r\n0 0 2 1 3\r\n");
  EXPECT_EQ(one.vertices, zero.vertices);
  EXPECT_EQ(one.vertices[1], Vec3(1, 0, 0));
  EXPECT_EQ(one.tets, zero.tets);
  ASSERT_EQ(one.tets.size(), 1u);
  EXPECT_EQ(one.tets[0], Vec4i(0, 2, 3, 1));  // TetGen's order has negative volume; the last two are exchanged
}

TEST(Tetgen, ErrorsNameTheLineAndTheRemedy) {
  const std::string elements = "1 4 0\n1 1 2 3 4\n";
  expect_error("", elements, "a.node: ", "empty");
  expect_error("# nothing\n", elements, "a.node:2: ", "first line");
  expect_error("3 2 0 0\n", elements, "a.node:1: ", "dimension 3");
  expect_error("4 3 0 0\n1 0 0 0\n", elements, "a.node:3: ", "after 1 of 4 rows");
  expect_error("1 3 0 0\n1 0 0 0\n2 0 0 0\n", elements, "a.node:3: ", "more rows");
  expect_error("2 3 0 0\n1 0 0 0\n3 0 0 0\n", elements, "a.node:3: ", "numbered 3, but 2");
  expect_error("2 3 0 0\n5 0 0 0\n6 0 0 0\n", elements, "a.node:2: ", "from 0 or 1");
  expect_error("2 3 0 0\n1 0 0\n", elements, "a.node:2: ", "the z coordinate");
  expect_error("2 3 0 0\n1 0 0 x\n", elements, "a.node:2: ", "'x'");
  expect_error(kNodes, "", "a.ele: ", "empty");
  expect_error(kNodes, "0 4 0\n", "a.ele", "no tetrahedra");
  expect_error(kNodes, "1 10 0\n", "a.ele:1: ", "-o2");
  expect_error(kNodes, "1 4 0\n1 1 2 3 0\n", "a.ele:2: ", "vertex 0 does not exist");
  expect_error(kNodes, "1 4 0\n1 1 2 3\n", "a.ele:2: ", "corner");
  expect_error(kNodes, "1 4 0\n1 1 2 3 3\n", "a.ele:2: ", "no volume");
  expect_error(kNodes, "9000000000000000000 4 0\n1 1 2 3 4\n", "a.ele:3: ", "after 1 of");
}

}  // namespace
}  // namespace pliant::io
