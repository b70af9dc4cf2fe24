// Cost of the model's hot paths, one by one: where a request's two microseconds go.
#include <benchmark/benchmark.h>

#include "base/random.hpp"
#include "base/timeline.hpp"
#include "controller/executor.hpp"
#include "controller/media_queue.hpp"
#include "dram/dram_device.hpp"
#include "media/media_device.hpp"
#include "stimuli/generators/generator.hpp"
#include "stimuli/generators/workload_config.hpp"

namespace {

using namespace tessera;
using namespace tessera::literals;

MediaConfig common_media() {
  MediaConfig media;
  media.tracks = 32'768;
  media.sectors_per_track = 512;
  media.track_skew = 60;
  media.cylinder_skew = 140;
  return media;
}

PhysicalRun random_run(RandomStream& random) {
  return {{0, static_cast<std::uint32_t>(random.below(32'768))}, static_cast<std::uint32_t>(random.below(512)), 1};
}

void media_step(benchmark::State& state) {
  MediaDevice media(common_media(), {}, ContentMode::none, 1);
  RandomStream random(1, "bench");
  Picoseconds now;
  for (auto _ : state) {
    const MediaStep step{MediaOp::read, StepHint::position, random_run(random), {}, {}, nullptr};
    now = media.start(step, now).end;
    benchmark::DoNotOptimize(media.finish());
  }
}
BENCHMARK(media_step);

void shortest_positioning_of_32(benchmark::State& state) {
  MediaDevice media(common_media(), {}, ContentMode::none, 1);
  MediaQueue queue({SchedulingPolicy::shortest_positioning, 1'000_s, 1, 0_s, 1'000_s, 1});
  RandomStream random(1, "bench");
  std::vector<std::unique_ptr<MediaChain>> chains;
  for (int i = 0; i < 32; ++i) {
    chains.push_back(std::make_unique<MediaChain>());
    chains.back()->read(random_run(random), {});
    queue.push(*chains.back());
  }
  Picoseconds now;
  for (auto _ : state) {
    MediaChain& chain = queue.pop(media.positioning(), now);
    now = media.start(chain.steps().front(), now).end;
    benchmark::DoNotOptimize(media.finish());
    chain.clear();
    chain.read(random_run(random), {});
    chain.submitted = now;
    queue.push(chain);
  }
}
BENCHMARK(shortest_positioning_of_32);

void timeline_entry(benchmark::State& state) {
  struct Ring final : TimelineListener {
    explicit Ring(Timeline& of) : timeline(of), random(1, "bench") {}
    void on_time(std::uint64_t) override { timeline.post(timeline.now() + Picoseconds(random.below(1'000'000)), *this); }
    Timeline& timeline;
    RandomStream random;
  };
  Timeline timeline;
  Ring ring(timeline);
  for (int i = 0; i < 64; ++i) timeline.post(Picoseconds(static_cast<std::uint64_t>(i)), ring);
  for (auto _ : state) timeline.step();
}
BENCHMARK(timeline_entry);

Task<void> empty_task(CpuPort& cpu) {
  cpu.array();
  co_return;
}

void firmware_task(benchmark::State& state) {
  Timeline timeline;
  Executor cpu(timeline, ControllerConfig());
  for (auto _ : state) {
    cpu.start(empty_task(cpu), nullptr, timeline.now());
    timeline.run();
  }
}
BENCHMARK(firmware_task);

void metadata_access(benchmark::State& state) {
  DramDevice dram{DramConfig()};
  RandomStream random(1, "bench");
  Picoseconds now;
  for (auto _ : state) now = dram.access(DramAddress(random.below(1 << 24) * 8), 8, Access::read, now);
}
BENCHMARK(metadata_access);

void zipf_request(benchmark::State& state) {
  WorkloadConfig workload;
  workload.law = AddressLaw::zipf;
  workload.zipf.items = 1'000'000;
  workload.requests = ~std::uint64_t{0} >> 1;
  const auto source = make_generator(workload, "bench", 1, 64_GiB);
  TraceRecord record;
  for (auto _ : state) benchmark::DoNotOptimize(source->next(record));
}
BENCHMARK(zipf_request);

}  // namespace
