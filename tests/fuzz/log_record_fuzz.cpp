// Out-of-band bytes of a sector: a record of journal, superblock, slot or backup that encodes to the same bytes, or nothing; and a record
// of any content is read as it was written.
#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "firmware/logs/log_record.hpp"

using namespace tessera;

namespace {

void decode_and_encode(const SectorHeader& header) {
  const auto record = decode(header);
  if (!record) return;
  TESSERA_CHECK(encode(*record) == header, "a record is not written as it was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SectorHeader header{};
  if (size != 0) std::memcpy(header.data(), data, std::min(size, sizeof header));
  decode_and_encode(header);

  LogRecord record;
  std::memcpy(&record.sequence, header.data(), sizeof record.sequence);
  std::memcpy(&record.length, header.data() + 8, sizeof record.length);
  std::memcpy(record.payload.data(), header.data() + 12, sizeof record.payload);
  const auto back = decode(encode(record));
  TESSERA_CHECK(back && back->sequence == record.sequence && back->length == record.length && back->payload == record.payload,
                "a record is not read as it was written");
  return 0;
}
