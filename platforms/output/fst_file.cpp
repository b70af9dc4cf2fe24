#include "platforms/output/fst_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr const char* converter = "vcd2fst";

/// Where the search path has the converter; "" where it has none.
std::string find_converter() {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string folder(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string file = folder + "/" + converter;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

/// The converter's standard input. A socket, not a pipe: a write to one whose reader is gone can do without a signal.
class FstFile::Pipe : public std::streambuf {
 public:
  explicit Pipe(const std::filesystem::path& file) {
    const std::string program = find_converter();
    if (program.empty())
      throw InputError(
          std::string("--fst needs ") + converter +
          ", which is not installed: it comes with GTKWave (Debian: package gtkwave); or write --vcd and convert it elsewhere");
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw output_error("start the converter for", file, errno);
    descriptor_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    std::string name = file.string();
    std::array<char, 8> command{};
    std::string(converter).copy(command.data(), command.size());
    std::array<char, 2> standard_input = {'-', 0};
    char* const arguments[] = {command.data(), standard_input.data(), name.data(), nullptr};
    // In a group of its own: an interrupt from the keyboard ends the run in order, and the converter with its end.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = ::posix_spawn(&process_, program.c_str(), &actions, &attributes, arguments, environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    if (error != 0) throw output_error("start the converter for", file, error);
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Pipe() override {
    if (descriptor_ >= 0) static_cast<void>(finish());
  }

  /// Whether everything was taken and converted.
  [[nodiscard]] bool finish() {
    const bool written = sync() == 0;
    ::close(std::exchange(descriptor_, -1));
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0)
      if (errno != EINTR) return false;
    return written && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 protected:
  int sync() override {
    const char* next = pbase();
    while (next != pptr() && !failed_) {
      const ssize_t sent = ::send(descriptor_, next, static_cast<std::size_t>(pptr() - next), MSG_NOSIGNAL);
      if (sent > 0) next += sent;
      failed_ = sent < 0 && errno != EINTR;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return failed_ ? -1 : 0;
  }
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

 private:
  std::array<char, 1 << 16> bytes_;
  int descriptor_ = -1;
  pid_t process_ = -1;
  bool failed_ = false;
};

FstFile::FstFile(const std::filesystem::path& path) : file_(path), stream_(nullptr) {
  if (file_.partial().empty())
    throw InputError("--fst " + path.string() + ": expected a file on disk, which this format needs; --vcd can be written to a pipe");
  pipe_ = std::make_unique<Pipe>(file_.partial());
  stream_.rdbuf(pipe_.get());
}

FstFile::~FstFile() = default;

void FstFile::close() {
  const bool good = pipe_->finish();
  if (!good) throw OutputError("cannot write '" + file_.path().string() + "': " + converter + " failed");
  file_.close();
}

}  // namespace tessera
