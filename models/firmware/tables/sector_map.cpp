#include "firmware/tables/sector_map.hpp"

#include "firmware/tables/paged_sector_map.hpp"

namespace tessera {

namespace {

/// An entry of four bytes for each user sector: its place plus one, so that zeroed memory is an empty table.
class ArraySectorMap final : public SectorMap {
 public:
  ArraySectorMap(const Ports& ports, std::uint64_t user_sectors)
      : cpu_(ports.cpu), entries_(ports.memory, MemoryCategory::metadata, user_sectors, "sector map (map = \"paged\" needs less)") {}

  [[nodiscard]] std::uint32_t find(LogicalSector sector) const override {
    cpu_.array();
    return entries_.read(sector.value()) - 1;
  }
  void set(LogicalSector sector, std::uint32_t place) override {
    cpu_.array();
    entries_.write(sector.value()) = place + 1;
  }
  void erase(LogicalSector sector) override { set(sector, none); }
  [[nodiscard]] Bytes paper_bytes() const override { return Bytes(entries_.size() * sizeof(std::uint32_t)); }
  [[nodiscard]] Bytes bytes() const override { return paper_bytes(); }

 private:
  CpuPort& cpu_;
  DramArray<std::uint32_t> entries_;
};

/// An entry for each cached sector: its number and its place; at most one for each place of the cache.
class HashSectorMap final : public SectorMap {
 public:
  HashSectorMap(const Ports& ports, std::uint64_t places)
      : cpu_(ports.cpu),
        places_(places),
        entries_(ports.memory, MemoryCategory::metadata, places, "sector map (map = \"paged\" needs less)") {}

  [[nodiscard]] std::uint32_t find(LogicalSector sector) const override {
    cpu_.hash();
    return entries_.find(sector.value());
  }
  void set(LogicalSector sector, std::uint32_t place) override {
    cpu_.hash();
    entries_.assign(sector.value(), place);
  }
  void erase(LogicalSector sector) override {
    cpu_.hash();
    entries_.erase(sector.value());
  }
  /// Numbers of sector and place, and a link: four bytes each.
  [[nodiscard]] Bytes paper_bytes() const override { return Bytes(12 * places_); }
  [[nodiscard]] Bytes bytes() const override { return entries_.bytes(); }

 private:
  CpuPort& cpu_;
  std::uint64_t places_;
  DramHashMap entries_;
};

}  // namespace

Task<Status> SectorMap::pin(LogicalRun) { co_return Status::ok; }

std::unique_ptr<SectorMap> make_sector_map(const SectorMapConfig& config, const Ports& ports, const DriveGeometry& geometry,
                                           const FormatPlan& region, std::uint64_t user_sectors, std::uint64_t places) {
  switch (config.kind) {
    case MapKind::array: break;
    case MapKind::hash: return std::make_unique<HashSectorMap>(ports, places);
    case MapKind::paged: return std::make_unique<PagedSectorMap>(ports, geometry, region, user_sectors, config.cache);
  }
  return std::make_unique<ArraySectorMap>(ports, user_sectors);
}

}  // namespace tessera
