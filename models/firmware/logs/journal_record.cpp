#include "firmware/logs/journal_record.hpp"

#include "base/check.hpp"

namespace tessera {

namespace {

// Payload: the first sector of the run, a word for each record in front, the era. Of a record in front the word has the first sector (40
// bits: 512 TiB in sectors of 512 B) and the count (24 bits).
constexpr std::uint32_t count_bits = 24;
constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
constexpr std::size_t era_word = 1 + JournalRecord::most_named;
static_assert(era_word + 1 == std::tuple_size_v<decltype(LogRecord::payload)>);

std::uint64_t pack(const LogicalRun& run) {
  TESSERA_CHECK(run.first.value() < std::uint64_t{1} << (64 - count_bits) && run.count <= count_mask,
                "a journal record has no room for the one in front of it");
  return run.first.value() << count_bits | run.count;
}

LogicalRun unpack(std::uint64_t word) { return {LogicalSector(word >> count_bits), static_cast<std::uint32_t>(word & count_mask)}; }

}  // namespace

SectorHeader encode(const JournalRecord& record) {
  LogRecord log{RecordType::data, record.sequence, record.run.count, {record.run.first.value()}};
  for (std::size_t i = 0; i < JournalRecord::most_named; ++i) log.payload[1 + i] = pack(record.in_front[i]);
  log.payload[era_word] = record.era;
  return encode(log);
}

std::optional<JournalRecord> journal_record(const SectorHeader& header) {
  const std::optional<LogRecord> log = decode(header);
  if (!log || log->type != RecordType::data) return std::nullopt;
  JournalRecord record{log->sequence, {LogicalSector(log->payload[0]), log->length}, {}, log->payload[era_word]};
  for (std::size_t i = 0; i < JournalRecord::most_named; ++i) record.in_front[i] = unpack(log->payload[1 + i]);
  return record;
}

}  // namespace tessera
