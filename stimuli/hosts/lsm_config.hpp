#pragma once
// The parameters of the host with a log-structured merge tree. Defaults are RocksDB's (include/rocksdb/options.h, advanced_options.h,
// version 8.4) and, for the collection of zones, ZenFS's (fs/fs_zenfs.h); what is ours is marked.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera {

struct LsmHostConfig {
  double over_provisioning = 0.2;              // ours
  Bytes memtable{std::uint64_t{64} << 20};     // write_buffer_size
  std::uint32_t memtables = 2;                 // max_write_buffer_number
  std::uint32_t level0_files = 4;              // level0_file_num_compaction_trigger
  std::uint32_t level0_stop = 36;              // level0_stop_writes_trigger
  Bytes level_base{std::uint64_t{256} << 20};  // max_bytes_for_level_base, with level_compaction_dynamic_level_bytes
  std::uint32_t level_ratio = 10;              // max_bytes_for_level_multiplier
  Bytes file{std::uint64_t{64} << 20};         // target_file_size_base
  std::uint32_t grandparents = 25;             // max_compaction_bytes, in files
  std::uint32_t filter_bits = 10;              // NewBloomFilterPolicy(10), as in RocksDB's tuning guide
  bool lifetimes = true;                       // ColumnFamilyData::CalculateSSTWriteHint
  double collect_below = 0.2;                  // GC_START_LEVEL
  double collect_slope = 3;                    // GC_SLOPE
  Bytes record{std::uint64_t{1} << 20};        // as of LogHostConfig
  Bytes batch{std::uint64_t{8} << 20};         // ours: compaction_readahead_size is 2 MiB for each file
  Picoseconds write_delay{1'000'000'000'000};  // ours: 1 s

  void describe(ParameterVisitor& v) {
    v.field("over_provisioning", over_provisioning, {0, 0.9},
            "share of the zones' space that the application does not see, above 0: room for older versions of what it wrote; more where "
            "compactions need it");
    v.field("memtable", memtable, {65536, 1e12},  // as RocksDB bounds it
            "data that is sorted in host memory before it becomes a file; no more than 1/1024 of the zones' space is used");
    v.field("memtables", memtables, {2, 64}, "of these, the one that is written to included");
    v.field("level0_files", level0_files, {1, 1000}, "files of level 0 that start a compaction");
    v.field("level0_stop", level0_stop, {2, 1000}, "files of level 0 at which writes wait");
    v.field("level_base", level_base, {512, 1e12},
            "largest size that the first level after 0 is to have, where levels before the last have a level_ratio-th of the next one");
    v.field("level_ratio", level_ratio, {2, 100}, "size of a level over that of the level before it");
    v.field("file", file, {512, 1e12}, "data of a file that a compaction writes; no more than 1/1024 of the zones' space is used");
    v.field("grandparents", grandparents, {1, 1000},
            "files of the level after the next one that a file may overlap: a compaction ends the file there");
    v.field("filter_bits", filter_bits, {0, 64}, "bits a key of the files' Bloom filters; 0: no filters");
    v.field("lifetimes", lifetimes, "zones for files that live about as long, by level; off: files of all levels share zones");
    v.field("collect_below", collect_below, {0, 1}, "share of free zones below which zones are collected");
    v.field("collect_slope", collect_slope, {0, 100},
            "a zone is collected if its dead share is above 1 - collect_slope (collect_below - free share)");
    v.field("record", record, {1024, 64e6}, "largest read and write of the drive");
    v.field("batch", batch, {512, 1e12}, "data that a compaction reads, merges and writes in one piece");
    v.field("write_delay", write_delay, {0, 1e15}, "longest time that a write stays in host memory alone, unless a FLUSH comes");
  }
};

}  // namespace tessera
