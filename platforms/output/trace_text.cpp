#include "platforms/output/trace_text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/error.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t ps_per_ns = 1'000;
constexpr std::uint64_t ps_per_tick = 100'000;
constexpr std::uint64_t ps_per_us = 1'000'000;
constexpr std::uint64_t ps_per_ms = 1'000'000'000;
constexpr Bytes largest_of_fio{0xffff'ffff};                   // which it reads into 32 bits
constexpr std::uint64_t first_tick = 128'166'372'000'000'000;  // of 100 ns since 1601: February 2007, when the MSR traces begin
constexpr std::uint64_t sector = 512;

constexpr std::string_view columns_toml = R"(# How the trace beside this file is read: tessera-sim finds it by its name.
separator = "comma"
header = 1
time = "1:ps"
volume = "2:v"
op = 3
r = "r"
w = "w"
u = "u"
f = "f"
t = "t"
zr = "zr"
zra = "zra"
zo = "zo"
zc = "zc"
zf = "zf"
zp = "zp"
offset = "4:bytes"
size = "5:bytes"
)";

class Writer {
 public:
  Writer(TraceSource& source, const std::filesystem::path& file, TraceText form) : source_(source), out_(file), form_(form) {}

  WrittenTrace write() {
    begin();
    for (TraceRecord record; source_.next(record) && !out_.failed();) {
      lost_.clear();
      if (put(record)) ++written_.records;
      for (const auto& what : lost_) ++losses_[what];
    }
    if (written_.records == 0) throw InputError(source_.position() + ": the form holds none of the trace's requests");
    end();
    out_.close();
    for (const auto& [what, count] : losses_) written_.notes.push_back(std::to_string(count) + " " + what);
    return std::move(written_);
  }

 private:
  void begin() {
    if (form_ == TraceText::fio_3) out_.append("fio version 3 iolog\n");
    if (form_ == TraceText::fio_2) out_.append("fio version 2 iolog\n");
    if (form_ == TraceText::columns) out_.append("time,volume,op,offset,size\n");
  }

  void end() {
    if (form_ != TraceText::fio_3 && form_ != TraceText::fio_2) return;
    for (const auto& name : names_) line("%s%s close\n", stamp(last_).c_str(), name.c_str());
  }

  bool put(const TraceRecord& record) {
    const bool holds_zones = form_ == TraceText::columns || (form_ == TraceText::blkparse && record.op != HostOp::zone_report);
    if (record.op >= HostOp::zone_report && !holds_zones) {
      lost_.emplace_back("zone commands left out, which the form has no word for");
      return false;
    }
    switch (form_) {
      case TraceText::fio_3:
      case TraceText::fio_2: return put_fio(record);
      case TraceText::blkparse: return put_blkparse(record);
      case TraceText::msr: return put_msr(record);
      case TraceText::columns: return put_columns(record);
    }
    return false;
  }

  /// In the form's own unit, from the first record on.
  std::uint64_t time(const TraceRecord& record, std::uint64_t unit, const char* unit_name) {
    const std::uint64_t ps = record.arrival.value();
    if (ps % unit != 0) lost_.push_back(std::string("arrivals cut to whole ") + unit_name);
    return ps / unit;
  }

  /// Version 3's time of a line. fio takes no gap after a time of 0, so that the log begins at 1.
  [[nodiscard]] std::string stamp(std::uint64_t us) const { return form_ == TraceText::fio_3 ? std::to_string(us + 1) + " " : ""; }

  /// A wait of version 2 is for a time in ms since the job's start.
  bool put_fio(const TraceRecord& record) {
    const bool waits = form_ == TraceText::fio_2;
    const std::uint64_t now = waits ? time(record, ps_per_ms, "milliseconds") : time(record, ps_per_us, "microseconds");
    if (record.size > largest_of_fio) throw InputError(source_.position() + ": the request has 4 GiB or more, which fio cannot read");
    if (waits && now > last_) line("%s wait %llu 0\n", name(record).c_str(), static_cast<unsigned long long>(now));
    last_ = now;
    const std::string& file = name(record);
    if (record.force_unit_access) lost_.emplace_back("writes without their forced unit access, which fio's log has no word for");
    constexpr const char* words[] = {"read", "write", "sync", "trim"};
    line("%s%s %s %llu %llu\n", stamp(now).c_str(), file.c_str(), words[static_cast<int>(record.op)], offset(record), size(record));
    return true;
  }

  bool put_blkparse(const TraceRecord& record) {
    if (record.offset.value() % sector != 0 || record.size.value() % sector != 0)
      throw InputError(source_.position() + ": the request is not of whole sectors of 512 B, which is all that blkparse's text can say");
    const std::uint64_t ns = time(record, ps_per_ns, "nanoseconds");
    constexpr const char* words[] = {"R", "W", "FN", "D", "", "ZO", "ZC", "ZF", "ZR"};
    const char* rwbs = record.all_zones ? "ZRA" : record.force_unit_access ? "WF" : words[static_cast<int>(record.op)];
    line("%7s %2d %8llu %5llu.%09llu %5d %2s %3s ", name(record).c_str(), 0, static_cast<unsigned long long>(written_.records) + 1,
         static_cast<unsigned long long>(ns / 1'000'000'000), static_cast<unsigned long long>(ns % 1'000'000'000), 0, "Q", rwbs);
    if (record.op == HostOp::flush)
      out_.append("[tessera]\n");
    else
      line("%llu + %llu [tessera]\n", offset(record) / sector, size(record) / sector);
    return true;
  }

  bool put_msr(const TraceRecord& record) {
    if (record.op != HostOp::read && record.op != HostOp::write) {
      lost_.emplace_back("flushes and trims left out, which MSR traces have not");
      return false;
    }
    if (record.force_unit_access) lost_.emplace_back("writes without their forced unit access, which MSR traces have no word for");
    const std::uint64_t ticks = first_tick + time(record, ps_per_tick, "ticks of 100 ns");
    line("%llu,%s,%s,%llu,%llu,0\n", static_cast<unsigned long long>(ticks), name(record).c_str(),
         record.op == HostOp::read ? "Read" : "Write", offset(record), size(record));
    return true;
  }

  bool put_columns(const TraceRecord& record) {
    constexpr const char* words[] = {"r", "w", "f", "t", "zp", "zo", "zc", "zf", "zr"};
    const char* word = record.all_zones ? "zra" : record.force_unit_access ? "u" : words[static_cast<int>(record.op)];
    line("%llu,%u,%s,%llu,%llu\n", static_cast<unsigned long long>(record.arrival.value()), record.volume, word, offset(record),
         size(record));
    return true;
  }

  static unsigned long long offset(const TraceRecord& record) { return record.offset.value(); }
  static unsigned long long size(const TraceRecord& record) { return record.size.value(); }

  /// Of the record's volume, as the form has it. New ones are made known to fio.
  const std::string& name(const TraceRecord& record) {
    while (names_.size() <= record.volume) {
      names_.push_back(new_name(static_cast<std::uint32_t>(names_.size())));
      if (form_ != TraceText::fio_3 && form_ != TraceText::fio_2) continue;
      const std::string at = stamp(record.arrival.value() / ps_per_us);
      line("%s%s add\n%s%s open\n", at.c_str(), names_.back().c_str(), at.c_str(), names_.back().c_str());
    }
    return names_[record.volume];
  }

  std::string new_name(std::uint32_t volume) {
    const std::string known = source_.volume_name(volume);
    std::string made;
    if (form_ == TraceText::blkparse) {
      made = device(known) ? known : "8," + std::to_string(16 * volume);  // as sda, sdb, ... are numbered
    } else if (form_ == TraceText::msr) {
      made = host_and_disk(known, volume);
    } else {
      made = known == "-" ? "disk" : known;
      std::ranges::replace_if(
          made, [](char c) { return c == ' ' || c == '\t' || c == '#' || c == '%' || c == ':'; }, '_');  // ':' parts names in fio
    }
    while (std::ranges::find(names_, made) != names_.end()) made.insert(0, form_ == TraceText::blkparse ? "1" : "x");
    return made;
  }

  /// "8,16"
  static bool device(std::string_view text) {
    const auto comma = text.find(',');
    return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() && text.find_first_not_of("0123456789") == comma &&
           text.find_first_not_of("0123456789", comma + 1) == std::string_view::npos;
  }

  /// "web,0" of "web_0"; the volume's own number where its name has none.
  static std::string host_and_disk(std::string known, std::uint32_t volume) {
    const auto score = known.rfind('_');
    const bool numbered = score != std::string::npos && score > 0 && score + 1 < known.size() &&
                          known.find_first_not_of("0123456789", score + 1) == std::string::npos;
    const std::string disk = numbered ? known.substr(score + 1) : std::to_string(volume);
    if (numbered) known.resize(score);
    if (known == "-") known = "disk";
    std::ranges::replace_if(
        known, [](char c) { return c == ' ' || c == '\t' || c == ','; }, '-');
    return known + "," + disk;
  }

  template <class... Values>
  void line(const char* format, Values... values) {
    char text[1024];
    const int length = std::snprintf(text, sizeof text, format, values...);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof text)
      throw InputError(source_.position() + ": the volume's name is too long to be written");
    out_.append({text, static_cast<std::size_t>(length)});
  }

  TraceSource& source_;
  OutputFile out_;
  const TraceText form_;
  WrittenTrace written_;
  std::uint64_t last_ = 0;  ///< in the unit of fio's log
  std::vector<std::string> names_;
  std::vector<std::string> lost_;  ///< of one record
  std::map<std::string, std::uint64_t> losses_;
};

}  // namespace

std::filesystem::path columns_beside(const std::filesystem::path& file, TraceText form) {
  return form == TraceText::columns ? std::filesystem::path(file.string() + ".columns.toml") : std::filesystem::path();
}

WrittenTrace write_trace_text(TraceSource& source, const std::filesystem::path& file, TraceText form) {
  if (const auto beside = columns_beside(file, form); !beside.empty()) {
    OutputFile out(beside);  // first: without it nobody could read the trace
    out.append(columns_toml);
    out.close();
  }
  return Writer(source, file, form).write();
}

}  // namespace tessera
