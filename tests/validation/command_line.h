// The program `pliant` as a child process: what it prints, how it ends, and a folder to run it in.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/io/result_scene.h"
#include "tests/support/places.h"

namespace pliant::validation {

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

struct Ending {
  int code = -1;    // what the program returned; −1 when a signal ended it
  int signal = 0;   // which
  std::string out;  // standard output
  std::string err;  // standard error
};

// A running program. Its output goes to files, so nothing blocks and nothing is lost when it is killed.
class Child {
 public:
  Child(const std::vector<std::string>& command, const std::filesystem::path& working_folder)
      : out_(working_folder / "stdout.txt"), err_(working_folder / "stderr.txt") {
    // Nothing is allocated between fork and exec: other threads of the test may hold the allocator's lock.
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error("no new process");
    if (process_ == 0) become(arguments, working_folder);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }

  void send(int signal) const { ::kill(process_, signal); }

  Ending wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    Ending ending;
    if (WIFEXITED(status)) ending.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
    ending.out = text_of(out_);
    ending.err = text_of(err_);
    return ending;
  }

 private:
  [[noreturn]] void become(const std::vector<char*>& arguments, const std::filesystem::path& working_folder) const {
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644),
              err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (::chdir(working_folder.c_str()) == 0) ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }

  std::filesystem::path out_, err_;
  pid_t process_ = -1;
};

// A folder in which scenes are written and the program is run, removed at the end.
class Workplace {
 public:
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  // pliant <arguments>, started in the folder.
  [[nodiscard]] Child start(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{test::command_line_program().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return Child(command, folder_.path());
  }
  [[nodiscard]] Ending pliant(const std::vector<std::string>& arguments) const { return start(arguments).wait(); }
  // The same through a shell, for what only a shell can set; $PLIANT is the program.
  [[nodiscard]] Ending shell(const std::string& line) const {
    const std::string program = test::command_line_program().string();
    return Child({"sh", "-c", "PLIANT='" + program + "'; " + line}, folder_.path()).wait();
  }

 private:
  io::testing::TemporaryFolder folder_;
};

}  // namespace pliant::validation
