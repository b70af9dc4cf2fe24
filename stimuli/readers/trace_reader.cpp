#include "stimuli/readers/trace_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/address.hpp"
#include "base/error.hpp"

namespace tessera {

namespace {

std::string milliseconds_text(TraceTime ps) {
  constexpr std::uint64_t ps_per_ms = 1'000'000'000;
  return std::to_string(static_cast<std::uint64_t>((ps + ps_per_ms - 1) / ps_per_ms)) + " ms";
}

}  // namespace

bool TraceReader::parse_arrival(RawRecord& raw) {
  if (!parse(raw)) return false;
  if (!order_.completion_minus_response) [[likely]]
    return true;
  if (!raw.response) fail("--arrival completion-response: the record has no response time");
  raw.time -= std::min(raw.time, *raw.response);
  return true;
}

void TraceReader::count_moved(TraceTime time) {
  if (time >= newest_) {
    newest_ = time;
    return;
  }
  ++moved_;
  most_moved_ = std::max(most_moved_, newest_ - time);
}

bool TraceReader::parse_spooled(RawRecord& raw) {
  if (!spool_) {
    spool_ = std::make_unique<RecordSpool>();
    for (RawRecord read; parse_arrival(read); read = {}) {
      count_moved(read.time);
      spool_->add(read, read_place());
    }
    spool_->finish();
  }
  return spool_->next(raw, taken_from_.emplace());
}

std::uint32_t TraceReader::hold(const RawRecord& raw) {
  if (free_places_.empty()) {
    held_.push_back({raw, read_place()});
    return static_cast<std::uint32_t>(held_.size() - 1);
  }
  const auto place = free_places_.back();
  free_places_.pop_back();
  held_[place] = {raw, read_place()};
  return place;
}

bool TraceReader::parse_sorted(RawRecord& raw) {
  if (order_.sort_all) return parse_spooled(raw);
  const auto later = [](const Waiting& a, const Waiting& b) { return a.time != b.time ? a.time > b.time : a.number > b.number; };
  const auto ripe = [&] {
    return !waiting_.empty() &&
           (order_.sort_records != 0 ? waiting_.size() > order_.sort_records : newest_ - waiting_.front().time > order_.sort_time.value());
  };
  while (!file_ended_ && !ripe()) {
    RawRecord read;
    if (!parse_arrival(read)) {
      file_ended_ = true;
      break;
    }
    count_moved(read.time);
    waiting_.push_back({read.time, parsed_++, hold(read)});
    std::ranges::push_heap(waiting_, later);
    if (waiting_.size() > RecordOrder::most_records)
      fail("--sort: more than " + std::to_string(RecordOrder::most_records) + " records lie within the window; name a smaller one");
  }
  if (waiting_.empty()) return false;
  std::ranges::pop_heap(waiting_, later);
  const Held& first = held_[waiting_.back().place];
  raw = first.raw;
  taken_from_ = first.from;
  free_places_.push_back(waiting_.back().place);
  waiting_.pop_back();
  return true;
}

void TraceReader::count_late(const RawRecord& raw) {
  ++disordered_;
  most_late_ = std::max(most_late_, latest_ - raw.time);
  if (late_run_++ == 0) late_run_begin_ = position();
  if (late_run_ > longest_late_run_) {
    longest_late_run_ = late_run_;
    if (late_run_ == 1 || longest_begin_ != late_run_begin_) longest_begin_ = late_run_begin_;
  }
}

void TraceReader::check_bounds(RawRecord& raw) const {
  constexpr std::uint64_t most_address = std::uint64_t{1} << 63;
  if (raw.op == HostOp::flush)
    raw.offset = raw.size = 0;
  else if (raw.size == 0)
    fail("the size is 0; expected at least one sector of 512 bytes");
  if (raw.size > max_request_size.value())
    fail("the size is " + std::to_string(raw.size) + " bytes; a request has at most " + std::to_string(max_request_size.value()));
  if (raw.offset > most_address - raw.size)
    fail("the request ends past 2^63 bytes (offset " + std::to_string(raw.offset) + "): no drive reaches that far (wrong unit or column?)");
}

bool TraceReader::take(TraceRecord& record) {
  RawRecord raw;
  if (!(order_.sorts() ? parse_sorted(raw) : parse_arrival(raw))) {
    if (records_ == 0) throw input_error(path_, 0, "the trace holds no request");
    return false;
  }
  if (records_++ == 0) first_ = latest_ = raw.time;
  if (raw.time < latest_) [[unlikely]]
    count_late(raw);
  else
    late_run_ = 0;
  latest_ = std::max(latest_, raw.time);
  if (latest_ - first_ > Picoseconds::max().value())
    fail("the request arrives more than 213 days after the first one: simulated time does not reach that far (wrong time unit?)");
  check_bounds(raw);
  record = {Picoseconds(static_cast<std::uint64_t>(latest_ - first_)),
            raw.op,
            raw.force_unit_access,
            raw.volume,
            Bytes(raw.offset),
            Bytes(raw.size),
            raw.think ? std::optional(Picoseconds(static_cast<std::uint64_t>(*raw.think))) : std::nullopt};
  return true;
}

bool TraceReader::next(TraceRecord& record) {
  try {
    return take(record);
  } catch (const InputError& error) {
    if (!explain_) throw;
    const Explain explain = std::exchange(explain_, nullptr);
    throw InputError(error.what() + explain(text_at_fault()));
  }
}

std::string TraceReader::volume_name(std::uint32_t volume) const { return volume < volumes_.size() ? volumes_[volume] : "-"; }

std::vector<std::string> TraceReader::notes() const {
  std::vector<std::string> all = fixed_notes_;
  for (const auto& [reason, count] : left_out_) all.push_back(std::to_string(count) + " " + reason);
  if (moved_ != 0)
    all.push_back(std::to_string(moved_) + " records of the file are out of time order, by at most " + milliseconds_text(most_moved_) +
                  "; sorted");
  if (disordered_ != 0) {
    const std::string advice = "by at most " + milliseconds_text(most_late_) + " (--sort " + milliseconds_text(most_late_) + " sorts them)";
    all.push_back(std::to_string(disordered_) +
                  (order_.sorts() ? " records later than --sort allows for, " : " records out of time order, ") +
                  "taken at the time of the latest record before them; " + advice);
  }
  constexpr std::uint64_t restarted = 100;  // records in a row that are all late by more than a second
  if (longest_late_run_ >= restarted && most_late_ > ps_per_second)
    all.push_back("the clock seems to restart at " + longest_begin_ + ": " + std::to_string(longest_late_run_) +
                  " records in a row are earlier than one before them; cut the trace there");
  return all;
}

void TraceReader::fail(const std::string& message) const { throw InputError(read_position() + ": " + message); }

void TraceReader::check(NumberFault fault, std::string_view field, std::string_view text) const {
  if (fault == NumberFault::none) [[likely]]
    return;
  const std::string subject = std::string(field) + " '" + std::string(text) + "' ";
  if (fault == NumberFault::negative) fail(subject + "is negative");
  if (fault == NumberFault::overflow) fail(subject + "does not fit 64 bits");
  fail(subject + "is not a number");
}

std::uint64_t TraceReader::blocks_to_bytes(std::uint64_t blocks, std::string_view field) const {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(blocks, host_block_bytes, &bytes))
    fail(std::string(field) + " '" + std::to_string(blocks) + "' does not fit 64 bits once in bytes");
  return bytes;
}

std::uint32_t TraceReader::volume(std::string_view name) {
  if (last_volume_ < volumes_.size() && volumes_[last_volume_] == name) return last_volume_;
  const auto known = volume_numbers_.find(name);
  if (known != volume_numbers_.end()) return last_volume_ = known->second;
  last_volume_ = static_cast<std::uint32_t>(volumes_.size());
  volumes_.emplace_back(name);
  volume_numbers_.emplace(name, last_volume_);
  return last_volume_;
}

}  // namespace tessera
