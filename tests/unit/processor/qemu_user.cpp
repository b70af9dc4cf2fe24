#include "unit/processor/qemu_user.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace tessera::riscv {

namespace {

/// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-oracle-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder could be made in " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class LittleEndian {
 public:
  LittleEndian& put(std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) text_.push_back(static_cast<char>(value >> 8 * i));
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The headers of an executable (System V ABI, "Object files"); each segment lies in the file at a multiple of a page.
std::string headers(bool wide, std::span<const Segment> segments, std::uint64_t page) {
  constexpr unsigned executable = 2, riscv = 243, load = 1, readable_writable_executable = 7, with_compressed = 1;
  const unsigned word = wide ? 8 : 4;
  const std::uint64_t header_bytes = wide ? 64 : 52, segment_bytes = wide ? 56 : 32;
  LittleEndian file;
  file.put(0x464c'457f, 4).put(wide ? 2 : 1, 1).put(1, 1).put(1, 1).put(0, 1).put(0, 8);
  file.put(executable, 2).put(riscv, 2).put(1, 4).put(segments.front().address, word).put(header_bytes, word).put(0, word);
  file.put(with_compressed, 4).put(header_bytes, 2).put(segment_bytes, 2).put(segments.size(), 2).put(0, 2).put(0, 2).put(0, 2);
  std::uint64_t offset = page;
  for (const Segment& segment : segments) {
    file.put(load, 4);
    if (wide) file.put(readable_writable_executable, 4);
    file.put(offset, word).put(segment.address, word).put(segment.address, word).put(segment.bytes.size(), word).put(segment.room, word);
    if (!wide) file.put(readable_writable_executable, 4);
    file.put(page, word);
    offset += (segment.bytes.size() + page - 1) / page * page;
  }
  return file.text();
}

}  // namespace

std::vector<std::byte> run_in_qemu(bool wide, std::span<const Segment> segments) {
  constexpr std::uint64_t page = 4096;
  const TemporaryFolder folder;
  const std::filesystem::path program = folder.path() / "program", output = folder.path() / "output";
  {
    std::ofstream file(program, std::ios::binary);
    std::string bytes = headers(wide, segments, page);
    for (const Segment& segment : segments) {
      bytes.resize((bytes.size() + page - 1) / page * page);
      bytes.append(reinterpret_cast<const char*>(segment.bytes.data()), segment.bytes.size());
    }
    file << bytes;
  }
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string command =
      std::string("timeout 120 qemu-riscv") + (wide ? "64" : "32") + " '" + program.string() + "' >'" + output.string() + "'";
  const int status = std::system(command.c_str());
  if (status != 0)
    throw std::runtime_error("'" + command + "' ended with status " + std::to_string(status) + "; it needs Debian's qemu-user");
  std::ifstream file(output, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace tessera::riscv
