#pragma once
// The file of a drive's state: a line that names it and its schema, then one zstd frame with its length and checksum.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tessera {

/// As it is written to a file.
[[nodiscard]] std::string packed_state(std::string_view state);

/// What packed_state() was given, in pieces: a file of a few bytes may stand for more than there is memory, and a hostile one does.
class PackedState {
 public:
  /// `file`: as it was written; `name`: for messages. InputError where it is anything else: no state, one of another schema, a truncated or
  /// damaged one.
  PackedState(std::string file, std::string name);
  ~PackedState();
  PackedState(const PackedState&) = delete;
  PackedState& operator=(const PackedState&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// The next piece, which lasts until the one after it; empty at the end.
  [[nodiscard]] std::string_view next();

 private:
  class Stream;
  std::string file_;
  std::string name_;
  std::unique_ptr<Stream> stream_;
  std::uint64_t bytes_ = 0;
};

/// Whether the file begins as a state does; false where it cannot be read.
[[nodiscard]] bool is_state(const std::filesystem::path& file);

/// InputError too where the file cannot be read.
[[nodiscard]] std::unique_ptr<PackedState> read_state(const std::filesystem::path& file);

/// Throws OutputError.
void write_state(const std::filesystem::path& file, std::string_view packed);

}  // namespace tessera
