// What of the DRAM outlives a power cut: the images of the dumped regions, in the order in which the firmware reserves them.
#include "controller/memory_controller.hpp"

namespace tessera {

void MemoryController::save_state(StateWriter& out) const {
  out.number(dumped_.size());
  for (const Dumped& region : dumped_) {
    out.text(region.what);
    out.number(static_cast<std::uint64_t>(region.category));
    out.number(region.address.value());
    out.number(region.size.value());
    out.flag(region.torn);
    out.flag(region.buffer != nullptr);
    if (region.buffer == nullptr) {
      out.bytes({region.bytes.get(), region.size.value()});
      continue;
    }
    DataBuffer& buffer = *region.buffer;
    out.bytes(buffer.content(0, buffer.sectors()));
    for (std::uint32_t sector = 0; sector < buffer.sectors(); ++sector) out.flag(buffer.is_lost(sector));
  }
}

void MemoryController::load_state(StateReader& in) {
  dumped_.clear();
  dumped_bytes_ = Bytes(0);
  Bytes room = dram_.capacity();
  for (std::size_t left = in.count(room.value()); left > 0; --left) {
    Dumped& region = dumped_.emplace_back();
    region.what = in.text();
    region.category = static_cast<MemoryCategory>(in.number(memory_categories));
    region.address = DramAddress(in.number());
    region.size = Bytes(in.number());
    in.require(region.size <= room, "more was dumped than the drive has DRAM");
    room -= region.size;
    region.torn = in.flag();
    const bool buffered = in.flag();
    in.require((buffered ? sectors_of(region.size) : region.size.value()) <= in.left(), "it breaks off");
    dumped_bytes_ += dump_piece * pieces_of(region.size);
    if (!buffered) {
      region.bytes = std::make_unique<std::byte[]>(region.size.value());
      in.bytes({region.bytes.get(), region.size.value()});
      continue;
    }
    in.require(region.size.value() % shape_.sector_bytes == 0, "a buffer does not hold whole sectors");
    region.buffer = std::make_unique<DataBuffer>(region.address, sectors_of(region.size), shape_);
    DataBuffer& buffer = *region.buffer;
    in.bytes(buffer.content(0, buffer.sectors()));
    for (std::uint32_t sector = 0; sector < buffer.sectors(); ++sector)
      if (in.flag()) buffer.mark_lost(sector);
  }
}

}  // namespace tessera
