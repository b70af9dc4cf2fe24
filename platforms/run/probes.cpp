#include "platforms/run/probes.hpp"

#include <charconv>

#include "base/error.hpp"
#include "platforms/run/waves.hpp"

namespace tessera {

namespace {

constexpr std::string_view request_trigger = "request:";

std::optional<std::uint64_t> parse_request_trigger(const std::string& trigger) {
  if (!trigger.starts_with(request_trigger)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = trigger.data() + trigger.size();
  const auto [stop, error] = std::from_chars(trigger.data() + request_trigger.size(), end, number);
  if (error != std::errc() || stop != end)
    throw InputError("--vcd-trigger " + trigger + ": expected request:N with N the number of a request, from 0");
  return number;
}

}  // namespace

Probes::Probes(const ProbesConfig& config, DriveModule& drive, Simulation& simulation)
    : drive_(drive), simulation_(simulation), progress_(config.expected_requests) {
  if (config.requests) requests_.emplace(config.folder / "requests.npy");
  if (config.events) events_.emplace(config.folder / "events.csv");
  if (config.intervals) intervals_.emplace(config.folder / "intervals.csv", *config.intervals);
  if (config.waveform) {
    trigger_ = config.waveform->trigger;
    trigger_request_ = parse_request_trigger(trigger_);
    waves_ = std::make_unique<Waves>(*config.waveform, drive);
  }
  if (requests_) simulation.add_observer(*requests_);
  if (intervals_) simulation.add_observer(*intervals_);
  simulation.add_observer(*this);
  if (events_ || intervals_ || waves_) drive.controller().executor().observe(this);
  simulation.set_cut_listener([this](const char* kind, Picoseconds at) {
    if (events_) events_->record(at, {kind, FirmwareEvent::Edge::instant, 0, 0});
    if (waves_ != nullptr && trigger_ == kind) waves_->trigger(at);
  });
}

Probes::~Probes() = default;

void Probes::on_complete(const HostRequest& request, Picoseconds now) {
  if (intervals_) intervals_->queue(simulation_.player().outstanding(), now);
  if (waves_ != nullptr) {
    waves_->queue_depth(simulation_.player().outstanding(), now);
    if (trigger_request_ == request.number) waves_->trigger(request.life.issue);
  }
  progress_.update(now, simulation_.player().completions());
  // A result that can no longer be written is not worth simulating on.
  if ((requests_ && requests_->failed()) || (intervals_ && intervals_->failed()) || (events_ && events_->failed())) simulation_.stop();
}

void Probes::firmware_event(const FirmwareEvent& event, Picoseconds at) {
  if (events_) events_->record(at, event);
  if (intervals_) {
    if (event.edge == FirmwareEvent::Edge::begin) intervals_->cleaning_begins(std::max(at, drive_.timeline().now()));
    if (event.edge == FirmwareEvent::Edge::end) intervals_->cleaning_ends(std::max(at, drive_.timeline().now()));
  }
  if (waves_ == nullptr) return;
  waves_->firmware_event(event, at);
  if (trigger_ == event.kind) waves_->trigger(at);
  if (waves_->armed()) seen_events_.insert(event.kind);
}

void Probes::cpu_ran(Picoseconds from, Picoseconds to, bool background) {
  if (waves_ == nullptr) return;
  waves_->cpu_ran(from, to, background);
  waves_->queue_depth(simulation_.player().outstanding(), from);
}

std::vector<std::string> Probes::finish() {
  std::vector<std::string> notes;
  const Picoseconds now = drive_.timeline().now();
  drive_.controller().executor().observe(nullptr);
  progress_.clear();
  if (waves_ != nullptr) {
    if (waves_->armed()) {
      std::string note = "the waveform trigger '" + trigger_ + "' never came";
      if (!seen_events_.empty()) note += "; events of this run: " + nearest_name(trigger_, {seen_events_.begin(), seen_events_.end()});
      notes.push_back(note);
    }
    waves_->finish(now);
  }
  if (requests_) requests_->close();
  if (events_) events_->close();
  if (intervals_) intervals_->close(now);
  return notes;
}

}  // namespace tessera
