#include "platforms/output/requests_log.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "platforms/output/npy_header.hpp"

namespace tessera {

static_assert(std::endian::native == std::endian::little, "records are written as they lie in memory");

std::string requests_header(std::uint64_t records, std::size_t known) {
  std::string fields =
      "('number', '<u8'), ('lba', '<u8'), ('blocks', '<u4'), ('op', '<u2'), ('status', '<u2'), "
      "('arrival', '<u8'), ('issue', '<u8'), ('completion', '<u8')";
  for (std::size_t phase = 0; phase < life_phases; ++phase)
    fields += ", ('" + std::string(to_string(static_cast<LifePhase>(phase))) + "', '<u8')";
  if (known == 0) return npy_header(fields, records);
  fields += ", ('cause', '<u8')";
  for (std::size_t cause = 0; cause < known; ++cause)
    fields += ", ('cause_" + std::string(to_string(static_cast<Cause>(cause))) + "', '<u8')";
  return npy_header(fields, records);
}

RequestsLog::RequestsLog(const std::filesystem::path& path) : file_(path) { file_.append(requests_header(0)); }

void RequestsLog::on_complete(const HostRequest& request, Picoseconds now) {
  const RequestLife& life = request.life;
  TESSERA_CHECK(life.total() == now - life.arrival, "the parts of a request's life do not sum to its latency");
  RequestRecord record;
  record.number = request.number;
  record.lba = request.blocks.first.value();
  record.blocks = request.blocks.count;
  record.op = static_cast<std::uint16_t>(request.op);
  record.status = static_cast<std::uint16_t>(request.status);
  record.arrival = rested_ + life.arrival.value();
  record.issue = rested_ + life.issue.value();
  record.completion = rested_ + now.value();
  for (std::size_t phase = 0; phase < life_phases; ++phase) record.phases[phase] = life.parts[phase].value();
  const auto by_cause = life.by_cause();
  record.cause = static_cast<std::uint64_t>(std::ranges::max_element(by_cause) - by_cause.begin());
  for (std::size_t cause = 0; cause < causes; ++cause) record.by_cause[cause] = by_cause[cause].value();
  file_.append({reinterpret_cast<const char*>(&record), sizeof record});
  ++records_;
}

void RequestsLog::close() {
  file_.overwrite(0, requests_header(records_));
  file_.close();
}

}  // namespace tessera
