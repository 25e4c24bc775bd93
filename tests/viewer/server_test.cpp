// The server on a real socket: this machine only, this host's name only, and nothing ends it.
#include "pliant/viewer/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "pliant/input_error.h"
#include "tests/viewer/viewed_result.h"

namespace pliant::viewer {
namespace {

class RunningServer {
 public:
  RunningServer() : api_({viewed_.folder.path()}), server_(api_, "<!doctype html>the page", 0) {
    loop_ = std::thread([this] { server_.run(); });
  }
  ~RunningServer() {
    server_.stop();
    loop_.join();
  }
  [[nodiscard]] int port() const { return server_.port(); }
  // Sends bytes as they are and returns the first line of the answer; empty: none.
  [[nodiscard]] std::string raw(const std::string& bytes) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port()));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      (void)!::write(socket, bytes.data(), bytes.size());
      const timeval patience{1, 0};
      ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      char buffer[512];
      for (ssize_t count;
           answer.find('\r') == std::string::npos && (count = ::read(socket, buffer, sizeof buffer)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(socket);
    return answer.substr(0, answer.find('\r'));
  }

 private:
  testing::ViewedResult viewed_;
  Api api_;
  Server server_;
  std::thread loop_;
};

TEST(Server, ServesThePageAndTheData) {
  const RunningServer running;
  httplib::Client client("127.0.0.1", running.port());
  const auto page = client.Get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->body, "<!doctype html>the page");
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  const auto frame = client.Get("/api/results/0/frames/1?quantised=1");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->status, 200);
  EXPECT_EQ(frame->body.substr(0, 4), "PLF1");
  EXPECT_EQ(client.Get("/api/results/0/frames/9")->status, 404);
}

TEST(Server, ListensOnLoopbackOnly) {
  const RunningServer running;
  const std::string line = running.raw("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n");
  EXPECT_NE(line.find("403"), std::string::npos) << line;
  EXPECT_NE(running.raw("GET / HTTP/1.1\r\nHost: localhost:" + std::to_string(running.port()) + "\r\n\r\n").find("200"),
            std::string::npos);
  sockaddr_in bound{};
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  bound.sin_family = AF_INET;
  bound.sin_port = htons(static_cast<std::uint16_t>(running.port()));
  ::inet_pton(AF_INET, "127.0.0.2", &bound.sin_addr);  // loopback too, but not where we listen
  EXPECT_NE(::connect(probe, reinterpret_cast<const sockaddr*>(&bound), sizeof bound), 0);
  ::close(probe);
}

TEST(Server, FilesCannotBeAskedFor) {
  const RunningServer running;
  const std::string host = "\r\nHost: localhost\r\n\r\n";
  for (const char* target : {"/../etc/passwd", "/etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/../../etc/passwd",
                             "//etc/passwd", "/api/results/0/%2e%2e/scene.yaml", "/api/results/0/scene.yaml",
                             "/api/results/0/result.h5", "file:///etc/passwd", "/..\\..\\etc\\passwd"}) {
    const std::string line = running.raw("GET " + std::string(target) + " HTTP/1.1" + host);
    EXPECT_NE(line.find(" 4"), std::string::npos) << target << ": " << line;
  }
}

TEST(Server, MalformedRequestsNeverEndIt) {
  const RunningServer running;
  const std::string host = "\r\nHost: localhost\r\n";
  const std::string requests[] = {
      "",
      "\r\n\r\n",
      "nonsense\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      std::string(100000, 'A'),
      "GET /" + std::string(20000, 'a') + " HTTP/1.1" + host + "\r\n",
      std::string("GET /\0 HTTP/1.1\r\n\r\n", 20),
      "DELETE /api/results HTTP/1.1" + host + "\r\n",
      "POST /api/results/0/drag HTTP/1.1" + host + "Content-Length: 5\r\n\r\nhello",
      "POST /api/results/0/drag HTTP/1.1" + host +
          "Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{}",
      "POST /api/results/0/drag HTTP/1.1" + host + "Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}",
      "GET /api/results/%zz HTTP/1.1" + host + "\r\n",
      "GET /api/results?quantised=%00 HTTP/1.1" + host + "Range: bytes=-\r\n\r\n"};
  for (const std::string& request : requests) {
    const std::string line = running.raw(request);
    const bool is_refused = line.empty() || line.find(" 4") != std::string::npos;
    const bool is_harmless = request.find("GET /api/results?") == 0;
    EXPECT_TRUE(is_refused || is_harmless) << request.substr(0, 60) << ": " << line;
  }
  EXPECT_NE(running.raw("GET / HTTP/1.1" + host + "\r\n").find("200"), std::string::npos);
}

// A stop that comes at once, before or while the loop begins, is not lost.
TEST(Server, StopsWhenItHasHardlyBegun) {
  const testing::ViewedResult viewed;
  Api api({viewed.folder.path()});
  for (int k = 0; k < 50; ++k) {
    Server server(api, "", 0);
    std::thread loop([&] { server.run(); });
    if (k % 2 == 1) std::this_thread::yield();
    server.stop();
    loop.join();
  }
}

TEST(Server, ATakenPortIsSaid) {
  const RunningServer running;
  const testing::ViewedResult viewed;
  Api api({viewed.folder.path()});
  try {
    const Server second(api, "", running.port());
    FAIL() << "two servers on one port";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--port"), std::string::npos);
  }
}

}  // namespace
}  // namespace pliant::viewer
