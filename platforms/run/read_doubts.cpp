#include "platforms/run/read_doubts.hpp"

namespace tessera {

std::vector<HostRun> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said) {
  std::vector<HostRun> founded;
  for (const ReadDoubt& doubt : said)
    if (device.unread().contains({device.geometry().linear(doubt.last.track), doubt.last.index})) founded.push_back(doubt.blocks);
  return founded;
}

}  // namespace tessera
