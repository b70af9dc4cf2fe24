#include "platforms/run/probes.hpp"

#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "platforms/cli/option_values.hpp"
#include "platforms/run/waves.hpp"

namespace tessera {

namespace {

constexpr std::string_view request_trigger = "request:";

std::uint64_t parse_number(const std::string& trigger, std::string_view text, const char* expected) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) throw InputError("--record-trigger " + trigger + ": expected " + expected);
  return number;
}

}  // namespace

std::optional<RecordConfig> record_config(const std::optional<cli::RecordOptions>& options) {
  if (!options) return std::nullopt;
  return RecordConfig{options->vcd,     options->fst,     options->timeline, options->vcd_words, options->signals,
                      options->windows, options->trigger, options->before,   options->after};
}

Probes::Probes(const ProbesConfig& config, DriveModule& drive, std::function<std::uint64_t()> outstanding)
    : drive_(drive), outstanding_(std::move(outstanding)) {
  if (config.requests) requests_.emplace(config.folder / "requests.npy");
  if (config.events) events_.emplace(config.folder / "events.csv");
  if (config.intervals) open_intervals(config);
  if (config.places) places_.emplace(config.folder, drive);
  if (config.places && config.intervals && !drive.band_levels().empty())
    bands_.emplace(config.folder / "bands.csv", *config.intervals, [&drive] { return drive.band_levels(); });
  if (config.record) open_record(*config.record);
  if (events_ || intervals_ || waves_) drive.controller().executor().observe(this);
}

void Probes::open_intervals(const ProbesConfig& config) {
  std::vector<IntervalsLog::GaugeColumn> columns;
  for (const GaugeState& gauge : drive_.controller().executor().firmware_signals().gauges()) {
    gauge.signal.watch(*this, static_cast<std::uint32_t>(columns.size()));
    columns.push_back({gauge.info.name, gauge.level.level()});
  }
  intervals_.emplace(config.folder / "intervals.csv", *config.intervals, std::move(columns));
}

void Probes::open_record(const RecordConfig& config) {
  waves_ = std::make_unique<Waves>(config, drive_);
  trigger_ = config.trigger;
  if (trigger_.starts_with(request_trigger)) {
    trigger_request_ = parse_number(trigger_, std::string_view(trigger_).substr(request_trigger.size()),
                                    "request:N with N the number of a request, from 0");
    return;
  }
  const std::size_t at = trigger_.find_first_of("<>");
  if (at == std::string::npos) return;
  const std::string name = trigger_.substr(0, at);
  const std::string limit = trigger_.substr(at + 1);
  const ValueTrigger::Side side = trigger_[at] == '>' ? ValueTrigger::Side::above : ValueTrigger::Side::below;
  if (name != "latency")
    return waves_->trigger_on(name == "queue" ? "host_interface.tags_in_use" : name, side,
                              parse_number(trigger_, limit, "a whole number behind < or >"));
  if (side != ValueTrigger::Side::above) throw InputError("--record-trigger " + trigger_ + ": expected latency>TIME");
  trigger_latency_ = cli::parse_time("--record-trigger", limit);
}

Probes::~Probes() { drive_.signals().unwatch(*this); }

void Probes::on_complete(const HostRequest& request, Picoseconds now) {
  if (requests_) requests_->on_complete(request, now);
  if (intervals_) intervals_->on_complete(request, now);
  if (bands_) bands_->on_complete(request, now);
  queue_changed(now);
  if (waves_ == nullptr) return;
  if (trigger_request_ == request.number) waves_->trigger(request.life.issue);
  if (trigger_latency_ && now - request.life.arrival > *trigger_latency_) waves_->trigger(now);
}

void Probes::queue_changed(Picoseconds now) {
  if (intervals_) intervals_->queue(outstanding_(), now);
}

void Probes::power_event(const char* kind, Picoseconds at) {
  if (events_) events_->record(at, {kind, FirmwareEvent::Edge::instant, 0, 0});
  if (waves_ != nullptr && trigger_ == kind) waves_->trigger(at);
}

void Probes::rest(Picoseconds by) {
  if (requests_) requests_->rest(by);
  if (events_) events_->rest(by);
  if (intervals_) intervals_->rest(by);
  if (bands_) bands_->rest(by);
}

bool Probes::failed() const {
  return (requests_ && requests_->failed()) || (intervals_ && intervals_->failed()) || (events_ && events_->failed()) ||
         (bands_ && bands_->failed()) || (waves_ != nullptr && waves_->failed());
}

void Probes::firmware_event(const FirmwareEvent& event, Picoseconds at) {
  if (events_) events_->record(at, event);
  if (intervals_) {
    if (event.edge == FirmwareEvent::Edge::begin) intervals_->cleaning_begins(std::max(at, drive_.timeline().now()));
    if (event.edge == FirmwareEvent::Edge::end) intervals_->cleaning_ends(std::max(at, drive_.timeline().now()));
  }
  if (waves_ == nullptr) return;
  if (trigger_ == event.kind) waves_->trigger(at);
  waves_->event(event.edge, at);
  if (waves_->armed()) seen_events_.insert(event.kind);
}

void Probes::change(std::uint32_t id, std::uint64_t value, Picoseconds at) {
  intervals_->gauge(id, value, std::max(at, drive_.timeline().now()));
}

std::vector<std::string> Probes::finish() {
  std::vector<std::string> notes;
  const Picoseconds now = drive_.timeline().now();
  drive_.controller().executor().observe(nullptr);
  drive_.signals().unwatch(*this);
  if (waves_ != nullptr) {
    if (waves_->armed()) {
      std::string note = "the waveform trigger '" + trigger_ + "' never came";
      if (!seen_events_.empty()) note += "; events of this run: " + nearest_name(trigger_, {seen_events_.begin(), seen_events_.end()});
      notes.push_back(note);
    }
    for (std::string& note : waves_->finish(now)) notes.push_back(std::move(note));
  }
  if (requests_) requests_->close();
  if (events_) events_->close();
  if (intervals_) intervals_->close(now);
  if (places_) places_->close();
  if (bands_) bands_->close(now);
  return notes;
}

}  // namespace tessera
