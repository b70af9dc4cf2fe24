#include "support/firmware_bench.hpp"

#include "stimuli/scoreboard/prefilled_sample.hpp"

namespace tessera::test {

namespace {

std::uint32_t kept_per_sector(const BenchConfig& config) {
  return SectorShape{static_cast<std::uint32_t>(config.media.sector_size.value()), config.content}.kept();
}

}  // namespace

BenchConfig& BenchConfig::ideal_electronics() {
  controller.interrupt_latency = controller.bus_latency = Picoseconds(0);
  controller.costs = CpuCosts(CostSource::none);
  host.command_overhead = host.completion_overhead = Picoseconds(0);
  host.link_rate = BytesPerSecond(1'000'000'000'000'000);
  dram.row_to_column = dram.column_latency = dram.precharge = dram.row_active = dram.write_recovery = Picoseconds(0);
  dram.transfer_rate = bus.clock = Hertz(0);
  dram.refresh_time = Picoseconds(0);
  return *this;
}

FirmwareBench::FirmwareBench(const BenchConfig& config, Controller::Image image)
    : config_(config),
      media_(config.media, config.plan, config.content, config.seed),
      bus_(config.bus, config.nand ? config.nand->channels : 0, config.media.actuators),
      dram_(config.dram, config.seed),
      host_(timeline_, config.host, static_cast<std::uint32_t>(config.media.sector_size.value()), *this, *this) {
  for (std::uint32_t tag = config.host.tags; tag > 0; --tag) free_tags_.push_back(tag - 1);
  if (config.nand) nand_.emplace(*config.nand, kept_per_sector(config), config.seed, timeline_, static_cast<NandClient&>(*this));
  if (config.content != ContentMode::none) {
    const auto sector_blocks = static_cast<std::uint32_t>(config.media.sector_size.value()) / host_block_bytes;
    scoreboard_ = std::make_unique<Scoreboard>(config.content, config.promise, sector_blocks, config.prefilled);
    media_.set_initial_content(config.initial);
    media_.set_fault_listener(scoreboard_.get(), config.reads_before_loss);
    if (nand_) nand_->set_fault_listener(scoreboard_.get());
  }
  const SectorShape shape{static_cast<std::uint32_t>(config.media.sector_size.value()), config.content};
  const ControllerLinks links{*this,
                              media_.positioning(),
                              *this,
                              nand_ ? static_cast<FlashLink*>(this) : nullptr,
                              nand_ ? static_cast<FlashCatalogue*>(this) : nullptr,
                              *this,
                              *this,
                              bus_,
                              *this};
  controller_ = std::make_unique<Controller>(timeline_, config.controller, links, shape,
                                             MemoryMap{config.dram.capacity, config.host.buffer, config.placement}, config.host.tags,
                                             std::move(image));
  controller_->memory().set_fault_listener(scoreboard_.get());
  if (dram_.can_fail()) controller_->expect_memory_errors([this] { memory_failed_ = true; });
  host_.watch([this] { return controller_->account(); }, [this] { return controller_->work(); });
  boot();
}

FirmwareBench::~FirmwareBench() { controller_->power_off(); }

void FirmwareBench::boot() {
  power_.boot();
  while (!booted_) timeline_.step();
}

void FirmwareBench::power_on(bool after_power_cut, std::function<void(Status)> booted) {
  power_back();
  runs_ = unsaved_ = true;
  booted_ = memory_failed_ = false;
  dram_.initialise(timeline_.now());
  controller_->power_on(after_power_cut, [this, booted = std::move(booted)](Status status) {
    boot_status_ = status;
    booted_ = true;
    booted(status);
  });
}

void FirmwareBench::power_back() {
  if (!std::exchange(powered_, true)) media_.restore(timeline_.now());
}

HostRequest& FirmwareBench::submit(HostOp op, std::uint64_t first, std::uint32_t count, bool force_unit_access, bool all_zones) {
  while (free_tags_.empty()) timeline_.step();
  auto& request = *requests_.emplace_back(std::make_unique<HostRequest>());
  request.op = op;
  request.blocks = {HostBlock(first), count};
  request.force_unit_access = force_unit_access;
  request.all_zones = all_zones;
  request.life.begin(timeline_.now());
  request.tag = free_tags_.back();
  free_tags_.pop_back();
  if (scoreboard_) scoreboard_->issued(request);
  ++outstanding_;
  host_.issue(request);
  return request;
}

void FirmwareBench::completed(HostRequest& request) {
  TESSERA_CHECK(request.life.total() == timeline_.now() - request.life.arrival, "the parts of a request's life do not sum to it");
  power_.answered();
  if (scoreboard_) scoreboard_->completed(request);
  const std::uint64_t sector_blocks = config_.media.sector_size.value() / host_block_bytes;
  const bool whole = request.blocks.first.value() % sector_blocks == 0 && request.blocks.count % sector_blocks == 0;
  if (!ok(request.status) && request.op != HostOp::read && (whole || request.op == HostOp::trim)) ++failed_whole_requests_;
  failed_flushes_ += !ok(request.status) && request.op == HostOp::flush ? 1 : 0;
  request.number = completed_mark;
  free_tags_.push_back(request.tag);
  --outstanding_;
}

Status FirmwareBench::run_until_done(HostRequest& request) {
  while (!done(request)) timeline_.step();
  return request.status;
}

void FirmwareBench::run_until_all_done() {
  while (outstanding_ > 0) timeline_.step();
}

void FirmwareBench::run_until_idle(Picoseconds limit) {
  const Picoseconds end = timeline_.now() + limit;
  while (!controller_->idle() && !timeline_.empty() && timeline_.next() <= end) timeline_.step();
}

void FirmwareBench::run_for(Picoseconds time) {
  const Picoseconds end = timeline_.now() + time;
  timeline_.run_until(end);
  timeline_.advance_to(end);
}

void FirmwareBench::cut_at(Picoseconds when) {
  while (!timeline_.empty() && timeline_.next() < when) timeline_.step();
  timeline_.advance_to(when);
  cut_now();
}

bool FirmwareBench::run_actions(std::uint64_t actions) {
  for (std::uint64_t i = 0; i < actions; ++i) {
    if (timeline_.empty() || (outstanding_ == 0 && controller_->idle())) return false;
    timeline_.step();
  }
  return true;
}

bool FirmwareBench::cut_after_actions(std::uint64_t actions) {
  if (!run_actions(actions)) return false;
  cut_now();
  return true;
}

bool FirmwareBench::restart_after_actions(std::uint64_t actions) {
  if (!run_actions(actions)) return false;
  restart_now();
  return true;
}

void FirmwareBench::restart_now() {
  power_.restart();
  while (!booted_) timeline_.step();
}

void FirmwareBench::cut_while_stopping(std::uint64_t actions) {
  power_.restart();
  for (; actions > 0 && power_.phase() == PowerCycle::Phase::stopping; --actions) timeline_.step();
  cut_now();
}

void FirmwareBench::restart_firmware(std::function<void()> stopped) {
  host_.power_off();
  controller_->halt([this, stopped = std::move(stopped)] {
    runs_ = false;
    controller_->power_off();
    bus_.cut();
    dram_.cut();
    stopped();
  });
}

void FirmwareBench::cut_now() {
  power_.off();
  boot();
}

bool FirmwareBench::cut_twice(std::uint64_t actions) {
  power_.off();
  power_.boot();
  for (; actions > 0 && !booted_; --actions) timeline_.step();
  const bool in_recovery = !booted_;
  cut_now();
  return in_recovery;
}

void FirmwareBench::cut_twice(Picoseconds time) {
  power_.off();
  power_.boot();
  cut_at(timeline_.now() + time);
}

void FirmwareBench::fail_dumps(std::function<std::uint64_t(std::uint64_t)> saved) {
  saved_pieces_ = std::move(saved);
  if (scoreboard_) scoreboard_->expect_failed_dumps();
}

PowerLoss FirmwareBench::power_off() {
  powered_ = false;
  media_.cut(timeline_.now());
  timeline_.withdraw(static_cast<TimelineListener&>(*this));
  if (nand_) nand_->cut(timeline_.now());
  if (std::exchange(runs_, false)) {
    controller_->power_off();
    host_.power_off();
    bus_.cut();
    dram_.cut();
  }
  if (!std::exchange(unsaved_, false)) return {};
  const std::uint64_t pieces = controller_->memory().dumped_bytes().value() / MemoryController::dump_piece.value();
  const std::uint64_t saved = saved_pieces_ ? saved_pieces_(pieces) : pieces;
  return {saved < pieces, controller_->memory().dumped(saved)};
}

void FirmwareBench::link_lost(Why) {
  booted_ = false;
  if (scoreboard_)
    for (const auto& request : requests_)
      if (!done(*request)) scoreboard_->lost(*request);
  requests_.clear();
  outstanding_ = 0;
  free_tags_.clear();
  for (std::uint32_t tag = config_.host.tags; tag > 0; --tag) free_tags_.push_back(tag - 1);
  if (scoreboard_) scoreboard_->power_cut();
}

void FirmwareBench::power_lost(const PowerLoss& loss) {
  if (loss.lost_writes && scoreboard_) scoreboard_->dump_failed();
}

void FirmwareBench::verify_all() {
  for (const HostRun& run : scoreboard_->written(256)) verify(run);
  for (const HostRun& run : PrefilledSample::choose(config_.prefilled, {}, {})) verify(run);
}

void FirmwareBench::verify(const HostRun& run) {
  if (ok(read(run.first.value(), run.count))) return;
  const std::uint64_t sector_blocks = config_.media.sector_size.value() / host_block_bytes;
  for (std::uint64_t block = run.first.value(); block < run.end().value();) {  // which sectors it is
    const std::uint64_t end = std::min(run.end().value(), (block / sector_blocks + 1) * sector_blocks);
    const HostRun sector{HostBlock(block), static_cast<std::uint32_t>(end - block)};
    block = end;
    if (ok(read(sector.first.value(), sector.count))) continue;
    if (!scoreboard_->exempted(sector)) {
      unreadable_blocks_ += sector.count;
      continue;
    }
    HostRequest failed;
    failed.blocks = sector;
    scoreboard_->unreadable(failed);
  }
}

double FirmwareBench::metric(const std::string& name, const std::function<void(MetricSet&)>& layer_report) const {
  MetricSet metrics;
  controller_->report(metrics, timeline_.now(), timeline_.now());
  media_.report(metrics, timeline_.now());
  bus_.report(metrics, timeline_.now());
  dram_.report(metrics, timeline_.now());
  if (nand_) nand_->report(metrics, timeline_.now());
  if (layer_report) layer_report(metrics);
  const Metric* found = metrics.find(name);
  TESSERA_CHECK(found != nullptr && found->value.has_value(), "a test asked for a metric that is not there");
  return *found->value;
}

Picoseconds FirmwareBench::media_time() const {
  Picoseconds sum;
  for (const StepRecord& step : steps) sum += step.timing.end - step.begin;
  return sum;
}

std::vector<FirmwareBench::StepRecord> FirmwareBench::steps_in(std::string_view region_name) const {
  std::vector<StepRecord> found;
  for (const StepRecord& step : steps)
    for (const Region& region : config_.plan)
      if (region.name == region_name && step.run.track.radius >= region.first && step.run.track.radius < region.first + region.count)
        found.push_back(step);
  return found;
}

std::uint64_t FirmwareBench::sectors_in(std::string_view region_name, MediaOp op) const {
  std::uint64_t sum = 0;
  for (const StepRecord& step : steps_in(region_name)) sum += step.op == op ? step.run.count : 0;
  return sum;
}

void FirmwareBench::start(const MediaStep& step) {
  const MediaTiming timing = media_.start(step, timeline_.now());
  const std::uint32_t arm = media_.arm_of(step.run.track);
  const bool whole = step.data.buffer != nullptr || !step.system.empty();
  const Bytes moved = config_.media.sector_size * (whole ? step.run.count : 0) +
                      Bytes(header_bytes) * (step.headers.size() + (step.header != nullptr ? 1 : 0));
  step_in_hand_.resize(media_.arms());
  step_in_hand_[arm] = steps.size();
  steps.push_back({step.op, step.hint, step.run, timeline_.now(), timing, moved});
  timeline_.post(timing.end, *this, arm);
}

void FirmwareBench::give_up(std::uint32_t arm) {
  media_.give_up(timeline_.now(), arm);
  steps[step_in_hand_[arm]].timing = media_.timing(arm);
  timeline_.withdraw(*this);
  for (std::uint32_t any = 0; any < media_.arms(); ++any)
    if (media_.busy(any)) timeline_.post(media_.timing(any).end, *this, any);
}

void FirmwareBench::on_time(std::uint64_t argument) {
  const auto arm = static_cast<std::uint32_t>(argument);
  const MediaTiming timing = media_.timing(arm);
  const Status status = media_.finish(arm);
  controller_->disk_channel().step_done({{}, {}, timing.seek, timing.rotation, timing.transfer}, status, arm);
}

void FirmwareBench::start(FlashCommand& command) {
  const Bytes page = command.data.buffer == nullptr ? Bytes(0) : config_.nand->page_size;
  flash_commands.push_back({command.op, command.page, command.block, page + Bytes(command.oob.size()), command.from});
  nand_->submit(command, timeline_.now());
}

void FirmwareBench::done(FlashCommand& command, void*, Picoseconds busy, Picoseconds) {
  controller_->flash_channel()->command_done(command, busy);
}

Picoseconds FirmwareBench::access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) {
  last_table_access = address;
  const Picoseconds end = dram_.access(address, bytes, access, bus_.access(Bytes(bytes), at));
  report_failed();
  return end;
}

DmaGrant FirmwareBench::dma(const DmaTransfer& transfer, Picoseconds at) {
  if (transfer.engine == BusInitiator::host || transfer.engine == BusInitiator::copy)
    dmas.push_back({transfer.address, transfer.bytes, transfer.access});
  const DmaGrant bus = bus_.transfer(transfer, at);
  const DmaGrant dram = dram_.dma(transfer, at);
  report_failed();
  return {std::max(bus.end, dram.end), std::max(bus.behind, dram.behind)};
}

FlashLane FirmwareBench::lane_of(const FlashCommand& command) const {
  const auto [channel, carrying] = nand_->carrying(command);
  return {channel, carrying};
}

void FirmwareBench::move(DramAddress address, Bytes bytes, Access access, Picoseconds at) {
  dram_.move(address, bytes, access, at);
  report_failed();
}

void FirmwareBench::report_failed() {
  for (const DramAddress word : dram_.failed()) controller_->memory().uncorrectable(word, Bytes(1));
}

}  // namespace tessera::test
