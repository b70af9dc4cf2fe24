#include "platforms/drive/prefill_survey.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tessera {

namespace {

ControllerConfig without_time(ControllerConfig config) {
  config.interrupt_latency = config.bus_latency = Picoseconds(0);
  config.tcm.latency = 1;
  config.data_cache.size = config.code_cache.size = Bytes(0);
  config.costs = CpuCosts(CostSource::none);
  return config;
}

BusConfig without_time(BusConfig config) {
  config.clock = Hertz(0);
  return config;
}

/// Caches neither place sectors nor bring any that nobody wrote.
FirmwareConfig without_caches(FirmwareConfig config) {
  config.write_cache.capacity = Bytes(0);
  config.read_cache.segments = 0;
  return config;
}

}  // namespace

PrefillSurvey::PrefillSurvey(const SurveyedDrive& drive, std::uint64_t sectors)
    : drive_(drive),
      shape_{static_cast<std::uint32_t>(drive.config.media.sector_size.value()), ContentMode::tags},
      sectors_(sectors),
      bus_(without_time(drive.config.bus), drive.config.nand.channels, drive.config.media.actuators) {
  Firmware* firmware = nullptr;
  const ControllerLinks links{*this,
                              drive.positioning,
                              drive.tracks,
                              drive.catalogue == nullptr ? nullptr : static_cast<FlashLink*>(this),
                              drive.catalogue,
                              *this,
                              *this,
                              bus_,
                              *this};
  controller_ = std::make_unique<Controller>(
      timeline_, without_time(drive.config.controller), links, shape_,
      MemoryMap{drive.config.dram.capacity, drive.config.host.buffer, drive.config.firmware.placement}, drive.config.host.tags,
      [&](const Ports& ports) {
        auto image = std::make_unique<Firmware>(without_caches(drive.config.firmware), drive.config.selected(), ports,
                                                geometry_of(drive.config.media), drive.plan, &make_flash_front);
        firmware = image.get();
        return image;
      });
  controller_->power_on(false, [this](Status status) {
    TESSERA_CHECK(ok(status), "the firmware did not boot on a dry drive");
    done_ = true;
  });
  firmware->prefill(sectors);
  run_until_done();
}

void PrefillSurvey::run_until_done() {
  while (!done_) timeline_.step();
  done_ = false;
}

void PrefillSurvey::start(const MediaStep& step) {
  steps_.push_back(&step);
  timeline_.post(timeline_.now(), *this, media_done);
}

void PrefillSurvey::start(FlashCommand& command) {
  flash_.push_back(&command);
  timeline_.post(timeline_.now(), *this, flash_done);
}

void PrefillSurvey::on_time(std::uint64_t argument) { argument == media_done ? finish_step() : finish_flash_command(); }

void PrefillSurvey::finish_step() {
  const MediaStep& step = *steps_.front();
  steps_.erase(steps_.begin());
  if (step.op == MediaOp::read) {
    if (step.data.buffer != nullptr) write_places(step);
    std::ranges::fill(step.system, std::byte{0});
    if (step.header != nullptr) step.header->fill(std::byte{0});
    for (SectorHeader& header : step.headers) header.fill(std::byte{0});
  }
  controller_->disk_channel().step_done({}, Status::ok, drive_.positioning.arm_of(step.run.track));
}

void PrefillSurvey::finish_flash_command() {
  FlashCommand& command = *flash_.front();
  flash_.erase(flash_.begin());
  const bool reads = command.op == FlashOp::read || command.op == FlashOp::read_oob;
  if (reads) std::ranges::fill(command.oob, std::byte{0xff});
  command.status = reads ? Status::blank : Status::ok;
  controller_->flash_channel()->command_done(command, Picoseconds(0));
}

/// Places are counted from 1: a sector that no platter brought reads as never written.
void PrefillSurvey::write_places(const MediaStep& step) const {
  const std::uint64_t track = drive_.geometry.linear(step.run.track) * drive_.geometry.most_sectors();
  const std::uint32_t sectors = drive_.tracks.sectors_on(step.run.track);
  clear_lost(step.data);
  for (std::uint32_t i = 0; i < step.run.count; ++i) {
    const std::uint32_t at = step.run.first + i;
    const std::uint64_t place = track + (step.run.first < sectors && at >= sectors ? at - sectors : at);  // spares lie behind the data
    const ContentSpan content = content_of(step.data.part(i, 1));
    for (std::uint32_t block = 0; block < shape_.blocks(); ++block) {
      const Tag tag = place * shape_.blocks() + block + 1;
      std::memcpy(content.data() + block * sizeof tag, &tag, sizeof tag);
    }
  }
}

PrefillContents PrefillSurvey::contents(ContentMode mode, std::uint64_t most) {
  constexpr std::uint64_t stretch = PrefilledBlocks::stretch;
  PrefilledBlocks prefilled;
  prefilled.blocks = sectors_ * shape_.blocks();
  const std::uint64_t stretches = (prefilled.blocks + stretch - 1) / stretch;
  prefilled.every = stretches / most + (stretches % most == 0 ? 0 : 1);
  const std::uint64_t most_at_once = drive_.config.host.buffer.value() / shape_.sector_bytes * shape_.blocks();
  for (std::uint64_t number = 0; number < stretches; ++number) {
    if (!prefilled.known(HostBlock(number * stretch))) continue;
    const std::uint64_t end = std::min((number + 1) * stretch, prefilled.blocks);
    for (std::uint64_t block = number * stretch; block < end;) {
      const auto count = static_cast<std::uint32_t>(std::min(end - block, most_at_once));
      read({HostBlock(block), count});
      block += count;
    }
  }
  return {{shape_.sector_bytes, mode}, prefilled, std::move(runs_)};
}

void PrefillSurvey::read(HostRun blocks) {
  request_ = {};
  request_.op = HostOp::read;
  request_.blocks = blocks;
  request_.content.resize(std::size_t{blocks.count} * sizeof(Tag));
  request_.life.begin(timeline_.now());
  controller_->arrived(request_);
  run_until_done();
  if (request_.status == Status::zone_offline)
    throw InputError("block " + std::to_string(blocks.first.value()) +
                     " is in a zone that is offline from the start, and would hold data: expected no zones that are offline, or an empty "
                     "drive (--prefill 0), where the data is checked");
  TESSERA_CHECK(ok(request_.status), "a read of prefilled sectors failed on a dry drive");
  for (std::uint32_t i = 0; i < blocks.count; i += shape_.blocks()) {
    Tag found = never_written;
    std::memcpy(&found, request_.content.data() + i * sizeof found, sizeof found);
    place(LogicalSector((blocks.first.value() + i) / shape_.blocks()), found);
  }
}

void PrefillSurvey::place(LogicalSector sector, Tag found) {
  if (found == never_written) throw ModelBug("the layer has no place for prefilled sector " + std::to_string(sector.value()));
  const std::uint64_t place = (found - 1) / shape_.blocks();
  const std::uint64_t track = place / drive_.geometry.most_sectors();
  const auto at = static_cast<std::uint32_t>(place % drive_.geometry.most_sectors());
  if (!runs_.empty()) {
    PlacedRun& last = runs_.back();
    if (last.track == track && last.first + last.count == at && last.sector + last.count == sector) {
      ++last.count;
      return;
    }
  }
  runs_.push_back({track, at, 1, sector});
}

}  // namespace tessera
