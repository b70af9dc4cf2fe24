#include "platforms/serve/served_run_module.hpp"

#include <boost/json.hpp>
#include <ctime>
#include <iostream>
#include <utility>

#include "platforms/output/summary.hpp"
#include "platforms/output/terminal_summary.hpp"
#include "stimuli/player/named_percentiles.hpp"

namespace tessera {

namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

ServedRun::ServedRun(const cli::ServeOptions& options, DriveModule& drive, const std::string& description, std::vector<InputFile> inputs)
    : options_(options),
      drive_(drive),
      folder_(options.out),
      inputs_(std::move(inputs)),
      measurement_(drive),
      log_(folder_.file("firmware.log")),
      probes_(probes_config(options), drive, [this] { return outstanding_; }) {
  folder_.write("drive.toml", description, Keep::record);
  drive.on_uart_line([this](const std::string& line, Picoseconds at) { log_.record(line, at); });
}

void ServedRun::begin() {
  folder_.begin();
  begin_ = drive_.timeline().now();
  cpu_before_ = cpu_seconds();
  measurement_.begin();
  if (luns_ != nullptr) luns_->reset_statistics();
}

void ServedRun::issued() {
  const Picoseconds now = drive_.timeline().now();
  ++issued_;
  ++outstanding_;
  statistics_.arrived(now);
  probes_.queue_changed(now);
}

void ServedRun::completed(const HostRequest& request) {
  const Picoseconds now = drive_.timeline().now();
  --outstanding_;
  statistics_.completed(request, now, 0);
  probes_.on_complete(request, now);
}

void ServedRun::lost(PowerOwner::Why why, std::size_t requests) {
  const bool cut = why == PowerOwner::Why::cut;
  const Picoseconds now = drive_.timeline().now();
  ++(cut ? power_cuts_ : restarts_);
  for (std::size_t i = 0; i < requests; ++i) statistics_.lost(now);
  outstanding_ -= requests;
  probes_.power_event(cut ? "power_cut" : "firmware_restart", now);
  probes_.queue_changed(now);
}

void ServedRun::end() { metrics_ = measure(); }

MetricSet ServedRun::measure() {
  MetricSet host;
  host.add("host.requests", static_cast<double>(issued_), "1", "requests that arrived, after the warm-up");
  statistics_.report(host, drive_.config().host.tags);
  report_percentiles(statistics_, options_.percentiles, host);
  if (luns_ != nullptr) luns_->report(host);
  MetricSet metrics = measurement_.end(std::move(host));
  metrics.add("run.simulated_seconds", static_cast<double>((drive_.timeline().now() - begin_).value()) * 1e-12, "s",
              "simulated time from the start of the replay to the end of the drain");
  const double cpu = cpu_seconds() - cpu_before_;
  metrics.add("run.cpu_seconds", cpu, "s", "CPU time of the simulation (of this machine)");
  metrics.add("run.requests_per_cpu_second", cpu > 0 ? std::optional(static_cast<double>(issued_) / cpu) : std::nullopt, "1/s",
              "host requests simulated per CPU-second (of this machine)");
  return metrics;
}

void ServedRun::snapshot() {
  write_summary(measure(), true, {"the drive is being served: these are the results so far"});
  std::cout << "results so far: " << folder_.file("summary.json").string() << std::endl;
}

void ServedRun::finish(const std::vector<std::string>& warnings, const std::string& fault) {
  std::vector<std::string> notes = probes_.finish();
  notes.insert(notes.end(), warnings.begin(), warnings.end());
  if (!fault.empty()) notes.push_back(fault + "; from then on the layer's own policy decided, and no more was served");
  log_.close();
  write_summary(*metrics_, !fault.empty(), notes);
  std::cout << options_.drive << ", layer " << drive_.config().layer_in_full() << ", served:\n"
            << terminal_summary(*metrics_, {.partial = !fault.empty(),
                                            .cleans = measurement_.layer_cleans(),
                                            .power_cuts = power_cuts_,
                                            .dram = drive_.config().dram.capacity,
                                            .percentiles = options_.percentiles});
  for (const std::string& note : notes) std::cout << "  note: " << note << "\n";
  std::cout << "  results: " << options_.out.string() << "\n";
}

void ServedRun::write_summary(const MetricSet& metrics, bool partial, const std::vector<std::string>& notes) const {
  boost::json::object run;
  run["tool"] = "tessera-sim " TESSERA_VERSION;
  run["drive"] = options_.drive;
  run["layer"] = drive_.config().layer_in_full();
  if (!options_.firmware.file.empty()) run["firmware"] = options_.firmware.file.filename().string();
  if (!options_.firmware.image.empty()) run["image"] = options_.firmware.image.filename().string();
  run["input"] = "clients at " + options_.nbd;
  run["seed"] = options_.seed;
  if (!options_.load_state.empty()) run["loaded_state"] = options_.load_state.string();
  run["partial"] = partial;
  run["unstable"] = false;  // clients wait for answers: nothing piles up
  const std::optional<bool> steady = statistics_.steady();
  run["steady"] = steady ? boost::json::value(*steady) : boost::json::value(nullptr);
  run["cleans"] = measurement_.layer_cleans();
  run["power_cuts"] = power_cuts_;
  run["restarts"] = restarts_;
  boost::json::array list;
  for (const std::string& note : notes) list.emplace_back(note);
  run["notes"] = std::move(list);
  folder_.write("summary.json", summary_text(run, to_json(inputs_), metrics), Keep::result);
}

}  // namespace tessera
