#include "platforms/output/event_log.hpp"

#include <string>

namespace tessera {

namespace {

std::string picoseconds_text(LongTime time) {
  constexpr std::uint64_t eighteen_digits = 1'000'000'000'000'000'000;
  const auto high = static_cast<std::uint64_t>(time.value() / eighteen_digits);
  std::string low = std::to_string(static_cast<std::uint64_t>(time.value() % eighteen_digits));
  return high == 0 ? low : std::to_string(high) + low.insert(0, 18 - low.size(), '0');
}

}  // namespace

EventLog::EventLog(const std::filesystem::path& path) : file_(path) { file_.append("time_ps,kind,edge,subject,amount\n"); }

void EventLog::record(Picoseconds time, const FirmwareEvent& event) {
  static constexpr const char* edges[] = {"begin", "end", "instant"};
  std::string line = picoseconds_text(rested_ + time);
  line.append(",").append(event.kind).append(",").append(edges[static_cast<std::size_t>(event.edge)]);
  line.append(",").append(std::to_string(event.subject)).append(",").append(std::to_string(event.amount)).append("\n");
  file_.append(line);
}

}  // namespace tessera
