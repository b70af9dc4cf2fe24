#pragma once
// A drive with a known service time and a player's input from a list.
#include <deque>
#include <string>
#include <vector>

#include "stimuli/player/player.hpp"

namespace tessera::test {

/// Records from a list; times in ms, 4 KiB each unless said otherwise.
class ListSource final : public TraceSource {
 public:
  explicit ListSource(std::vector<TraceRecord> records) : records_(std::move(records)) {}
  static ListSource at_ms(const std::vector<std::uint64_t>& times, HostOp op = HostOp::read) {
    std::vector<TraceRecord> records;
    for (std::size_t i = 0; i < times.size(); ++i)
      records.push_back({Picoseconds(times[i] * 1'000'000'000), op, false, 0, Bytes(i * 4096), Bytes(4096)});
    return ListSource(std::move(records));
  }
  /// The same with a think time each, in ms.
  static ListSource thinking_ms(const std::vector<std::uint64_t>& times, const std::vector<std::uint64_t>& thinks) {
    ListSource source = at_ms(times);
    for (std::size_t i = 0; i < thinks.size(); ++i) source.records_[i].think = Picoseconds(thinks[i] * 1'000'000'000);
    return source;
  }
  [[nodiscard]] bool tells_think_times() const override { return !records_.empty() && records_.front().think.has_value(); }
  bool next(TraceRecord& record) override {
    if (read_ == records_.size()) return false;
    record = records_[read_++];
    return true;
  }
  [[nodiscard]] std::string position() const override { return "list:" + std::to_string(read_); }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] std::size_t read() const { return read_; }

 private:
  std::vector<TraceRecord> records_;
  std::size_t read_ = 0;
};

/// Serves one request at a time, in order of issue, each for `service`; or, with service 0, from within issue().
class StubDrive final : public HostLink, public TimelineListener {
 public:
  StubDrive(Timeline& timeline, Picoseconds service) : timeline_(timeline), service_(service) {}
  void attach(Player& player) { player_ = &player; }

  void issue(HostRequest& request) override {
    issued.push_back(request.number);
    tags.push_back(request.tag);
    if (service_ == Picoseconds(0)) {
      player_->completed(request);
      return;
    }
    queue_.push_back(&request);
    depth = std::max(depth, queue_.size());
    if (queue_.size() == 1) timeline_.post(timeline_.now() + service_, *this);
  }
  /// Ends, as aborted, when it would have ended.
  void abort(HostRequest& request) override {
    aborts.push_back(request.number);
    request.aborted = true;
  }
  void on_time(std::uint64_t) override {
    HostRequest& request = *queue_.front();
    queue_.pop_front();
    request.life.account(LifePhase::transfer, timeline_.now());
    request.status = request.aborted ? Status::aborted : status;
    if (!queue_.empty()) timeline_.post(timeline_.now() + service_, *this);
    player_->completed(request);
  }
  [[nodiscard]] HostRequest& in_hand() { return *queue_.front(); }
  void cut() {
    queue_.clear();
    timeline_.withdraw(*this);
  }

  std::vector<std::uint64_t> issued;
  std::vector<std::uint32_t> tags;
  std::vector<std::uint64_t> aborts;
  std::size_t depth = 0;
  Status status = Status::ok;

 private:
  Timeline& timeline_;
  Picoseconds service_;
  Player* player_ = nullptr;
  std::deque<HostRequest*> queue_;
};

/// What became of each request, by number.
struct Recorder final : RequestObserver, PlayerEndListener {
  void on_complete(const HostRequest& request, Picoseconds now) override {
    const RequestLife& life = request.life;
    sums_hold = sums_hold && life.arrival + life.total() == now;
    if (ends.size() <= request.number) ends.resize(request.number + 1), lives.resize(request.number + 1);
    ends[request.number] = now;
    lives[request.number] = life;
  }
  void on_end(Picoseconds now) override { ended_at.push_back(now); }

  [[nodiscard]] Picoseconds latency(std::size_t number) const { return ends.at(number) - lives.at(number).arrival; }
  [[nodiscard]] Picoseconds part(std::size_t number, LifePhase phase) const {
    return lives.at(number).parts[static_cast<std::size_t>(phase)];
  }

  std::vector<Picoseconds> ends;
  std::vector<RequestLife> lives;
  std::vector<Picoseconds> ended_at;
  bool sums_hold = true;
};

/// A player over a stub drive, wired up.
struct Bench {
  Bench(TraceSource& source, const PlayerConfig& config, Picoseconds service)
      : drive(timeline, service), player(config, timeline, source, drive) {
    drive.attach(player);
    player.add_observer(recorder);
    player.set_end_listener(recorder);
  }
  void run() {
    player.start();
    timeline.run();
  }
  Timeline timeline;
  StubDrive drive;
  Player player;
  Recorder recorder;
};

}  // namespace tessera::test
