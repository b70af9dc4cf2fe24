// bzip2 through its own library: Boost's filter ends at the first of several streams, which parallel bzip2 writes one per block.
#include <bzlib.h>

#include <algorithm>
#include <vector>

#include "stimuli/readers/decompression.hpp"

namespace tessera {
namespace {

constexpr std::size_t bzip2_chunk = std::size_t{1} << 16;

class Bzip2Stream final : public ByteStream {
 public:
  explicit Bzip2Stream(PackedFile file) : file_(std::move(file)) {}
  ~Bzip2Stream() override {
    if (open_) BZ2_bzDecompressEnd(&decoder_);
  }
  Bzip2Stream(const Bzip2Stream&) = delete;
  Bzip2Stream& operator=(const Bzip2Stream&) = delete;

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size()) {
      if (decoder_.avail_in == 0 && !file_ended_) refill();
      if (!open_ && decoder_.avail_in == 0) break;
      if (!open_) begin();
      const auto room = static_cast<unsigned>(std::min<std::size_t>(out.size() - filled, std::size_t{1} << 30));
      decoder_.next_out = out.data() + filled;
      decoder_.avail_out = room;
      const unsigned in_before = decoder_.avail_in;
      const int result = BZ2_bzDecompress(&decoder_);
      const std::size_t produced = room - decoder_.avail_out;
      filled += produced;
      if (result == BZ_STREAM_END) {
        BZ2_bzDecompressEnd(&decoder_);
        open_ = false;
      } else if (result != BZ_OK) {
        throw file_.damaged("bzip2", produced_ + filled, result == BZ_DATA_ERROR_MAGIC ? "no stream begins here" : "bad data");
      } else if (produced == 0 && file_ended_ && in_before == decoder_.avail_in) {
        throw file_.damaged("bzip2", produced_ + filled, "the last stream is not complete");
      }
    }
    produced_ += filled;
    return filled;
  }

 private:
  void refill() {
    const std::size_t got = file_.read(chunk_);
    file_ended_ = got < chunk_.size();
    decoder_.next_in = chunk_.data();
    decoder_.avail_in = static_cast<unsigned>(got);
  }
  void begin() {
    if (BZ2_bzDecompressInit(&decoder_, 0, 0) != BZ_OK) throw input_error(file_.path(), 0, "no memory to unpack bzip2");
    open_ = true;
  }

  PackedFile file_;
  std::vector<char> chunk_ = std::vector<char>(bzip2_chunk);
  bz_stream decoder_{};
  bool open_ = false;  ///< within a stream
  bool file_ended_ = false;
  std::uint64_t produced_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> bzip2_content(PackedFile file) { return std::make_unique<Bzip2Stream>(std::move(file)); }

}  // namespace tessera
