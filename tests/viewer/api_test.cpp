// Requests and answers: every path of the contract, nonsense gets 4xx, and no path leads out of the result.
#include "pliant/viewer/api.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pliant/input_error.h"
#include "tests/viewer/viewed_result.h"

namespace pliant::viewer {
namespace {

using testing::ViewedResult;

TEST(Api, AnswersWhatThePageAsks) {
  const ViewedResult viewed;
  Api api({viewed.folder.path(), viewed.folder.path()});
  for (const char* path :
       {"/api/results", "/api/results/0", "/api/results/1", "/api/results/0/bodies/1/revisions/0/mesh",
        "/api/results/0/frames/3", "/api/results/0/frames/3/quantity/stretch", "/api/results/0/frames/1/contacts",
        "/api/results/0/frames/0/vertex/0/25", "/api/results/0/probes", "/api/results/0/scene",
        "/api/results/0/summary", "/api/results/0/state"}) {
    EXPECT_EQ(api.get(path).status, 200) << path << ": " << api.get(path).body;
  }
  EXPECT_EQ(nlohmann::json::parse(api.get("/api/results").body).size(), 2U);
  EXPECT_LT(api.get("/api/results/0/frames/3", true).body.size(), api.get("/api/results/0/frames/3").body.size());
}

TEST(Api, NonsenseIsRefusedWithASentence) {
  const ViewedResult viewed;
  Api api({viewed.folder.path()});
  for (const char* path : {"",
                           "/",
                           "/api",
                           "/api/result",
                           "/api/results/1",
                           "/api/results/-1",
                           "/api/results/0x0",
                           "/api/results/ 0",
                           "/api/results/99999999999999999999",
                           "/api/results/0/frames",
                           "/api/results/0/frames/4",
                           "/api/results/0/frames/-1",
                           "/api/results/0/frames/1e0",
                           "/api/results/0/frames/0/quantity/heat",
                           "/api/results/0/frames/0/vertex/0/26",
                           "/api/results/0/frames/0/vertex/2/0",
                           "/api/results/0/frames/0/vertex/0",
                           "/api/results/0/bodies/0/revisions/1/mesh",
                           "/api/results/0/bodies/2/revisions/0/mesh",
                           "/api/results/0/../../etc/passwd",
                           "/api/results/0/scene/../summary",
                           "/api/results/0/..%2fscene",
                           "/api/results/0//etc/passwd",
                           "/api/results/0/checkpoint.bin"}) {
    const Answer answer = api.get(path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_FALSE(nlohmann::json::parse(answer.body)["error"].get<std::string>().empty()) << path;
  }
}

TEST(Api, DragsAreCheckedAndPassedOn) {
  const ViewedResult viewed;
  std::vector<DragRequest> drags;
  Api api({viewed.folder.path()}, {[&](const DragRequest& drag) { drags.push_back(drag); }});
  const std::string path = "/api/results/0/drag";
  EXPECT_EQ(api.post(path, R"({"action":"grab","body":0,"vertex":25,"target":[1,2,3]})").status, 204);
  EXPECT_EQ(api.post(path, R"({"action":"move","target":[1,2,4]})").status, 204);
  EXPECT_EQ(api.post(path, R"({"action":"release"})").status, 204);
  ASSERT_EQ(drags.size(), 3U);
  EXPECT_EQ(drags[0].body, "box");
  EXPECT_EQ(drags[0].vertex, 26);  // the inner vertex is number 13: drawn numbers after it are one less
  EXPECT_EQ(drags[0].target, Vec3(1, 2, 3));
  EXPECT_EQ(drags[1].action, DragRequest::Action::move);
  EXPECT_EQ(drags[2].action, DragRequest::Action::release);
  for (const char* body : {"", "[]", "nonsense", "{", R"({"action":"pull"})", R"({"action":3})", R"({"action":"move"})",
                           R"({"action":"move","target":[1,2]})", R"({"action":"move","target":[1,2,"x"]})",
                           R"({"action":"grab","body":2,"vertex":0,"target":[0,0,0]})",
                           R"({"action":"grab","body":0,"vertex":26,"target":[0,0,0]})",
                           R"({"action":"grab","body":0,"vertex":-1,"target":[0,0,0]})",
                           R"({"action":"grab","body":"box","vertex":0,"target":[0,0,0]})"}) {
    EXPECT_EQ(api.post(path, body).status, 400) << body;
  }
  EXPECT_EQ(api.post("/api/results/1/drag", "{}").status, 404);
  EXPECT_EQ(drags.size(), 3U);
  Api fixed({viewed.folder.path()});
  EXPECT_EQ(fixed.post(path, R"({"action":"release"})").status, 409);
}

TEST(Api, AFolderWithoutResultIsAnError) {
  const ViewedResult viewed;
  EXPECT_THROW(Api({viewed.folder / "nowhere"}), InputError);
}

}  // namespace
}  // namespace pliant::viewer
