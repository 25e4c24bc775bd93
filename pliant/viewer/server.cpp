#include "pliant/viewer/server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "pliant/input_error.h"

namespace pliant::viewer {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kLargestRequest = 64 * 1024;  // bytes

void give(httplib::Response& response, const Answer& answer) {
  response.status = answer.status;
  if (answer.status != 204) response.set_content(answer.body, answer.type);
}

void refuse(httplib::Response& response, int status, const std::string& sentence) {
  give(response, {status, "application/json", nlohmann::json{{"error", sentence}}.dump()});
}

// "localhost:8080" and "127.0.0.1:8080", with or without the port.
bool is_this_host(const std::string& host, int port) {
  for (const std::string& name : {std::string("localhost"), std::string(kLoopback)}) {
    if (host == name || host == name + ":" + std::to_string(port)) return true;
  }
  return false;
}

}  // namespace

struct Server::Http {
  Api& api;
  std::string page;
  int port;
  httplib::Server server;
  std::atomic<bool> has_begun = false, has_ended = false, is_to_stop = false;

  Http(Api& the_api, std::string the_page, int the_port) : api(the_api), page(std::move(the_page)), port(the_port) {
    // The library's default lets two servers share a port; then one of them would seem dead.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_payload_max_length(kLargestRequest);
    server.set_read_timeout(5);
    server.set_tcp_nodelay(true);
    server.new_task_queue = [] { return new httplib::ThreadPool(4); };
    server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      using Handled = httplib::Server::HandlerResponse;
      if (!is_this_host(request.get_header_value("Host"), port)) {
        refuse(response, 403, "this server answers for localhost only");
        return Handled::Handled;
      }
      if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
        refuse(response, 405, "only GET and POST are understood");
        return Handled::Handled;
      }
      return Handled::Unhandled;
    });
    server.set_exception_handler([](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
      refuse(response, 500, "an internal error; the server goes on");
    });
    server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) refuse(response, response.status, "there is nothing of that name here");
    });
    server.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      response.set_header("Cache-Control", "no-cache");
      response.set_content(page, "text/html; charset=utf-8");
    });
    server.Get("/api/.*", [this](const httplib::Request& request, httplib::Response& response) {
      response.set_header("Cache-Control", "no-cache");
      give(response, api.get(request.path, request.get_param_value("quantised") == "1"));
    });
    server.Post("/api/.*", [this](const httplib::Request& request, httplib::Response& response) {
      // Pages of other origins cannot send this type without asking first, and are never told yes.
      if (request.get_header_value("Content-Type").rfind("application/json", 0) != 0) {
        refuse(response, 415, "send JSON, with Content-Type: application/json");
        return;
      }
      give(response, api.post(request.path, request.body));
    });
  }
};

Server::Server(Api& api, std::string page, int port)
    : http_(std::make_unique<Http>(api, std::move(page), port)), port_(port) {
  if (port == 0) {
    port_ = http_->server.bind_to_any_port(kLoopback);
    http_->port = port_;
  }
  if (port_ <= 0 || (port != 0 && !http_->server.bind_to_port(kLoopback, port))) {
    throw InputError("port " + std::to_string(port) +
                     " cannot be used, another program may have it; choose another with --port");
  }
}

Server::~Server() = default;

std::string Server::address() const { return "http://localhost:" + std::to_string(port_) + "/"; }

void Server::run() {
  http_->has_begun = true;
  if (!http_->is_to_stop) http_->server.listen_after_bind();
  http_->has_ended = true;
}

// The library forgets a stop that comes before its loop runs, so this waits for the loop of a run() that has begun.
void Server::stop() {
  http_->is_to_stop = true;
  while (http_->has_begun && !http_->has_ended && !http_->server.is_running()) std::this_thread::yield();
  http_->server.stop();
}

}  // namespace pliant::viewer
