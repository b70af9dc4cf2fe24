#include "platforms/state/state_file.hpp"

#include <zstd.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "base/check.hpp"
#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

constexpr std::string_view title = "tessera drive state ";
constexpr std::string_view schema = "1";  // of what the parts write: another one for each change of it

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

using Compressor = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using Decompressor = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

InputError damaged_state(const std::string& name, const std::string& how) {
  return input_error(name, 0, "the state of the drive is damaged: " + how);
}

}  // namespace

std::string packed_state(std::string_view state) {
  std::string file = std::string(title) + std::string(schema) + "\n";
  const std::size_t head = file.size();
  file.resize(head + ZSTD_compressBound(state.size()));
  const Compressor compressor(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(compressor.get(), file.data() + head, file.size() - head, state.data(), state.size());
  TESSERA_CHECK(ZSTD_isError(size) == 0, "a state cannot be compressed");
  file.resize(head + size);
  return file;
}

/// One pass over the frame.
class PackedState::Stream {
 public:
  Stream(std::string_view frame, const std::string& name)
      : name_(name), decompressor_(ZSTD_createDCtx(), &ZSTD_freeDCtx), from_{frame.data(), frame.size(), 0}, piece_(piece_bytes, '\0') {}

  std::string_view next() {
    while (pending_ != 0) {
      ZSTD_outBuffer to{piece_.data(), piece_.size(), 0};
      pending_ = ZSTD_decompressStream(decompressor_.get(), &to, &from_);
      if (ZSTD_isError(pending_) != 0) throw damaged_state(name_, ZSTD_getErrorName(pending_));
      if (to.pos != 0) return std::string_view(piece_).substr(0, to.pos);
      if (pending_ != 0 && from_.pos == from_.size) throw damaged_state(name_, "it breaks off");
    }
    return {};
  }

 private:
  const std::string& name_;
  Decompressor decompressor_;
  ZSTD_inBuffer from_;
  std::string piece_;
  std::size_t pending_ = 1;
};

PackedState::PackedState(std::string file, std::string name) : file_(std::move(file)), name_(std::move(name)) {
  std::string_view frame = file_;
  if (!frame.starts_with(title)) throw input_error(name_, 0, "expected the state of a drive that --save-state wrote, found something else");
  frame.remove_prefix(title.size());
  const std::string_view found = frame.substr(0, frame.find('\n'));
  if (found != schema)
    throw input_error(name_, 0,
                      "the state has schema " + std::string(found.substr(0, 20)) + " and this simulator reads schema " +
                          std::string(schema) + ": save it anew");
  frame.remove_prefix(std::min(frame.size(), schema.size() + 1));
  const std::size_t length = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(length) != 0) throw damaged_state(name_, ZSTD_getErrorName(length));
  if (length != frame.size()) throw damaged_state(name_, "something follows its end");
  // Once to its end for the checksum, without keeping any of it, before anybody believes a byte of it.
  Stream whole(frame, name_);
  for (std::string_view piece = whole.next(); !piece.empty(); piece = whole.next()) bytes_ += piece.size();
  stream_ = std::make_unique<Stream>(frame, name_);
}

PackedState::~PackedState() = default;

std::string_view PackedState::next() { return stream_->next(); }

bool is_state(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // a pipe would lose what was read of it
  std::string head(title.size(), '\0');
  return std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size())) && head == title;
}

std::unique_ptr<PackedState> read_state(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error))  // a pipe waits, a device has no end
    throw input_error(file.string(), 0, "expected the state of a drive, found no regular file");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw input_error(file.string(), 0, "the file cannot be opened for reading");
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad()) throw input_error(file.string(), 0, "the file cannot be read");
  return std::make_unique<PackedState>(std::move(bytes).str(), file.string());
}

void write_state(const std::filesystem::path& file, std::string_view packed) {
  OutputFile out(file);
  out.append(packed);
  out.close();
}

}  // namespace tessera
