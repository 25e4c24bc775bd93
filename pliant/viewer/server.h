// The viewer's web server: the page and the answers of Api, for browsers on this machine only.
//
//   Server server(api, page, 8080);       // throws InputError when the port is taken
//   std::thread loop([&] { server.run(); });   …   server.stop();
//
// It listens on 127.0.0.1, refuses requests that name another host (a page elsewhere could make the browser send those),
// and takes nothing but small JSON by POST.
#pragma once

#include <memory>
#include <string>

#include "pliant/viewer/api.h"

namespace pliant::viewer {

class Server {
 public:
  // port 0: any free one. `api` must outlive the server.
  Server(Api& api, std::string page, int port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string address() const;  // "http://localhost:8080/"
  void run();                                 // until stop(), which any thread may call
  void stop();

 private:
  struct Http;
  std::unique_ptr<Http> http_;
  int port_ = 0;
};

}  // namespace pliant::viewer
