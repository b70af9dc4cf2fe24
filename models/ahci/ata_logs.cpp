#include "ahci/ata_logs.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "ahci/ata_identify.hpp"

namespace tessera::ahci {

namespace {

constexpr std::uint8_t spare_threshold = 10;  // percent of the spares: ours

constexpr std::size_t attribute_bytes = 12;
constexpr std::size_t first_attribute = 2;
constexpr std::uint64_t hour = 3600 * ps_per_second;

/// Eight or sixteen bits of count and address, in the order of an error log.
class Entry {
 public:
  Entry(std::span<std::byte> bytes, bool wide) : bytes_(bytes), wide_(wide) {}
  void byte(std::uint64_t value) { put<std::uint8_t>(bytes_, at_++, static_cast<std::uint8_t>(value)); }
  void both(std::uint64_t value, unsigned wide_from) {
    byte(value);
    if (wide_) byte(value >> wide_from);
  }
  void address(std::uint64_t count, std::uint64_t lba) {
    both(count, 8);
    for (unsigned i = 0; i < 3; ++i) both(lba >> 8 * i, 24);
  }
  void skip(std::size_t bytes) { at_ += bytes; }
  void number(std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) byte(value >> 8 * i);
  }

 private:
  std::span<std::byte> bytes_;
  bool wide_;
  std::size_t at_ = 0;
};

/// Where things are in an error log, of one page.
struct ErrorLayout {
  bool wide;  ///< sixteen bits of features and count, 48 of the address
  std::size_t entries, first, entry_bytes, command_bytes, count_at;
};
constexpr ErrorLayout summary_layout{false, 5, 2, 90, 12, 452}, extended_layout{true, 4, 4, 124, 18, 500};

}  // namespace

std::vector<std::byte> queue_error_page(std::uint32_t tag, bool queued, const TaskFile& file) {
  std::vector<std::byte> page(block_bytes);
  put<std::uint8_t>(page, 0, static_cast<std::uint8_t>(tag | (queued ? 0 : 0x80U)));
  put<std::uint8_t>(page, 2, file.status);
  put<std::uint8_t>(page, 3, file.error);
  put_address(page, file);
  put_checksum(page);
  return page;
}

namespace {

/// In the order of their numbers, for values and thresholds alike.
std::vector<std::byte> attribute_page(std::span<const Attribute> attributes, bool thresholds) {
  std::vector<std::byte> page(block_bytes);
  put<std::uint16_t>(page, 0, 0x0010);  // revision
  std::size_t at = first_attribute;
  for (const Attribute& attribute : attributes) {
    put<std::uint8_t>(page, at, attribute.id);
    if (thresholds) {
      put<std::uint8_t>(page, at + 1, attribute.threshold);
    } else {
      put<std::uint16_t>(page, at + 1, attribute.threshold != 0 ? 0x0033 : 0x0032);  // warns; updated on line; keeps itself; counts events
      put<std::uint8_t>(page, at + 3, attribute.value);
      put<std::uint8_t>(page, at + 4, attribute.value);
      put<std::uint32_t>(page, at + 5, static_cast<std::uint32_t>(attribute.raw));
      put<std::uint16_t>(page, at + 9, static_cast<std::uint16_t>(attribute.raw >> 32));
    }
    at += attribute_bytes;
  }
  return page;
}

}  // namespace

std::vector<Attribute> Logs::attributes(const DriveHealth& health, Picoseconds now) const {
  return {
      {.id = 5, .value = health.spare_percent, .threshold = spare_threshold, .raw = health.relocations},
      {.id = 9, .raw = now.value() / hour},
      {.id = 12, .raw = power_cycles_},
      {.id = 192, .raw = unsafe_shutdowns_},
      {.id = 194, .raw = static_cast<std::uint64_t>(health.kelvin) - 273},  // degrees Celsius
      {.id = 198, .raw = std::max(failures_, health.media_errors)},
      {.id = 240, .raw = health.busy.value() / hour},  // in which the heads worked
      {.id = 241, .raw = blocks_written_},
      {.id = 242, .raw = blocks_read_},
  };
}

std::vector<std::byte> Logs::smart(const DriveHealth& health, Picoseconds now) const {
  std::vector<std::byte> page = attribute_page(attributes(health, now), false);
  put<std::uint16_t>(page, 368, 0x0003);  // saves its data before standby and by itself
  put<std::uint8_t>(page, 370, 1);        // logs errors
  put_checksum(page);
  return page;
}

std::vector<std::byte> Logs::thresholds() const {
  std::vector<std::byte> page = attribute_page(attributes({}, {}), true);
  put_checksum(page);
  return page;
}

void Logs::seen(const AtaCommand& command, Picoseconds now) {
  if (seen_.size() == most_commands) seen_.pop_front();
  seen_.push_back({command, static_cast<std::uint32_t>((now - std::min(now, power_on_)).value() / (ps_per_second / 1000))});
}

void Logs::failed(const AtaCommand& command, const TaskFile& file, Picoseconds now) {
  ++failures_;
  if (file.error == error_data) ++unreadable_;
  if (last_.size() == most_failures) last_.pop_front();
  Failure failure{seen_, file, static_cast<std::uint16_t>(now.value() / hour)};
  // Queued commands may have come after it.
  while (failure.commands.size() > 1 && failure.commands.back().command != command) failure.commands.pop_back();
  if (failure.commands.back().command != command) failure.commands.back() = {command};
  last_.push_back(std::move(failure));
}

/// Entries are used in turn; the index is that of the last one, from 1.
std::vector<std::byte> Logs::error_page(bool extended) const {
  const ErrorLayout& layout = extended ? extended_layout : summary_layout;
  constexpr std::uint8_t format = 1, active_or_idle = 3;
  std::vector<std::byte> page(block_bytes);
  put<std::uint8_t>(page, 0, format);
  put<std::uint8_t>(page, extended ? 2 : 1, static_cast<std::uint8_t>(failures_ == 0 ? 0 : (failures_ - 1) % layout.entries + 1));
  const std::size_t held = std::min(last_.size(), layout.entries);
  for (std::size_t age = 0; age < held; ++age) {
    const Failure& failure = *(last_.rbegin() + static_cast<std::ptrdiff_t>(age));
    const std::size_t place = (failures_ - 1 - age) % layout.entries;
    const auto bytes = std::span(page).subspan(layout.first + place * layout.entry_bytes, layout.entry_bytes);
    for (std::size_t i = 0; i < failure.commands.size(); ++i) {
      const auto& [command, milliseconds] = failure.commands[i];
      Entry entry(bytes.subspan((most_commands - failure.commands.size() + i) * layout.command_bytes), extended);
      entry.byte(command.control);
      entry.both(command.features, 8);
      entry.address(command.count, command.lba);
      entry.byte(command.device);
      entry.byte(command.command);
      if (extended) entry.skip(1);
      entry.number(milliseconds, 4);
    }
    Entry entry(bytes.subspan(most_commands * layout.command_bytes), extended);
    entry.skip(1);
    entry.byte(failure.file.error);
    entry.address(failure.file.count, failure.file.lba);
    entry.byte(failure.file.device);
    entry.byte(failure.file.status);
    entry.skip(19);  // the maker's
    entry.byte(active_or_idle);
    entry.number(failure.hours, 2);
  }
  put<std::uint16_t>(page, layout.count_at, static_cast<std::uint16_t>(std::min<std::uint64_t>(failures_, 0xffff)));
  put_checksum(page);
  return page;
}

std::vector<std::byte> Logs::statistics(const DriveHealth& health, Picoseconds now) const {
  constexpr std::uint64_t supported = std::uint64_t{1} << 63, valid = std::uint64_t{1} << 62, revision = 1;
  constexpr std::uint8_t list = 0, general = 1, rotating = 3, errors = 4;
  constexpr std::uint8_t listed[] = {list, general, rotating, errors};
  std::vector<std::byte> pages(statistics_pages * block_bytes);
  for (const std::uint64_t page : listed) put<std::uint64_t>(pages, page * block_bytes, page << 16 | revision);
  put<std::uint8_t>(pages, 8, std::size(listed));
  for (std::size_t i = 0; i < std::size(listed); ++i) put<std::uint8_t>(pages, 9 + i, listed[i]);
  const auto set = [&](std::size_t page, std::size_t at, std::uint64_t value) {
    put<std::uint64_t>(pages, page * block_bytes + at, value | supported | valid);
  };
  set(general, 8, power_cycles_);
  set(general, 16, now.value() / hour);
  set(general, 24, blocks_written_);
  set(general, 32, writes_);
  set(general, 40, blocks_read_);
  set(general, 48, reads_);
  set(rotating, 16, health.busy.value() / hour);  // in which the heads worked
  set(rotating, 32, health.relocations);
  set(errors, 8, unreadable_);
  return pages;
}

bool Logs::threshold_exceeded(const DriveHealth& health) { return health.spare_percent <= spare_threshold; }

}  // namespace tessera::ahci
