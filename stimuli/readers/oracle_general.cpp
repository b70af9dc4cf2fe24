// libCacheSim's oracleGeneral, binary, little-endian, 24 bytes a record without padding:
//   clock_time u32 (s), obj_id u64, obj_size u32 (bytes), next_access_vtime i64 (number of the next request of the same object)
// It holds no operations, and objects instead of addresses: all requests are reads, at the object's number times the bytes of a block.
#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/probe.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {
namespace {

constexpr std::size_t access_bytes = 24;

struct Access {
  std::uint32_t time = 0;
  std::uint64_t object = 0;
  std::uint32_t size = 0;
  std::int64_t next = 0;
};

template <class T>
T number_at(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return static_cast<T>(value);
}

Access access(const char* bytes) {
  return {number_at<std::uint32_t>(bytes), number_at<std::uint64_t>(bytes + 4), number_at<std::uint32_t>(bytes + 12),
          number_at<std::int64_t>(bytes + 16)};
}

class OracleGeneral final : public TraceReader {
 public:
  OracleGeneral(TraceFile file, std::uint64_t block)
      : TraceReader(file.path), block_(block), bytes_(std::move(file.bytes)), buffer_(access_bytes * 4096) {
    note("the file holds no operations and objects instead of addresses: all requests are reads, at the object's number times " +
         std::to_string(block_) + " B; times in whole seconds");
  }
  [[nodiscard]] RecordPlace read_place() const override { return {number_, 0}; }

 private:
  bool parse(RawRecord& raw) override {
    while (true) {
      if (at_ == filled_) {
        filled_ = bytes_->read(buffer_);
        at_ = 0;
        if (filled_ == 0) return false;
      }
      ++number_;
      if (filled_ - at_ < access_bytes) fail("the trace is cut off: expected a record of 24 bytes, found " + std::to_string(filled_ - at_));
      const Access one = access(buffer_.data() + at_);
      at_ += access_bytes;
      if (one.size == 0) {
        leave_out("requests of no bytes left out");
        continue;
      }
      raw.op = HostOp::read;
      raw.time = TraceTime{one.time} * ps_per_second;
      raw.size = one.size;
      if (__builtin_mul_overflow(one.object, block_, &raw.offset))
        fail("obj_id " + std::to_string(one.object) +
             " does not fit 64 bits once in bytes: objects whose numbers are hashes have no address");
      return true;
    }
  }

  const std::uint64_t block_;
  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

std::vector<Evidence> score_oracle_general(const Sample& sample) {
  const std::size_t records = std::min<std::size_t>(sample.bytes.size() / access_bytes, Sample::most_lines);
  if (records == 0 || sample.bytes.find('\0') == std::string::npos) return {};  // every record has zero bytes, a text has none
  const bool cut = sample.whole && sample.bytes.size() % access_bytes != 0;
  // Each record names the object's next one: from 0 in some files and from 1 in others.
  std::vector<Access> accesses;
  for (std::size_t i = 0; i < records; ++i) accesses.push_back(access(sample.bytes.data() + i * access_bytes));
  std::size_t kept[2] = {0, 0};
  std::size_t named = 0;
  bool multiples = true;
  for (std::size_t i = 0; i < records; ++i) {
    if (i > 0 && accesses[i].time < accesses[i - 1].time) return {};
    if (accesses[i].next < -1 || accesses[i].size > (1u << 30)) return {};
    multiples = multiples && accesses[i].object % 512 == 0;
    if (accesses[i].next == -1 || accesses[i].next == std::numeric_limits<std::int64_t>::max()) continue;
    const auto next = static_cast<std::uint64_t>(accesses[i].next);
    if (next <= i) return {};
    if (next >= records) continue;
    ++named;
    for (const std::size_t base : {std::size_t{0}, std::size_t{1}})
      kept[base] += accesses[next - base].object == accesses[i].object ? 1 : 0;
  }
  if (std::max(kept[0], kept[1]) != named) return {};
  constexpr double times_fit = 0.85;  // times in order and successors past their records
  const double score = named != 0 ? 1 : times_fit * (records >= 4 ? 1 : 0);
  if (score == 0 || (cut && named == 0)) return {};
  // Objects are blocks, unless all their numbers are whole sectors in bytes.
  if (multiples) return {{score, "bytes", "objects as offsets in bytes, times in s"}};
  return {{score, "blocks", "objects as blocks of 512 B, times in s"}};
}

std::unique_ptr<TraceSource> read_oracle_general(TraceFile file, const std::string& argument) {
  if (!argument.empty() && argument != "blocks" && argument != "bytes")
    throw InputError("--format oracle:" + argument + ": expected oracle:blocks (objects as blocks of 512 B) or oracle:bytes");
  return std::make_unique<OracleGeneral>(std::move(file), argument == "bytes" ? 1 : 512);
}

}  // namespace tessera
