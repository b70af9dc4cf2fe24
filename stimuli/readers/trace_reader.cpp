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
  while (parse(raw)) {
    const bool of_zones = raw.op >= HostOp::zone_report || raw.append != ZoneAppend::none;
    if (!of_zones || zones_) [[likely]]
      return arrive(raw);
    leave_out("zone commands (append, reset, open, close, finish) left out");
    raw = {};
  }
  return false;
}

bool TraceReader::arrive(RawRecord& raw) const {
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

bool TraceReader::displaced_is_next() const {
  return !displaced_.empty() && (in_order_.empty() || later(in_order_.front(), displaced_.front()));
}

void TraceReader::wait(const Waiting& one) {
  if (in_order_.empty() || later(one, in_order_.back())) {
    in_order_.push_back(one);
    return;
  }
  displaced_.push_back(one);
  std::ranges::push_heap(displaced_, later);
}

TraceReader::Waiting TraceReader::take_earliest() {
  Waiting earliest;
  if (displaced_is_next()) {
    std::ranges::pop_heap(displaced_, later);
    earliest = displaced_.back();
    displaced_.pop_back();
  } else {
    earliest = in_order_.front();
    in_order_.pop_front();
  }
  return earliest;
}

/// Whether the earliest record that waits has waited long enough.
bool TraceReader::ripe() const {
  if (waiting() == 0) return false;
  if (order_.sort_records != 0) return waiting() > order_.sort_records;
  return newest_ - (displaced_is_next() ? displaced_.front() : in_order_.front()).time > order_.sort_time.value();
}

bool TraceReader::parse_sorted(RawRecord& raw) {
  if (order_.sort_all) return parse_spooled(raw);
  while (!file_ended_ && !ripe()) {
    RawRecord read;
    if (!parse_arrival(read)) {
      file_ended_ = true;
      break;
    }
    count_moved(read.time);
    wait({read.time, parsed_++, hold(read)});
    if (waiting() > RecordOrder::most_records)
      fail("--sort: more than " + std::to_string(RecordOrder::most_records) + " records lie within the window; name a smaller one");
  }
  if (waiting() == 0) return false;
  const std::uint32_t place = take_earliest().place;
  raw = held_[place].raw;
  taken_from_ = held_[place].from;
  free_places_.push_back(place);
  return true;
}

void TraceReader::count_late(const RawRecord& raw) {
  ++disordered_;
  most_late_ = std::max(most_late_, latest_ - raw.time);
  if (raw.time < first_) {
    if (unfinished() && !order_.sorts())
      fail("the line has no line feed at its end, and its time lies before that of the first record: the file seems to be cut off here");
    if (before_first_++ == 0) before_first_begin_ = position();
  }
  if (late_run_++ == 0) late_run_begin_ = position();
  if (late_run_ > longest_late_run_) {
    longest_late_run_ = late_run_;
    if (late_run_ == 1 || longest_begin_ != late_run_begin_) longest_begin_ = late_run_begin_;
  }
}

/// In the order of arrival.
bool TraceReader::take_next(RawRecord& raw) {
  do {
    raw = {};
    if (!(order_.sorts() ? parse_sorted(raw) : parse_arrival(raw))) return false;
  } while (zones_ && is_left_out(raw));
  return true;
}

bool TraceReader::is_left_out(RawRecord& raw) {
  switch (zones_->follow(raw)) {
    case ZoneAppends::Verdict::kept: return false;
    case ZoneAppends::Verdict::no_place: leave_out("zone appends left out: only a drive's zones say where they went"); break;
    case ZoneAppends::Verdict::again: leave_out("zone appends that the recorder shows a second time left out"); break;
  }
  return true;
}

void TraceReader::check_bounds(RawRecord& raw) const {
  constexpr std::uint64_t most_address = std::uint64_t{1} << 63;
  if (raw.op == HostOp::flush)
    raw.offset = raw.size = 0;
  else if (raw.op >= HostOp::zone_report)
    raw.size = 0;
  else if (raw.size == 0)
    fail("the size is 0; expected at least one sector of 512 bytes");
  if (raw.size > max_request_size.value())
    fail("the size is " + std::to_string(raw.size) + " bytes; a request has at most " + std::to_string(max_request_size.value()));
  if (raw.offset > most_address - raw.size)
    fail("the request ends past 2^63 bytes (offset " + std::to_string(raw.offset) + "): no drive reaches that far (wrong unit or column?)");
}

bool TraceReader::take(TraceRecord& record) {
  RawRecord raw;
  if (!take_next(raw)) {
    if (records_ == 0) throw input_error(path_, 0, "the trace holds no request");
    return false;
  }
  if (records_++ == 0) first_ = latest_ = raw.time;
  if (raw.time < latest_) [[unlikely]]
    count_late(raw);
  else
    late_run_ = 0;
  latest_ = std::max(latest_, raw.time);
  if (!order_.years && latest_ - first_ > Picoseconds::max().value())
    fail("the request arrives more than 213 days after the first one: simulated time does not reach that far (wrong time unit?)");
  check_bounds(raw);
  record = {Picoseconds(0),
            raw.op,
            raw.force_unit_access,
            raw.volume,
            Bytes(raw.offset),
            Bytes(raw.size),
            raw.think ? std::optional(Picoseconds(static_cast<std::uint64_t>(*raw.think))) : std::nullopt};
  record.all_zones = raw.all_zones;
  record.arrive(LongTime(latest_ - first_));
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
    // A sorted trace came out of order by less than the file is: what has to wait is what the file has too early.
    const TraceTime window = order_.sorts() ? most_moved_ : most_late_;
    const std::string advice = "by at most " + milliseconds_text(most_late_) + " (--sort " + milliseconds_text(window) + " sorts them)";
    all.push_back(std::to_string(disordered_) +
                  (order_.sorts() ? " records later than --sort allows for, " : " records out of time order, ") +
                  "taken at the time of the latest record before them; " + advice);
  }
  if (before_first_ != 0)
    all.push_back("records before the first one in time: " + std::to_string(before_first_) + ", the first of them at " +
                  before_first_begin_);
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
