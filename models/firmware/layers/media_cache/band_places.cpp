#include "firmware/layers/media_cache/band_places.hpp"

#include <algorithm>
#include <cstring>

namespace tessera::media_cache {

BandPlaces::BandPlaces(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& log, const BandTrackLayout& layout)
    : layout_(layout),
      cleaning_(ports.cleaning),
      places_(ports.memory, MemoryCategory::metadata, layout.bands(), "places of the bands"),
      log_(ports, geometry, log, RecordType::band_moved, *this) {
  reset();
  find_free();
}

/// A region's bands are divided among its spares; the free place lies in the middle of those that share it.
void BandPlaces::reset() {
  for (std::size_t region = 0; region < layout_.regions(); ++region) {
    const std::uint64_t places = layout_.places_in(region);
    const std::uint64_t spare = spares(places);
    std::uint64_t band = layout_.first_band_in(region);
    for (std::uint64_t place = 0, group = 0; place < places; ++place) {
      if (group < spare && place == free_at_first(region, group))
        ++group;
      else
        places_.peek(band++) = static_cast<std::uint32_t>(place);
    }
  }
}

/// In the middle of its group; where cleaning keeps to an arm, the next one of the group on the arm whose turn it is.
std::uint64_t BandPlaces::free_at_first(std::size_t region, std::uint64_t group) const {
  const std::uint64_t places = layout_.places_in(region);
  const std::uint64_t spare = spares(places);
  const std::uint64_t middle = (2 * group + 1) * places / (2 * spare);
  if (cleaning_ == nullptr) return middle;
  std::uint64_t place = middle;
  while (place < (group + 1) * places / spare && arm_of(region, place) != group % cleaning_->arms()) ++place;
  return place < (group + 1) * places / spare ? place : middle;
}

std::uint32_t BandPlaces::arm_of(std::size_t region, std::uint64_t place) const {
  return cleaning_ == nullptr ? 0 : cleaning_->of(layout_.track_of(region, place, 0));
}

void BandPlaces::find_free() {
  free_.clear();
  for (std::size_t region = 0; region < layout_.regions(); ++region) {
    std::vector<bool> taken(layout_.places_in(region));
    for (std::uint64_t band = 0; band < layout_.bands_in(region); ++band) taken[places_.peek(layout_.first_band_in(region) + band)] = true;
    for (std::uint32_t place = 0; place < taken.size(); ++place)
      if (!taken[place]) free_.push_back({region, place, 0});
  }
}

std::size_t BandPlaces::nearest(std::uint64_t band) const {
  const std::size_t region = layout_.region_of(band);
  const std::uint32_t place = places_.peek(band);
  const auto distance = [&](const Free& free) {
    if (free.region != region) return ~std::uint64_t{0};
    const std::uint64_t apart = free.place < place ? place - free.place : free.place - place;
    return arm_of(region, free.place) != arm_of(region, place) ? apart + layout_.places_in(region) : apart;
  };
  return static_cast<std::size_t>(std::ranges::min_element(free_, {}, distance) - free_.begin());
}

void BandPlaces::fill(std::uint64_t band, std::uint32_t sectors) {
  Free& free = free_[nearest(band)];
  free.stale = std::max(free.stale, sectors);
}

Task<Status> BandPlaces::format() { return log_.format(); }

Task<Status> BandPlaces::recover() {
  const Status status = co_await log_.recover();
  find_free();
  if (ok(status)) static_cast<void>(co_await log_.repair());
  co_return status;
}

Task<Status> BandPlaces::move(std::uint64_t band, std::uint32_t stale) {
  Free& free = free_[nearest(band)];
  const TableLog::Words change{band, free.place, 0, 0};
  const Status status = co_await log_.append(change, {});
  if (!ok(status)) co_return status;
  std::uint32_t& place = places_.write(band);
  free.place = place;
  free.stale = stale;
  place = static_cast<std::uint32_t>(change[1]);
  co_return Status::ok;
}

void BandPlaces::save(std::span<std::byte> image) const { std::memcpy(image.data(), &places_.peek(0), image_bytes()); }

void BandPlaces::load(std::span<const std::byte> image) { std::memcpy(&places_.peek(0), image.data(), image_bytes()); }

void BandPlaces::replay(const TableLog::Words& words, std::span<const std::byte>) {
  places_.peek(words[0]) = static_cast<std::uint32_t>(words[1]);
}

}  // namespace tessera::media_cache
