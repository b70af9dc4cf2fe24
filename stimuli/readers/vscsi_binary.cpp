// CloudPhysics vscsi traces (VMware vscsiStats), binary, little-endian, records of fixed size:
//   version 1, 32 bytes: sn u32, len u32, nSG u32, cmd u16, ver u16, lbn u64, ts u64
//   version 2, 40 bytes: cmd u16, ver u16, sn u32, len u32, nSG u32, lbn u64, ts u64, rt u64
// len in bytes, lbn in blocks of 512 B, ts in microseconds, cmd the SCSI operation code; the high byte of ver is the version.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/scsi_operation.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {
namespace {

template <class T>
T little_endian(const char* bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(T{static_cast<unsigned char>(bytes[i])} << (8 * i)));
  return value;
}

constexpr std::uint64_t ps_per_microsecond = 1'000'000;

struct Layout {
  std::size_t bytes, len, cmd, ver, lbn, ts;
};
constexpr Layout layouts[] = {{32, 4, 12, 14, 16, 24}, {40, 8, 0, 2, 16, 24}};

class VscsiBinary final : public TraceReader {
 public:
  VscsiBinary(TraceFile file, int version)
      : TraceReader(file.path),
        version_(version),
        layout_(layouts[version - 1]),
        bytes_(std::move(file.bytes)),
        buffer_(layout_.bytes * 2048) {}
  [[nodiscard]] RecordPlace read_place() const override { return {number_, 0}; }

 private:
  bool parse(RawRecord& raw) override {
    while (const char* record = next_record()) {
      const auto version = little_endian<std::uint16_t>(record + layout_.ver) >> 8;
      if (version != version_)
        fail("expected version " + std::to_string(version_) + " in the record's ver field, found " + std::to_string(version));
      const auto opcode = little_endian<std::uint16_t>(record + layout_.cmd);
      if (scsi_moves_no_data(opcode)) {
        leave_out(scsi_left_out);
        continue;
      }
      const auto op = scsi_host_op(opcode);
      if (!op) fail(unknown_scsi_operation(opcode));
      raw.op = *op;
      raw.time = TraceTime{little_endian<std::uint64_t>(record + layout_.ts)} * ps_per_microsecond;
      raw.offset = blocks_to_bytes(little_endian<std::uint64_t>(record + layout_.lbn), "lbn");
      raw.size = little_endian<std::uint32_t>(record + layout_.len);
      if (raw.op == HostOp::trim && raw.size == 0) {
        leave_out(scsi_unmap_left_out);
        continue;
      }
      return true;
    }
    return false;
  }

  const char* next_record() {
    if (at_ == filled_) {
      filled_ = bytes_->read(buffer_);
      at_ = 0;
      if (filled_ == 0) return nullptr;
    }
    ++number_;
    if (filled_ - at_ < layout_.bytes)
      fail("the trace is cut off: expected a record of " + std::to_string(layout_.bytes) + " bytes, found " +
           std::to_string(filled_ - at_));
    const char* record = buffer_.data() + at_;
    at_ += layout_.bytes;
    return record;
  }

  const int version_;
  const Layout& layout_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<TraceSource> read_vscsi_binary(TraceFile file, int version) {
  return std::make_unique<VscsiBinary>(std::move(file), version);
}

}  // namespace tessera
