#pragma once
// Waveforms in GTKWave's own compressed format, through its converter: what is written to the stream as a value change dump becomes the
// file.
#include <filesystem>
#include <memory>
#include <ostream>

#include "platforms/output/output_file.hpp"

namespace tessera {

class FstFile {
 public:
  /// Starts `vcd2fst`; InputError where it is not installed or the path is a pipe or device, OutputError where it cannot be started or the
  /// file not be made.
  explicit FstFile(const std::filesystem::path& path);
  /// A file that was not closed keeps what the converter makes of what was written so far, under its partial name.
  ~FstFile();
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return stream_; }
  [[nodiscard]] bool failed() const { return !stream_; }
  /// Waits for the converter and gives the file its name; throws OutputError if it or any write failed.
  void close();

 private:
  class Pipe;
  OutputFile file_;  ///< which the converter writes under its partial name
  std::unique_ptr<Pipe> pipe_;
  std::ostream stream_;
};

}  // namespace tessera
