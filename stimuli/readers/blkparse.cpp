// blkparse text (blktrace) in its default layout:
//   major,minor cpu sequence seconds pid action RWBS [sector + sectors] [process]
// or in the one that blkparse was given with -f. Every request is there once for each of its steps; one step is read. Messages, merges,
// plugs and a summary at the end are no requests. Remaps (A) say which device lies below which. The volume is major,minor.
#include <optional>

#include "base/error.hpp"
#include "stimuli/readers/blkparse_layout.hpp"
#include "stimuli/readers/block_event.hpp"
#include "stimuli/readers/formats.hpp"
#include "stimuli/readers/line_trace_reader.hpp"
#include "stimuli/readers/probe.hpp"

namespace tessera {
namespace {

constexpr double blkparse_fits = 0.95;  // words that no other format has

bool is_summary(std::string_view first) { return first.starts_with("CPU") || first == "Total"; }

std::optional<BlockEvent> step_of_action(std::string_view action) {
  if (action == "Q") return BlockEvent::queue;
  if (action == "D") return BlockEvent::issue;
  if (action == "C") return BlockEvent::complete;
  return std::nullopt;
}

BlockEventCounts steps_in_sample(const Sample& sample, const std::optional<BlkparseLayout>& layout) {
  BlockEventCounts all{};
  Fields fields(' ');
  for (const auto line : sample.lines) {
    std::string_view action;
    if (layout) {
      BlkparseFields texts;
      if (layout->split(line, texts)) action = texts.action;
    } else {
      fields.split(line);
      if (is_summary(fields[0])) break;
      if (fields.size() > 5) action = fields[5];
    }
    if (const auto event = step_of_action(action)) ++all[static_cast<std::size_t>(*event)];
  }
  return all;
}

class Blkparse final : public LineTraceReader {
 public:
  Blkparse(TraceFile file, std::optional<BlkparseLayout> layout, BlockEvent event, bool named)
      : LineTraceReader(std::move(file), ' '), layout_(std::move(layout)), event_(event) {
    if (layout_ && !layout_->has_action()) {
      note("the layout has no action (%a): every line is taken for one request");
    } else {
      if (const auto text = block_event_note(event_, named); !text.empty()) note(text);
    }
    if (layout_ && !layout_->has_rwbs()) note("the layout has no operation (%d): all requests are taken for reads");
  }

 private:
  bool parse(RawRecord& raw) override {
    if (after_flush_) {
      raw = *after_flush_;
      after_flush_.reset();
      return true;
    }
    if (LineTraceReader::parse(raw)) return any_ = true;
    if (!any_ && found_ != BlockEventCounts{}) fail(no_block_event(event_, found_, "blkparse"));
    return false;
  }

  bool parse_fields(RawRecord& raw) override {
    if (is_summary(fields_[0])) {
      end();
      return false;
    }
    if (layout_) {
      BlkparseFields texts;
      if (layout_->split(line(), texts)) return parse_request(texts, raw);
    }
    if (layout_ && (fields_.size() < 7 || fields_[5] != "m"))  // messages have the default layout, whatever -f says
      fail("the line has not the layout '" + layout_->text() + "' that --format names");
    expect_fields(7, line_fields, "device cpu sequence seconds pid action RWBS [sector + sectors] [process]");
    BlkparseFields texts;
    texts.device = fields_[0];
    texts.seconds = fields_[3];
    texts.action = fields_[5];
    texts.rwbs = fields_[6];
    std::uint64_t ignored = 0;
    const bool plus = fields_.size() > 9 && fields_[8] == "+";
    const bool plain = !plus && fields_.size() > 8 && parse_unsigned(fields_[7], ignored) == NumberFault::none &&
                       parse_unsigned(fields_[8], ignored) == NumberFault::none;
    if (plus || plain) {
      texts.sector = fields_[7];
      texts.sectors = fields_[plus ? 9 : 8];
    }
    // A command that is passed through has its length and bytes here instead: "36 (12 00 00 00 24 00)".
    const bool number_alone = fields_.size() > 7 && !plus && !plain && parse_unsigned(fields_[7], ignored) == NumberFault::none;
    if (step_of_action(texts.action) == event_ && number_alone && (fields_.size() == 8 || !fields_[8].starts_with('(')))
      fail("expected 'sector + sectors' after '" + std::string(texts.rwbs) + "', found '" +
           std::string(line().substr(static_cast<std::size_t>(fields_[7].data() - line().data()))) + "': the line is not whole");
    // The device above and the place there, of the remap of a bio.
    if (texts.action == "A" && plus && fields_.size() > 11 && fields_[10] == "<-" && fields_[11].size() > 2)
      below(fields_[11].substr(1, fields_[11].size() - 2), texts.device);
    return parse_request(texts, raw);
  }

  void below(std::string_view upper, std::string_view lower) {
    devices_.remapped(upper, lower);
    check_devices();
  }

  void check_devices() const {
    if (one_volume()) return;
    if (const auto text = devices_.twice(); !text.empty()) fail(text);
  }

  bool parse_request(const BlkparseFields& texts, RawRecord& raw) {
    if (!layout_ || layout_->has_action()) {
      const auto event = step_of_action(texts.action);
      if (event) ++found_[static_cast<std::size_t>(*event)];
      if (event != event_) {
        if (texts.action.empty() || texts.action.size() > 2)
          fail("unknown action '" + std::string(texts.action) + "'; expected Q, D, C, ...");
        leave_out("blkparse events other than " + block_event_text(event_) + " left out");
        return false;
      }
    }
    check(parse_time(texts.seconds, ps_per_second, raw.time), "seconds", texts.seconds);
    std::uint64_t nanoseconds = 0;
    if (!texts.nanoseconds.empty()) {
      check(parse_unsigned(texts.nanoseconds, nanoseconds), "nanoseconds", texts.nanoseconds);
      raw.time += TraceTime{nanoseconds} * 1'000;
    }
    const std::string_view rwbs = layout_ && !layout_->has_rwbs() ? "R" : texts.rwbs;
    const auto operation = parse_rwbs(rwbs);
    if (!operation) unknown_operation(rwbs, "RWBS with R, W, D or F");
    if (operation->names_zone() && texts.sector.empty()) {
      leave_out("zone commands without a sector left out: blkparse writes it where -f has %S");
      return false;
    }
    take_extent(texts, operation->names_zone(), raw);
    if (operation->kind == BlockOperation::Kind::trim) leave_out(discards_are_trims);
    if (const char* reason = to_request(*operation, event_, raw, after_flush_)) {
      leave_out(reason);
      return false;
    }
    name_volume(texts, raw);
    if (after_flush_) after_flush_->volume = raw.volume;
    return true;
  }

  void take_extent(const BlkparseFields& texts, bool names_zone, RawRecord& raw) const {
    std::uint64_t blocks = 0;
    if (!texts.bytes.empty()) {
      check(parse_unsigned(texts.bytes, raw.size), "bytes", texts.bytes);
    } else if (!texts.sectors.empty()) {
      check(parse_unsigned(texts.sectors, blocks), "sectors", texts.sectors);
      raw.size = blocks_to_bytes(blocks, "sectors");
    }
    if (raw.size == 0 && !names_zone) return;  // a flush has any sector
    check(parse_unsigned(texts.sector, blocks), "sector", texts.sector);
    raw.offset = blocks_to_bytes(blocks, "sector");
  }

  void name_volume(const BlkparseFields& texts, RawRecord& raw) {
    if (!texts.device.empty()) {
      name_.assign(texts.device);
    } else if (!texts.major.empty() && !texts.minor.empty()) {
      name_.assign(texts.major).append(",").append(texts.minor);
    } else {
      return;
    }
    raw.volume = volume(name_);
    if (one_volume()) return;
    devices_.has_request(name_);
    if (raw.volume >= volumes_) {
      volumes_ = raw.volume + 1;
      check_devices();
    }
  }

  static constexpr std::size_t line_fields = 1000;  ///< the process may have blanks in its name, a message any number

  const std::optional<BlkparseLayout> layout_;
  const BlockEvent event_;
  BlockEventCounts found_{};
  bool any_ = false;
  StackedDevices devices_;
  std::uint32_t volumes_ = 0;
  std::string name_;
  std::optional<RawRecord> after_flush_;
};

}  // namespace

std::vector<Evidence> score_blkparse(const Sample& sample) {
  Fields f(' ');
  std::size_t fitting = 0;
  std::size_t all = 0;
  for (const auto line : sample.lines) {
    f.split(line);
    if (is_summary(f[0])) break;
    TraceTime time = 0;
    const auto comma = f[0].find(',');
    std::uint64_t major = 0;
    ++all;
    fitting += f.size() >= 7 && comma != std::string_view::npos && parse_unsigned(f[0].substr(0, comma), major) == NumberFault::none &&
                       f[3].find('.') != std::string_view::npos && parse_time(f[3], ps_per_second, time) == NumberFault::none &&
                       f[5].size() <= 2
                   ? 1
                   : 0;
  }
  return all == 0 ? std::vector<Evidence>{} : fits(blkparse_fits, static_cast<double>(fitting) / static_cast<double>(all));
}

std::unique_ptr<TraceSource> read_blkparse(TraceFile file, const std::string& argument) {
  std::string word = argument.substr(0, argument.find(','));
  std::optional<BlkparseLayout> layout;
  if (const auto percent = argument.find('%'); percent != std::string::npos) {
    word = argument.substr(0, percent);
    while (word.ends_with(' ') || word.ends_with(',')) word.pop_back();
    layout.emplace(argument.substr(percent));
  } else if (word.size() != argument.size()) {
    throw InputError("--format blkparse:" + argument +
                     ": expected EVENT or EVENT,LAYOUT, the layout as blkparse -f takes it (%T.%t %a ...)");
  }
  const auto named = block_event_argument("blkparse", word);
  if (named) return std::make_unique<Blkparse>(std::move(file), std::move(layout), *named, true);
  Sample head(*file.bytes);
  const auto event = first_block_event(steps_in_sample(head, layout));
  file.bytes = put_back(std::move(head.bytes), std::move(file.bytes));
  return std::make_unique<Blkparse>(std::move(file), std::move(layout), event, false);
}

}  // namespace tessera
