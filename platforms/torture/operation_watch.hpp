#pragma once
// Sees each operation by which something becomes persistent, as it begins: a write to the platters, a page program, an erase. Journal
// commits, superblocks and headers are such operations too.
#include <functional>
#include <string>

#include "media/media_device.hpp"
#include "nand/nand_device.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

struct PersistentOperation {
  enum class Kind : std::uint8_t { media_write, page_program, block_erase };
  Kind kind = Kind::media_write;
  Picoseconds begin;      ///< the first bit
  Picoseconds end;        ///< the last one
  PhysicalRun run;        ///< of a media write
  std::uint32_t die = 0;  ///< of a flash operation

  [[nodiscard]] std::string in_words() const;
};

class OperationWatch final : private MediaObserver, private NandObserver {
 public:
  /// `begins` is called at or before the operation's begin. One watch a drive; it ends with the drive's simulation.
  OperationWatch(DriveModule& drive, std::function<void(const PersistentOperation&)> begins);

 private:
  void state(MediaState state, PhysicalTrack head, Picoseconds at) override;
  void die_changed(std::uint32_t die, DieState state, Picoseconds now) override;
  void channel_changed(std::uint32_t, bool, Picoseconds) override {}

  DriveModule& drive_;
  std::function<void(const PersistentOperation&)> begins_;
};

}  // namespace tessera
