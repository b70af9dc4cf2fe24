#include "platforms/output/event_log.hpp"

#include <string>

namespace tessera {

EventLog::EventLog(const std::filesystem::path& path) : file_(path) { file_.append("time_ps,kind,edge,subject,amount\n"); }

void EventLog::record(Picoseconds time, const FirmwareEvent& event) {
  static constexpr const char* edges[] = {"begin", "end", "instant"};
  std::string line = std::to_string(time.value());
  line.append(",").append(event.kind).append(",").append(edges[static_cast<std::size_t>(event.edge)]);
  line.append(",").append(std::to_string(event.subject)).append(",").append(std::to_string(event.amount)).append("\n");
  file_.append(line);
}

}  // namespace tessera
