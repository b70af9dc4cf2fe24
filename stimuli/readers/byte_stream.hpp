#pragma once
// The bytes of a file, decompressed on the way where its first bytes say that it is compressed. A file is opened once and read front to
// back, so that a pipe (/dev/stdin, a fifo, a process substitution) is as good as a file on disk.
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "stimuli/readers/content_hash.hpp"

namespace tessera {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `out` as far as the file goes: fewer bytes than asked for mean that the file ended. Damaged data and a compressed
  /// stream that breaks off are an InputError.
  virtual std::size_t read(std::span<char> out) = 0;
};

/// A reader gave up because the program was asked to stop: it waited for a pipe, or skipped records.
class ReadStopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Lets readers that wait for a pipe, or skip records, throw ReadStopped once `asked` says that the program is to stop; null: they go on
/// for ever. One for the whole program, as signals are.
using StopAsked = bool (*)();
void stop_reads_when(StopAsked asked);
/// Where a reader goes on for long without a record that it can hand out.
void end_if_stopped(const std::string& what);

/// A trace as a reader takes it over: its name for messages, and its content, none of it read yet.
struct TraceFile {
  std::string path;
  std::unique_ptr<ByteStream> bytes;
};

/// Plain, gzip, xz, zstd, bzip2 and lz4 (several streams one after another as well), told apart by their magic numbers, not by name. `hash`
/// takes the bytes as they lie in the file, as far as they are read.
[[nodiscard]] std::unique_ptr<ByteStream> open_byte_stream(const std::string& path, ContentHash* hash = nullptr);

/// `rest` with bytes that were read from it already put back in front.
[[nodiscard]] std::unique_ptr<ByteStream> put_back(std::string bytes, std::unique_ptr<ByteStream> rest);

/// `bytes` and no more.
[[nodiscard]] std::unique_ptr<ByteStream> memory_stream(std::string bytes);

}  // namespace tessera
