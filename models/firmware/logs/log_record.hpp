#pragma once
// The one form in which firmware writes down what it must find again: a record that rides in the 64 out-of-band bytes of
// the last sector of the run it describes. Superblocks, journal records and backup records are of this form.
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/ports/media_port.hpp"

namespace tessera {

enum class RecordType : std::uint32_t {
  superblock = 1,   ///< sequence: generation
  data = 2,         ///< journalled host data
  backup = 3,       ///< sectors saved before a read-modify-write
  voided = 4,       ///< takes the place of a backup record that must not be applied any more
  band_moved = 5,   ///< a band lies elsewhere (firmware/flash/band_map.hpp, layers/media_cache/band_places.hpp)
  page_tags = 6,    ///< a checkpoint of flash pages' tags (firmware/flash/tag_checkpoint.hpp)
  zone_state = 16,  ///< a zone was written back (firmware/zones/zone_map.hpp)
  slot = 17,        ///< what a slot of a buffer holds (firmware/zones/buffer_region.hpp)
  track_move = 24,  ///< images of tracks on their way to other places (firmware/interlaced/move_backup.hpp)
  track_map = 25,   ///< tracks lie elsewhere (firmware/interlaced/move_log.hpp)
  sblock = 28,      ///< which S-block a slot holds (firmware/layers/sblock/slot_area.hpp)
  opened = 29,      ///< a region is written again since the checkpoint (firmware/layers/sblock/sblock_open_regions.hpp)
  buffered = 32,    ///< a sector of the write buffer (firmware/buffer/buffered_layer.hpp)
  rewrite = 33,     ///< a sector of an image that is about to be written to the disk
  packet = 36,      ///< what a packet of a media cache holds (firmware/layers/media_cache/packet_log.hpp)
  cache_map = 37,   ///< a checkpoint of its map (firmware/layers/media_cache/map_checkpoint.hpp)
  zone_write = 40,  ///< how far a zone is written (firmware/layers/zoned/zone_search.hpp)
  zone_kept = 41,   ///< what of a zone must outlive a power cut (firmware/layers/zoned/zone_ledger.hpp)
  band_image = 38   ///< the copy of a band that is about to be rewritten (firmware/layers/media_cache/merge_area.hpp)
};

struct LogRecord {
  RecordType type = RecordType::data;
  std::uint64_t sequence = 0;
  std::uint32_t length = 0;                ///< sectors of the run that the record rides on
  std::array<std::uint64_t, 5> payload{};  ///< meaning by type
};

[[nodiscard]] SectorHeader encode(const LogRecord& record);
/// The record in `header`, or nothing where there is none: never written, of something else, or its checksum is wrong.
[[nodiscard]] std::optional<LogRecord> decode(const SectorHeader& header);

}  // namespace tessera
