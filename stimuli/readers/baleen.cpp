// Baleen, traces of Meta's Tectonic (2019, 2021, 2023), separated by blanks, three lines of comments first:
//   block_id io_offset io_size op_time op_name ...
// op_time in seconds, offset and size in bytes within the block. Operations 1, 2 and 5 get, 3, 4 and 6 put. A block is an object of at most
// 8 MiB and has no address: blocks get places of 8 MiB in the order in which they first appear.
#include <boost/unordered/unordered_flat_map.hpp>

#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t place_bytes = std::uint64_t{8} << 20;
constexpr const char* baleen_columns = "block_id io_offset io_size op_time op_name ...";

std::optional<HostOp> baleen_operation(std::string_view text) {
  if (text == "1" || text == "2" || text == "5") return HostOp::read;
  if (text == "3" || text == "4" || text == "6") return HostOp::write;
  return std::nullopt;
}

class Baleen final : public LineTraceReader {
 public:
  explicit Baleen(TraceFile file) : LineTraceReader(std::move(file), ' ') {
    note("blocks of the store have no addresses: each gets 8 MiB, in the order in which they first appear");
  }

 private:
  bool parse_fields(RawRecord& raw) override {
    if (fields_[0] == "block_id") return false;  // the names of the columns, in files whose comments were cut off
    expect_fields(8, Fields::capacity, baleen_columns);
    const std::uint64_t block = integer(0, "block_id");
    const std::uint64_t offset = integer(1, "io_offset");
    raw.size = integer(2, "io_size");
    raw.time = time(3, "op_time", ps_per_second);
    const auto op = baleen_operation(fields_[4]);
    if (!op) unknown_operation(fields_[4], "1, 2 or 5 (get), 3, 4 or 6 (put)");
    raw.op = *op;
    if (raw.size == 0) {
      leave_out("requests of no bytes left out");
      return false;
    }
    if (offset > place_bytes || raw.size > place_bytes - offset)
      fail("io_offset " + std::to_string(offset) + " and io_size " + std::to_string(raw.size) + " end past 8 MiB, the largest block");
    raw.offset = places_.try_emplace(block, places_.size()).first->second * place_bytes + offset;
    return true;
  }

  boost::unordered_flat_map<std::uint64_t, std::uint64_t> places_;
};

}  // namespace

std::vector<Evidence> score_baleen(const Sample& sample) {
  constexpr std::string_view names = "block_id io_offset io_size op_time op_name";
  if (std::string_view(sample.bytes).substr(0, 4096).find(names) != std::string_view::npos) return fits(1);
  constexpr double numbers_fit_baleen = 0.9;
  return fits(numbers_fit_baleen, share_of_lines(sample, ' ', [](const Fields& f) {
                std::uint64_t ignored = 0;
                TraceTime time = 0;
                return f.size() >= 8 && f.size() <= 10 && parse_unsigned(f[0], ignored) == NumberFault::none &&
                       parse_unsigned(f[1], ignored) == NumberFault::none && parse_unsigned(f[2], ignored) == NumberFault::none &&
                       f[3].find('.') != std::string_view::npos && parse_time(f[3], 1, time) == NumberFault::none &&
                       baleen_operation(f[4]).has_value();
              }));
}

std::unique_ptr<TraceSource> read_baleen(TraceFile file) { return std::make_unique<Baleen>(std::move(file)); }

}  // namespace tessera
