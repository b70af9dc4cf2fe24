#include "stimuli/hosts/log_map.hpp"

#include <algorithm>

namespace tessera {

/// Of `there` records, number i holds data where i * needed / there grows with it.
bool LogPrefill::holds(std::uint64_t number) const { return (number + 1) * needed / there != number * needed / there; }

LogPlace LogPrefill::place(LogSector sector) const {
  if (sector >= sectors) return nowhere;
  const std::uint64_t number = ((sector / record + 1) * there + needed - 1) / needed - 1;
  return number * record + sector % record;
}

LogSector LogPrefill::owner(LogPlace place) const {
  const std::uint64_t number = place / record;
  if (number >= there || !holds(number)) return nowhere;
  const LogSector sector = number * needed / there * record + place % record;
  return sector < sectors ? sector : nowhere;
}

std::uint64_t LogPrefill::before(LogPlace place) const {
  const std::uint64_t number = place / record;
  if (number >= there) return sectors;
  return std::min(sectors, number * needed / there * record + (holds(number) ? place % record : 0));
}

LogMap::Page& LogMap::own(std::uint64_t number) {
  std::shared_ptr<Page>& page = pages_[number];
  if (page != nullptr) return unshared(page);
  page = std::make_shared<Page>(page_sectors);
  for (std::uint64_t i = 0; i < page_sectors; ++i) (*page)[i] = prefill_.place(number * page_sectors + i);
  return *page;
}

LogMap::Page& LogMap::unshared(std::shared_ptr<Page>& page) {
  if (page.use_count() > 1) page = std::make_shared<Page>(*page);
  return *page;
}

}  // namespace tessera
