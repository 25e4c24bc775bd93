// The program as a user meets it: every mistake is one sentence with its place and exit code 2, before anything is
// written; what goes wrong later keeps what was finished and says how to go on.
#ifdef PLIANT_HAS_CLI
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "pliant/io/checkpoint.h"
#include "pliant/io/result_reader.h"
#include "tests/support/places.h"
#include "tests/validation/command_line.h"

namespace pliant::validation::command_line_test {
namespace {

// A scene whose lines can be exchanged: bad inputs differ from it by one.
struct SceneLines {
  std::string time = "time: {step: 0.01, end: 0.05}";
  std::string material = "  soft: {model: neo_hookean, density: 1000, young: 2.0e4, poisson: 0.3}";
  std::string body = "  - {name: block, mesh: {box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}, material: soft}";
  std::string more = "";
  [[nodiscard]] std::string text() const {
    // lines:  1           2                            4 material                  6 body         7 more
    return "pliant: 1\n" + time + "\nmaterials:\n" + material + "\nbodies:\n" + body + "\n" + more;
  }
};
const std::string kProbe = "probes: [{name: tip, body: block, where: {vertices: [23]}, quantity: position}]\n";

struct BadInput {
  std::string what;
  SceneLines lines;
  std::vector<std::string> words;  // of the sentence
};

// Two tets on five vertices; what follows spoils it.
std::string mesh_file(const std::string& vertex, const std::string& tets = "2\n1 2 3 4 0\n2 3 4 5 0\n",
                      int vertex_count = 5) {
  return "MeshVersionFormatted 2\nDimension 3\nVertices\n" + std::to_string(vertex_count) +
         "\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n" + vertex + "\nTetrahedra\n" + tets + "End\n";
}

std::vector<BadInput> bad_scenes() {
  const std::string body = "  - {name: block, mesh: {box: {}}, material: soft";
  return {
      {"misspelt key",
       {.material = "  soft: {model: neo_hookean, densty: 1000}"},
       {"scene.yaml:4", "unknown key 'densty'", "did you mean 'density'"}},
      {"misspelt section", {.more = "probs: []\n"}, {"scene.yaml:7", "unknown key 'probs'", "did you mean 'probes'"}},
      {"unknown key", {.time = "time: {step: 0.01, end: 0.05, zzqqy: 3}"}, {"scene.yaml:2", "unknown key 'zzqqy'"}},
      {"misspelt word",
       {.time = "time: {end: 0.05, integrator: backwards_euler}"},
       {"scene.yaml:2", "backwards_euler", "did you mean 'backward_euler'"}},
      {"text for a number",
       {.time = "time: {step: soon, end: 0.05}"},
       {"scene.yaml:2", "time.step", "expected a number", "'soon'"}},
      {"a unit", {.time = "time: {step: 0.01, end: 1 cm}"}, {"scene.yaml:2", "time.end", "'1 cm'", "without a unit"}},
      {"a number for a list", {.body = body + ", position: 3}"}, {"scene.yaml:6", "position", "list of 3 numbers"}},
      {"a list for a map", {.time = "time: [1, 2]"}, {"scene.yaml:2", "time"}},
      {"a fraction of a cell",
       {.body = "  - {name: block, mesh: {box: {cells: [1.5, 2, 2]}}, material: soft}"},
       {"scene.yaml:6", "cells", "whole number"}},
      {"a negative step",
       {.time = "time: {step: -1, end: 0.05}"},
       {"scene.yaml:2", "time.step must be above 0 s, got -1"}},
      {"no end", {.time = "time: {step: 0.01}"}, {"scene.yaml:2", "end"}},
      {"not a number", {.time = "time: {step: .nan, end: 0.05}"}, {"scene.yaml:2", "time.step", "finite"}},
      {"a key twice", {.time = "time: {step: 0.01, step: 0.02, end: 0.05}"}, {"scene.yaml:2", "step", "twice"}},
      {"no YAML", {.time = "time: {step: 0.01, end: 0.05"}, {"scene.yaml:"}},
      {"zero density", {.material = "  soft: {density: 0}"}, {"scene.yaml:4", "density must be above 0", "got 0"}},
      {"incompressible", {.material = "  soft: {poisson: 0.5}"}, {"scene.yaml:4", "poisson", "below 0.5", "got 0.5"}},
      {"missing material",
       {.body = "  - {name: block, mesh: {box: {}}, material: sofd}"},
       {"scene.yaml:6", "sofd", "did you mean 'soft'"}},
      {"missing mesh file",
       {.body = "  - {name: block, mesh: {file: nothing.obj}, material: soft}"},
       {"scene.yaml:6", "'nothing.obj' does not exist"}},
      {"one name twice", {.body = body + "}\n" + body + ", position: [2, 0, 0]}"}, {"scene.yaml:7", "'block'", "name"}},
      {"unknown body",
       {.more = "pins: [{body: blok}]\n"},
       {"scene.yaml:7", "no body named 'blok'", "did you mean 'block'"}},
      {"empty pin",
       {.more = "pins: [{body: block, where: {box: {min: [5, 5, 5], max: [6, 6, 6]}}}]\n"},
       {"scene.yaml:7", "no vertex of body 'block' is selected", "[-0.15"}},
      {"vertex beyond the mesh",
       {.more = "pins: [{body: block, where: {vertices: [99]}}]\n"},
       {"scene.yaml:7", "vertex 99"}},
      {"unknown probe", {.more = kProbe + "expect: [{probe: tip.w, above: 0}]\n"}, {"scene.yaml:8", "tip.w"}},
      {"not built yet",
       {.body = "  - {name: block, discretization: {grid: {cell: 0.1}}, mesh: {box: {}}}"},
       {"scene.yaml:6", "grid", "not built yet"}},
      {"cloth without thickness",
       {.body = "  - {name: block, kind: cloth, mesh: {grid: {}}, material: {surface_density: 0.1}}"},
       {"scene.yaml:6", "'block_material'", "needs thickness [m]"}},
      {"a rod of rubber",
       {.body = "  - {name: block, kind: rod, mesh: {strand: {}}, material: soft}"},
       {"scene.yaml:6", "rod", "elastic_rod", "'soft' is neo_hookean"}},
      {"too many cells",
       {.body = "  - {name: block, mesh: {box: {cells: [9999, 9999, 9999]}}, material: soft}"},
       {"scene.yaml:6", "cells"}},
  };
}

// Exit code 2, one sentence on standard error with these words, nothing written.
void expect_refused(const Workplace& place, const Ending& ending, const std::string& what,
                    const std::vector<std::string>& words) {
  EXPECT_EQ(ending.code, 2) << what << ": " << ending.err;
  EXPECT_EQ(ending.err.rfind("pliant: ", 0), 0U) << what << ": " << ending.err;
  EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << what << ": " << ending.err;
  for (const std::string& word : words)
    EXPECT_NE(ending.err.find(word), std::string::npos) << what << ": " << ending.err << "without: " << word;
  EXPECT_FALSE(place.has("out")) << what;
}

TEST(CommandLine, BadScenesAreRefusedWithTheirPlace) {
  const Workplace place;
  for (const BadInput& bad : bad_scenes()) {
    write_text(place / "scene.yaml", bad.lines.text());
    expect_refused(place, place.pliant({"run", "scene.yaml", "-o", "out"}), bad.what, bad.words);
    expect_refused(place, place.pliant({"check", "scene.yaml"}), bad.what + " (check)", bad.words);
  }
}

TEST(CommandLine, BadMeshesAreRefused) {
  const Workplace place;
  const SceneLines lines{.body = "  - {name: block, mesh: {file: bad.mesh}, material: soft}"};
  write_text(place / "scene.yaml", lines.text());
  const struct {
    std::string what, mesh;
    std::vector<std::string> words;
  } cases[] = {
      {"NaN", mesh_file("nan 1 1 0"), {"bad.mesh:9", "nan"}},
      {"infinity", mesh_file("1 1 1e999 0"), {"bad.mesh:9"}},
      {"degenerate", mesh_file("0.5 0.5 0 0"), {"bad.mesh:13", "tetrahedron 2", "no volume"}},
      {"inverted", mesh_file("-1 -1 -1 0"), {"scene.yaml:6", "tets 0 and 1", "overlap"}},
      {"unreferenced",
       mesh_file("1 1 1 0\n2 2 2 0", "2\n1 2 3 4 0\n2 3 4 5 0\n", 6),
       {"scene.yaml:6", "vertex 5 belongs to no tet"}},
      {"index beyond", mesh_file("1 1 1 0", "2\n1 2 3 4 0\n2 3 4 9 0\n"), {"bad.mesh:13", "9"}},
      {"cut off", mesh_file("1 1 1 0").substr(0, 80), {"bad.mesh"}},
      {"another format", "solid ascii stl\n", {"bad.mesh"}},
  };
  for (const auto& bad : cases) {
    write_text(place / "bad.mesh", bad.mesh);
    expect_refused(place, place.pliant({"run", "scene.yaml", "-o", "out"}), bad.what, bad.words);
  }
  // The mesh that was spoilt is fine by itself, and so is one whose corners are merely written in another order.
  for (const char* tets : {"2\n1 2 3 4 0\n2 3 4 5 0\n", "2\n1 2 3 4 0\n3 2 4 5 0\n"}) {
    write_text(place / "bad.mesh", mesh_file("1 1 1 0", tets));
    EXPECT_EQ(place.pliant({"run", "scene.yaml", "-o", "out"}).code, 0);
  }
}

TEST(CommandLine, BadArgumentsAreRefused) {
  const Workplace place;
  write_text(place / "scene.yaml", SceneLines{}.text());
  write_text(place / "file", "");
  const struct {
    std::vector<std::string> arguments;
    std::vector<std::string> words;
  } cases[] = {
      {{}, {"subcommand"}},
      {{"rum", "scene.yaml"}, {"no command 'rum'", "did you mean 'run'"}},
      {{"run"}, {"scene is required", "--help"}},
      {{"check"}, {"scene is required"}},
      {{"run", "scene.yaml", "-o", "out", "--wrong"}, {"--wrong", "--help"}},
      {{"run", "nowhere.yaml", "-o", "out"}, {"nowhere.yaml", "does not exist"}},
      {{"run", ".", "-o", "out"}, {"not a regular file"}},
      {{"run", "scene.yaml", "-o", "out", "--threads", "0"}, {"--threads", "1 to 1024"}},
      {{"run", "scene.yaml", "-o", "out", "--threads", "two"}, {"--threads"}},
      {{"run", "scene.yaml", "-o", "out", "--set", "time.stp=1"}, {"--set time.stp=1", "did you mean 'step'"}},
      {{"run", "scene.yaml", "-o", "out", "--set", "time.step"}, {"key=value"}},
      {{"run", "scene.yaml", "-o", "out", "--set", "bodies.blok.scale=2"}, {"did you mean 'block'"}},
      {{"run", "scene.yaml", "-o", "out", "--resume"}, {"out/checkpoint.bin", "without --resume"}},
      {{"run", "scene.yaml", "-o", "file"}, {"file", "folder"}},
      {{"export", "out", "--format", "obj"}, {"out/result.h5", "no such file"}},
      {{"export", "out", "--format", "stl"}, {"stl", "obj, ply, pc2, usda, glb or html"}},
      {{"export", "out"}, {"--format is required"}},
      {{"compare"}, {"scene is required"}},
      {{"compare", "scene.yaml", "-o", "out", "--methods", "newton,quasi"}, {"quasi", "quasi_newton"}},
      {{"compare", "scene.yaml", "-o", "out", "--iterations", "1,two"}, {"--iterations", "'two'"}},
      {{"compare", "scene.yaml", "-o", "out", "--iterations", "0"}, {"--iterations", "'0'"}},
      {{"compare", "scene.yaml", "-o", "out", "--at", "7"}, {"7", "0.05"}},
      {{"compare", "scene.yaml", "-o", "out", "--set", "time.integrator=symplectic_euler"},
       {"no method can do this scene", "newton: "}},
  };
  for (const auto& bad : cases) {
    std::string what;
    for (const std::string& word : bad.arguments) what += " " + word;
    expect_refused(place, place.pliant(bad.arguments), what, bad.words);
  }
}

TEST(CommandLine, OverridesCheckInfoAndExport) {
  const Workplace place;
  write_text(place / "scene.yaml", SceneLines{.more = kProbe}.text());
  const Ending checked = place.pliant({"check", "scene.yaml", "--set", "time.end=0.03"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_NE(checked.out.find("scene.yaml is valid"), std::string::npos);
  EXPECT_NE(checked.out.find("24 vertices, 30 tets"), std::string::npos);
  EXPECT_FALSE(place.has("out"));

  ASSERT_EQ(place
                .pliant({"run", "scene.yaml", "-o", "out", "--set", "time.end=0.03", "--set",
                         "bodies.block.position=[0, 2, 0]"})
                .code,
            0);
  EXPECT_EQ(io::ResultReader(place / "out").outline().times.back(), 0.02);  // frames: the first steps at or after k/60
  EXPECT_EQ(io::ResultReader(place / "out").positions(0, 0)[23][1], 2.1);
  // Without -o the folder is out/<name of the scene>.
  ASSERT_EQ(place.pliant({"run", "scene.yaml"}).code, 0);
  EXPECT_TRUE(place.has("out/scene/result.h5"));

  for (const char* format : {"obj", "ply", "pc2"}) {
    const Ending exported = place.pliant({"export", "out", "--format", format});
    EXPECT_EQ(exported.code, 0) << exported.err;
    EXPECT_NE(exported.out.find("files in out/"), std::string::npos) << exported.out;
    EXPECT_FALSE(std::filesystem::is_empty(place / "out" / format));
  }
  const std::string info = place.pliant({"info"}).out;
  EXPECT_NE(info.find("direct solver: "), std::string::npos);
  // "HDF5 1.10.8" in the line of libraries.
  const std::string libraries = info.substr(std::min(info.find("libraries: "), info.size()));
  const auto has_version = [](const std::string& line, const std::string& library) {
    const std::size_t at = line.find(library + " ");
    return at != std::string::npos && std::isdigit(line[at + library.size() + 1]) != 0;
  };
  std::vector<std::string> wanted = {"Eigen",    "oneTBB",        "HDF5", "Embree", "zlib",
                                     "yaml-cpp", "nlohmann-json", "fmt",  "CLI11",  "cpp-httplib"};
  if (info.find("CHOLMOD supernodal") != std::string::npos) {
    wanted.insert(wanted.end(), {"CHOLMOD", "OpenBLAS"});
    EXPECT_TRUE(has_version(info.substr(std::min(info.find("BLAS: "), info.size())), "kernels of OpenBLAS")) << info;
  }
  for (const std::string& library : wanted) EXPECT_TRUE(has_version(libraries, library)) << library << " in " << info;
  EXPECT_NE(place.pliant({"info", "--materials"}).out.find("rubber"), std::string::npos);
  EXPECT_EQ(place.pliant({"--version"}).code, 0);
  const Ending help = place.pliant({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"run", "check", "view", "render", "plot", "export", "compare", "info"})
    EXPECT_NE(help.out.find(command), std::string::npos);
}

// A page, two tables, a line per method: also for one that cannot do the scene, with its reason.
TEST(CommandLine, CompareWritesItsPageAndTables) {
  const Workplace place;
  write_text(place / "scene.yaml",
             SceneLines{.more = "title: A <soft> block\npins: [{body: block, where: {vertices: [0, 4]}}]\n"}.text());
  const Ending ending = place.pliant({"compare", "scene.yaml", "--methods", "newton,quasi_newton,projection",
                                      "--iterations", "1,3", "--at", "0.02", "-o", "compared"});
  EXPECT_EQ(ending.code, 0) << ending.err;
  const std::string reason = "solver.method: projection cannot take the energy 'neo_hookean'";
  for (const std::string word : {"iterations per step", "end error", "projection: ", reason.c_str(), "To an error of",
                                 "compared/index.html (steps.csv, runs.csv)"})
    EXPECT_NE(ending.out.find(word), std::string::npos) << word << " in\n" << ending.out;
  EXPECT_FALSE(place.has("compared/contacts.csv"));  // nothing touches

  const auto count = [](const std::string& text, const std::string& word) {
    int found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  const std::string steps = text_of(place / "compared/steps.csv"), runs = text_of(place / "compared/runs.csv");
  EXPECT_EQ(count(steps, "\n"), 5) << steps;  // a head, and two methods after one and three iterations
  for (const char* row : {"\nnewton,1,", "\nnewton,3,", "\nquasi_newton,1,", "\nquasi_newton,3,"})
    EXPECT_EQ(count(steps, row), 1) << steps;
  EXPECT_EQ(count(runs, "\n"), 4) << runs;
  EXPECT_NE(runs.find(reason), std::string::npos) << runs;
  const std::string page = text_of(place / "compared/index.html");
  EXPECT_EQ(count(page, "<svg"), 2);  // against iterations, and against time
  EXPECT_EQ(count(page, "</svg>"), 2);
  EXPECT_EQ(count(page, "<tr><td>"), 3);
  EXPECT_NE(page.find("A &lt;soft&gt; block"), std::string::npos);
  EXPECT_NE(page.find("projection cannot take the energy"), std::string::npos);
  EXPECT_EQ(page.rfind("</html>\n"), page.size() - 8);
  // Without -o the folder is out/<name of the scene>-compared.
  EXPECT_EQ(place.pliant({"compare", "scene.yaml", "--methods", "newton", "--iterations", "1"}).code, 0);
  EXPECT_TRUE(place.has("out/scene-compared/index.html"));
}

TEST(CommandLine, AFailedExpectationIsExitCodeThree) {
  const Workplace place;
  write_text(
      place / "scene.yaml",
      SceneLines{.more = kProbe + "expect: [{probe: tip.y, at: end, above: 0}, {probe: tip.x, above: 9}]\n"}.text());
  const Ending ending = place.pliant({"run", "scene.yaml", "-o", "out"});
  EXPECT_EQ(ending.code, 3) << ending.err;
  EXPECT_NE(ending.out.find("ok    tip.y at end"), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("FAIL  tip.x at end"), std::string::npos) << ending.out;
  EXPECT_EQ(place.pliant({"run", "scene.yaml", "-o", "out", "--set", "expect=[]"}).code, 0);
}

// A block that springs of contact cannot stop.
SceneLines falling_block() {
  return {.time = "time: {step: 0.01, end: 0.1}",
          .body =
              "  - {name: block, mesh: {box: {size: [0.3, 0.2, 0.1], cells: [3, 2, 1]}}, material: soft, velocity: [0, "
              "-3, 0]}",
          .more =
              "  - {name: floor, kind: obstacle, mesh: {box: {size: [2, 0.1, 2], cells: [1, 1, 1]}}, position: [0.01, "
              "-0.2, 0.03]}\nsolver: {method: quasi_newton}\ncontact: {penalty: {stiffness: 1}}\n"};
}

// What the judge finds is in the summary, and in the exit code; what it does not find, and what it was not asked, too.
TEST(CommandLine, AnIntersectionIsExitCodeThree) {
  const Workplace place;
  write_text(place / "scene.yaml", falling_block().text());
  const Ending ending = place.pliant({"run", "scene.yaml", "-o", "out", "--verify"});
  EXPECT_EQ(ending.code, 3) << ending.err;
  EXPECT_NE(ending.out.find("INTERSECTIONS: "), std::string::npos) << ending.out;
  EXPECT_NE(ending.out.find("body 'block' and body 'floor' near"), std::string::npos) << ending.out;
  EXPECT_NE(text_of(place / "out" / "summary.json").find("\"judged\": 10"), std::string::npos);
  const Ending unasked = place.pliant({"run", "scene.yaml", "-o", "out"});
  EXPECT_EQ(unasked.code, 0) << unasked.err;
  EXPECT_EQ(unasked.out.find("INTERSECTIONS"), std::string::npos) << unasked.out;
  EXPECT_NE(text_of(place / "out" / "summary.json").find("\"intersections\": null"), std::string::npos);
  const Ending held = place.pliant({"run", "scene.yaml", "-o", "out", "--verify", "--set", "solver.method=newton"});
  EXPECT_EQ(held.code, 0) << held.err;
  EXPECT_NE(held.out.find("  verified: no intersection at any step\n"), std::string::npos) << held.out;
  const Ending alone = place.pliant({"run", "scene.yaml", "-o", "out", "--verify", "--set", "contact.method=none"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.out.find("nothing to verify: the scene has no contact"), std::string::npos) << alone.out;
}

// The part of a run that was not judged is not called verified.
TEST(CommandLine, ARunThatIsJudgedInPartSaysSo) {
  const Workplace place;
  SceneLines lines = falling_block();
  lines.more = lines.more.substr(0, lines.more.find("solver:"));
  write_text(place / "scene.yaml", lines.text());
  EXPECT_EQ(place.pliant({"run", "scene.yaml", "-o", "out"}).code, 0);
  const Ending half =
      place.pliant({"run", "scene.yaml", "-o", "out", "--resume", "--verify", "--set", "time.end=0.15"});
  EXPECT_EQ(half.code, 0) << half.err;
  EXPECT_NE(half.out.find("VERIFIED IN PART: no intersection at 5 of 15 steps"), std::string::npos) << half.out;
}

// Bodies that intersect before anything runs are named, with their place.
TEST(CommandLine, CheckNamesWhatIntersectsAtTheStart) {
  const Workplace place;
  SceneLines lines = falling_block();
  lines.more =
      "  - {name: floor, kind: obstacle, mesh: {box: {size: [2, 0.1, 2], cells: [1, 1, 1]}}, position: [0.01, -0.12, "
      "0.03]}\n";
  write_text(place / "scene.yaml", lines.text());
  for (const char* command : {"check", "run"}) {
    const Ending ending = place.pliant({command, "scene.yaml"});
    expect_refused(place, ending, command,
                   {"bodies intersect at the start", "body 'block' and body 'floor' near (", "-0.07",
                    "contact.initial_intersections: separate"});
  }
}

// A step that is only as good as its budget is nothing to be silent about.
TEST(CommandLine, ARunOfBudgetedStepsSaysSo) {
  const Workplace place;
  write_text(place / "scene.yaml", SceneLines{.more = "solver: {method: quasi_newton, quasi_newton: {iterations: 1}}\n"
                                                      "pins: [{body: block, where: {vertices: [0, 4]}}]\n"}
                                       .text());
  const Ending ending = place.pliant({"run", "scene.yaml"});
  EXPECT_EQ(ending.code, 0) << ending.err;
  EXPECT_NE(ending.out.find("budget: 5 of 5 steps used up solver.quasi_newton.iterations"), std::string::npos)
      << ending.out;
  const Ending solved = place.pliant({"run", "scene.yaml", "--set", "solver.quasi_newton.iterations=null"});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_EQ(solved.out.find("budget:"), std::string::npos) << solved.out;
}

// --- What goes wrong on the way ---

TEST(CommandLine, AFullDiskKeepsFinishedFrames) {
  const Workplace place;
  write_text(place / "scene.yaml", SceneLines{.time = "time: {step: 0.01, end: 5}", .more = kProbe}.text());
  // Files of at most 100 blocks of 512 bytes stand for the full disk.
  const Ending full =
      place.shell("ulimit -f 100; exec \"$PLIANT\" run scene.yaml -o out --set output.frames_per_second=100");
  EXPECT_EQ(full.code, 4) << full.err;
  EXPECT_NE(full.err.find("out/"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("finished frames are kept, go on with --resume"), std::string::npos) << full.err;
  const std::int64_t kept = io::ResultReader(place / "out").frame_count();
  EXPECT_GT(kept, 10);
  EXPECT_LT(kept, 501);
  // With room again it goes on to the bits of an undisturbed run.
  const std::vector<std::string> set{"--set", "output.frames_per_second=100"};
  ASSERT_EQ(place.pliant({"run", "scene.yaml", "-o", "whole", set[0], set[1]}).code, 0);
  const Ending resumed = place.pliant({"run", "scene.yaml", "-o", "out", "--resume", set[0], set[1]});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(text_of(place / "out" / "probes.csv"), text_of(place / "whole" / "probes.csv"));
  const io::ResultReader whole(place / "whole"), result(place / "out");
  ASSERT_EQ(result.frame_count(), whole.frame_count());
  for (std::int64_t frame = 0; frame < whole.frame_count(); ++frame)
    EXPECT_TRUE(result.positions(0, frame) == whole.positions(0, frame));
}

TEST(CommandLine, AFullDiskAtTheStartSaysSo) {
  const Workplace place;
  write_text(place / "scene.yaml", SceneLines{}.text());
  const Ending ending = place.shell("ulimit -f 0; exec \"$PLIANT\" run scene.yaml -o out > /dev/null 2> /dev/null");
  EXPECT_EQ(ending.code, 4);
  const Ending exported =
      place.shell("\"$PLIANT\" run scene.yaml -o done && ulimit -f 0 && exec \"$PLIANT\" export done --format obj");
  EXPECT_EQ(exported.code, 4) << exported.err;
}

TEST(CommandLine, ARunThatCannotGoOnSaysHowToRepeat) {
  const Workplace place;
  // A thousand times stiffer than an explicit step of this length can follow.
  write_text(
      place / "scene.yaml",
      SceneLines{
          .time = "time: {step: 0.01, end: 20, integrator: symplectic_euler, retries: 2}",
          .material = "  soft: {young: 1.0e8}",
          .body = "  - {name: block, mesh: {box: {cells: [3, 2, 1]}}, material: soft, angular_velocity: [0, 0, 90]}"}
          .text());
  const Ending ending = place.pliant({"run", "scene.yaml", "-o", "out", "--set", "bodies.block.position=[0, 1, 0]"});
  EXPECT_EQ(ending.code, 4) << ending.err;
  for (const char* word : {"could not be taken even in parts of 0.0025 s", "not_finite at body 'block', vertex",
                           "symplectic_euler (the step is too long",
                           "pliant run scene.yaml -o out --resume --set 'bodies.block.position=[0, 1, 0]'"}) {
    EXPECT_NE(ending.err.find(word), std::string::npos) << ending.err << "without: " << word;
  }
  const io::CheckpointReader checkpoint(place / "out" / "checkpoint.bin");
  for (const double x : checkpoint.doubles("bodies/block/positions")) EXPECT_TRUE(std::isfinite(x));
  EXPECT_GE(io::ResultReader(place / "out").frame_count(), 1);
  EXPECT_NE(text_of(place / "out" / "summary.json").find("could_not_go_on"), std::string::npos);
  // Repeating the step with the printed command fails in the same way: it is the step that was saved.
  const Ending again =
      place.pliant({"run", "scene.yaml", "-o", "out", "--resume", "--set", "bodies.block.position=[0, 1, 0]"});
  EXPECT_EQ(again.code, 4);
  EXPECT_EQ(again.err, ending.err);
}

}  // namespace
}  // namespace pliant::validation::command_line_test
#endif
