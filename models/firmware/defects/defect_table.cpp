#include "firmware/defects/defect_table.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "firmware/defects/lost_sectors.hpp"
#include "firmware/logs/crc32.hpp"

namespace tessera {

namespace {
/// The place of save number 1. Both copies of it are written before there is another save.
constexpr std::uint32_t first_place = 1 % SpareLayout::places;
}  // namespace

DefectTable::DefectTable(MediaPort& media, MemoryPort& memory, const SpareLayout& layout, std::uint32_t sector_bytes,
                         std::uint32_t attempts)
    : media_(media),
      memory_(memory),
      layout_(layout),
      sector_bytes_(sector_bytes),
      attempts_(attempts),
      capacity_(static_cast<std::uint32_t>((std::uint64_t{layout.table_sectors()} * sector_bytes - sizeof(Header)) / sizeof(Defect))),
      image_(memory.reserve(MemoryCategory::metadata, Bytes(std::uint64_t{layout.table_sectors()} * sector_bytes), "defect table")),
      header_(*new (image_.bytes.data()) Header),
      entries_(reinterpret_cast<Defect*>(image_.bytes.data() + sizeof(Header))) {
  TESSERA_CHECK(reinterpret_cast<std::uintptr_t>(image_.bytes.data()) % alignof(Header) == 0, "the defect table is not aligned");
}

const Defect* DefectTable::first_in(std::uint64_t first, std::uint64_t end) const {
  const auto all = defects();
  const auto at =
      std::lower_bound(all.begin(), all.end(), first, [](const Defect& defect, std::uint64_t key) { return defect.sector < key; });
  return at != all.end() && at->sector < end ? &*at : nullptr;
}

void DefectTable::touch(CpuPort& cpu) const {
  cpu.hash();
  memory_.touch(image_.address + sizeof(Header), sizeof(Defect), Access::read);
}

bool DefectTable::set(const Defect& defect) {
  Defect* const end = entries_ + header_.defects;
  Defect* const at =
      std::lower_bound(entries_, end, defect.sector, [](const Defect& entry, std::uint64_t key) { return entry.sector < key; });
  if (at != end && at->sector == defect.sector) {
    *at = defect;
    return true;
  }
  if (header_.defects == capacity_) return false;
  std::copy_backward(at, end, end + 1);
  *at = defect;
  ++header_.defects;
  return true;
}

void DefectTable::erase(std::uint64_t sector) {
  const Defect* const found = find(sector);
  if (found == nullptr) return;
  Defect* const at = entries_ + (found - entries_);
  std::copy(at + 1, entries_ + header_.defects, at);
  --header_.defects;
}

std::uint32_t DefectTable::image_sectors(std::uint32_t defects) const {
  return static_cast<std::uint32_t>((image_bytes(defects) + sector_bytes_ - 1) / sector_bytes_);
}

/// Of the image as it lies in DRAM, with the field for it set to 0.
std::uint32_t DefectTable::checksum() {
  header_.crc = 0;
  return crc32(image_.bytes.first(image_bytes(header_.defects)));
}

PhysicalRun DefectTable::place_of(std::uint32_t copy, std::uint64_t sequence, std::uint32_t sectors) const {
  PhysicalRun run = layout_.table(copy, static_cast<std::uint32_t>(sequence % SpareLayout::places));
  run.count = sectors;
  return run;
}

Task<Status> DefectTable::save() {
  header_.magic = magic;
  ++header_.sequence;
  header_.crc = checksum();
  Status saved = Status::media_error;
  for (std::uint32_t copy = 0; copy < SpareLayout::copies; ++copy) {
    const Status status = co_await write_copy(copy);
    if (ok(status)) saved = Status::ok;
  }
  co_return saved;
}

/// Writes one copy and reads it back: what is written to a bad sector is lost without notice.
Task<Status> DefectTable::write_copy(std::uint32_t copy) {
  const std::uint32_t sectors = image_sectors(header_.defects);
  const PhysicalRun run = place_of(copy, header_.sequence, sectors);
  Status status = Status::media_error;
  for (std::uint32_t attempt = 0; attempt < attempts_ && !ok(status); ++attempt) {
    MediaChain chain(MediaClass::recovery);
    chain.write_system(run, image_.bytes.first(std::size_t{sectors} * sector_bytes_)).read(run, {});
    status = co_await media_.run(chain);
  }
  co_return status;
}

/// An image that comes late is there: with an older one in its place, sectors would be looked for where they no longer lie.
Task<Status> DefectTable::read_image(PhysicalRun run) {
  Status status = Status::media_error;
  for (std::uint32_t attempt = 0; attempt < most_looks && status == Status::media_error; ++attempt) {
    MediaChain chain(MediaClass::recovery);
    chain.read_system(run, image_.bytes.first(std::size_t{run.count} * sector_bytes_));
    status = co_await media_.run(chain);
  }
  co_return status;
}

void DefectTable::after_load() {
  for (Defect& defect : std::span(entries_, header_.defects))
    if (defect.pending != 0) defect.pending = Defect::noted_before;
}

Task<void> DefectTable::start_anew() {
  static_cast<void>(co_await load());
  header_ = Header();
  header_.sequence = latest_;
}

Task<Status> DefectTable::load() {
  // The header of each of the four images, then the images themselves, newest first, until one is whole.
  struct Candidate {
    std::uint32_t copy = 0;
    std::uint64_t sequence = 0;
    std::uint32_t sectors = 0;
  };
  std::array<Candidate, SpareLayout::copies * SpareLayout::places> found;
  std::size_t candidates = 0;
  bool blank = false;  // a copy without anything in the place where every table begins: no save ever ended
  for (std::uint32_t copy = 0; copy < SpareLayout::copies; ++copy) {
    for (std::uint32_t place = 0; place < SpareLayout::places; ++place) {
      const PhysicalRun first = place_of(copy, place, 1);
      const Status status = co_await read_image(first);
      blank = blank || (place == first_place && ok(status) && header_.magic == 0);
      if (ok(status) && header_.magic == magic && header_.defects <= capacity_ && header_.sequence % SpareLayout::places == place) {
        std::size_t at = candidates++;
        for (; at > 0 && found[at - 1].sequence < header_.sequence; --at) found[at] = found[at - 1];
        found[at] = {copy, header_.sequence, image_sectors(header_.defects)};
      }
      if (ok(status) && header_.magic == magic) latest_ = std::max(latest_, header_.sequence);
    }
  }
  for (std::size_t i = 0; i < candidates; ++i) {
    const PhysicalRun run = place_of(found[i].copy, found[i].sequence, found[i].sectors);
    const Status status = co_await read_image(run);
    if (!ok(status) || header_.sequence != found[i].sequence) continue;
    const std::uint32_t crc = header_.crc;
    if (checksum() != crc) continue;
    after_load();
    co_return Status::ok;
  }
  header_ = Header();
  co_return blank ? Status::ok : Status::corrupt;
}

}  // namespace tessera
