// Any text whose columns the user names (stimuli/readers/columns_spec.hpp).
#include <algorithm>

#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"

namespace tessera {
namespace {

class Columns final : public LineTraceReader {
 public:
  Columns(TraceFile file, const ColumnsSpec& spec)
      : LineTraceReader(std::move(file), spec.separator),
        spec_(spec),
        least_(std::max({spec.time.number, spec.offset.number, spec.size.number, spec.op, spec.volume})) {
    for (const auto& [word, op] : spec.words) known_words_ += (known_words_.empty() ? "" : ", ") + word;
  }

 private:
  bool parse_fields(RawRecord& raw) override {
    if (line_number() <= spec_.header) return false;
    expect_fields(least_, Fields::capacity, "as the description of the columns says");
    raw.op = operation(fields_[spec_.op - 1]);
    raw.force_unit_access = std::ranges::find(spec_.forced, fields_[spec_.op - 1]) != spec_.forced.end();
    raw.time = time(spec_.time.number - 1, "time", spec_.time.unit);
    if (raw.op != HostOp::flush) {
      raw.offset = bytes(spec_.offset, "offset");
      raw.size = bytes(spec_.size, "size");
    }
    if (spec_.volume != 0) {
      volume_.assign(spec_.volume_prefix).append(fields_[spec_.volume - 1]);
      raw.volume = volume(volume_);
    }
    return true;
  }

  [[nodiscard]] HostOp operation(std::string_view text) const {
    for (const auto& [word, op] : spec_.words)
      if (word == text) return op;
    unknown_operation(text, known_words_);
  }

  [[nodiscard]] std::uint64_t bytes(const ColumnsSpec::Column& column, std::string_view name) const {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(integer(column.number - 1, name), column.unit, &product))
      fail(std::string(name) + " '" + std::string(fields_[column.number - 1]) + "' does not fit 64 bits once in bytes");
    return product;
  }

  const ColumnsSpec spec_;
  const std::size_t least_;
  std::string known_words_;
  std::string volume_;
};

}  // namespace

std::unique_ptr<TraceSource> read_columns(TraceFile file, const ColumnsSpec& spec) {
  return std::make_unique<Columns>(std::move(file), spec);
}

}  // namespace tessera
