#pragma once
// The layer media-cache behind a volatile write cache, as on the drives as sold.
#include "firmware/caches/write_cache.hpp"
#include "media_cache_drive.hpp"

namespace tessera::test {

/// The layer behind a volatile write cache whose tasks hand over so many writes at once.
class CachedMediaCache final : public TranslationLayer {
 public:
  CachedMediaCache(const media_cache::MediaCacheConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan)
      : inner_(ports, config, geometry, plan), cache_(cache_config(), ports, geometry, plan, inner_) {}
  [[nodiscard]] std::uint64_t user_sectors() const override { return cache_.user_sectors(); }
  Task<Status> format() override { return cache_.format(); }
  Task<Status> recover() override { return cache_.recover(); }
  Task<Status> read(LogicalRun run, DataSpan data) override { return cache_.read(run, data); }
  Task<Status> write(LogicalRun run, DataSpan data, WriteOptions options) override { return cache_.write(run, data, options); }
  Task<Status> flush() override { return cache_.flush(); }
  Task<Status> trim(LogicalRun run) override { return cache_.trim(run); }
  void start_background() override { cache_.start_background(); }
  [[nodiscard]] bool idle() const override { return cache_.idle(); }
  void prefill(std::uint64_t sectors) override { cache_.prefill(sectors); }
  void report(MetricSet& metrics) const override { cache_.report(metrics); }

 private:
  static WriteCacheConfig cache_config() {
    WriteCacheConfig config;
    config.capacity = sectors(128);
    config.durability = CacheDurability::volatile_memory;
    config.order = DestageOrder::positioning;
    config.destage_depth = 16;
    config.largest_destage = sectors(16);
    config.idle_after = Picoseconds(1'000'000'000'000);
    return config;
  }

  media_cache::MediaCache inner_;
  WriteCache cache_;
};

class CachedDrive : public LayerDrive<CachedMediaCache> {
 public:
  explicit CachedDrive(MediaCacheSetup setup)
      : LayerDrive(
            volatile_promise(setup).bench,
            [&](const auto& geometry, std::string& problem) { return media_cache::plan_media_cache(setup.layer, geometry, problem); },
            [config = setup.layer](const Ports& ports, const auto& geometry, const auto& plan) {
              return std::make_unique<CachedMediaCache>(config, ports, geometry, plan);
            }) {}

 private:
  static MediaCacheSetup& volatile_promise(MediaCacheSetup& setup) {
    setup.bench.promise = DurabilityPromise::flushed;
    return setup;
  }
};

}  // namespace tessera::test
