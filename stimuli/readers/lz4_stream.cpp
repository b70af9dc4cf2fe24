// LZ4 frames (lz4_Frame_format.md 1.6), as the tool lz4 writes them.
#include <lz4frame.h>

#include <vector>

#include "stimuli/readers/decompression.hpp"

namespace tessera {
namespace {

constexpr std::size_t lz4_chunk = std::size_t{1} << 16;

LZ4F_dctx* new_context() {
  LZ4F_dctx* context = nullptr;
  LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  return context;
}

class Lz4Stream final : public ByteStream {
 public:
  explicit Lz4Stream(PackedFile file) : file_(std::move(file)), context_(new_context(), &LZ4F_freeDecompressionContext) {
    if (!context_) throw input_error(file_.path(), 0, "no memory to unpack lz4");
  }

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size()) {
      if (at_ == filled_ && !refill()) {
        if (pending_ != 0) throw file_.damaged("lz4", produced_ + filled, "the last frame is not complete");
        break;
      }
      std::size_t room = out.size() - filled;
      std::size_t taken = filled_ - at_;
      pending_ = LZ4F_decompress(context_.get(), out.data() + filled, &room, chunk_.data() + at_, &taken, nullptr);
      if (LZ4F_isError(pending_) != 0) throw file_.damaged("lz4", produced_ + filled, LZ4F_getErrorName(pending_));
      at_ += taken;
      filled += room;
    }
    produced_ += filled;
    return filled;
  }

 private:
  /// A full output can leave content inside the decoder, so an empty input is offered once more at the end.
  bool refill() {
    if (drained_ || (file_ended_ && pending_ == 0)) return false;
    at_ = filled_ = 0;
    if (file_ended_) {
      drained_ = true;
      return true;
    }
    filled_ = file_.read(chunk_);
    file_ended_ = filled_ < chunk_.size();
    return filled_ > 0 || pending_ != 0;
  }

  PackedFile file_;
  std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context_;
  std::vector<char> chunk_ = std::vector<char>(lz4_chunk);
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::size_t pending_ = 0;  ///< 0 exactly at the end of a frame
  bool file_ended_ = false;
  bool drained_ = false;
  std::uint64_t produced_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> lz4_content(PackedFile file) { return std::make_unique<Lz4Stream>(std::move(file)); }

}  // namespace tessera
