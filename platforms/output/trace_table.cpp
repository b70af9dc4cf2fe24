#include "platforms/output/trace_table.hpp"

#include <bit>

#include "platforms/output/npy_header.hpp"

namespace tessera {

static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");

namespace {

constexpr std::string_view fields =
    "('arrival', '<u8'), ('offset', '<u8'), ('size', '<u8'), ('volume', '<u4'), ('op', '<u2'), ('flags', '<u2')";

}  // namespace

std::uint64_t write_trace_table(TraceSource& source, const std::filesystem::path& file) {
  OutputFile out(file);
  out.append(npy_header(fields, 0));
  std::uint64_t records = 0;
  for (TraceRecord record; source.next(record) && !out.failed(); ++records) {
    const TraceRow row{record.arrival.value(),
                       record.offset.value(),
                       record.size.value(),
                       record.volume,
                       static_cast<std::uint16_t>(record.op),
                       static_cast<std::uint16_t>((record.force_unit_access ? 1 : 0) | (record.all_zones ? 2 : 0))};
    out.append({reinterpret_cast<const char*>(&row), sizeof row});
  }
  out.overwrite(0, npy_header(fields, records));
  out.close();
  return records;
}

}  // namespace tessera
