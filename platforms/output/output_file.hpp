#pragma once
// A file whose every write is checked, and which has its name only once it is whole. Errors are kept, not thrown, while the simulation runs
// (an exception loses its type in a SystemC process): ask failed() now and then to stop early, and let close() report.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string_view>

namespace tessera {

/// The results cannot be written (full disk, read-only folder): exit status 1. The message names path and cause.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "cannot ACTION 'PATH': CAUSE", with the cause in the system's words.
[[nodiscard]] OutputError output_error(std::string_view action, const std::filesystem::path& path, int error_number);

/// What the file of this name is called until it is whole.
[[nodiscard]] std::filesystem::path partial_name(std::filesystem::path path);

/// Whether a file of this name can be replaced by another: devices, pipes and what standard output goes to are written to as they are.
[[nodiscard]] bool replaceable(const std::filesystem::path& path);

/// Whether a file is on the disk, and not only in the machine's memory, before it has its name.
enum class Keep : std::uint8_t {
  result,  ///< it is: what costs hours must outlive a power cut of the machine
  record   ///< not necessarily
};

class OutputFile {
 public:
  /// Creates or empties the file under its partial name; throws OutputError, or InputError where another process is writing it.
  explicit OutputFile(const std::filesystem::path& path, Keep keep = Keep::result);
  /// A file that was not closed keeps what was written so far, and its partial name.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const;
  /// Where it is until it is whole; "" of a device or pipe.
  [[nodiscard]] const std::filesystem::path& partial() const;
  [[nodiscard]] std::ostream& stream();
  void append(std::string_view bytes);
  /// Writes over bytes that exist already, as for a header that is only known at the end.
  void overwrite(std::uint64_t offset, std::string_view bytes);
  [[nodiscard]] bool failed() const;
  /// Writes the rest, closes and gives the file its name; throws OutputError if this or any earlier write failed.
  void close();

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_;
};

}  // namespace tessera
