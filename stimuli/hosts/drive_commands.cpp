#include "stimuli/hosts/drive_commands.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera {

namespace {

bool changes_something(HostOp op) { return op != HostOp::read && op != HostOp::zone_report; }

}  // namespace

DriveCommands::DriveCommands(Timeline& timeline, HostLink& link, const DriveZones& drive, std::uint32_t background_tags)
    : timeline_(timeline),
      drive_(link),
      background_tags_(std::min(background_tags, drive.tags)),
      volatile_cache_(drive.volatile_cache),
      faults_(drive.faults),
      kept_(kept_per_block(drive.content)) {
  for (std::uint32_t tag = 0; tag < drive.tags; ++tag) slots_.push_back(std::make_unique<Slot>());
  for (std::uint32_t tag = drive.tags; tag-- > 0;) free_.push_back(tag);
}

void DriveCommands::send(HostOp op, HostRun blocks, CommandPriority priority, Done done, std::vector<std::byte> content) {
  if (refused_ && changes_something(op)) return;
  if (moves_data(op)) content.resize(blocks.count * kept_, std::byte{0});
  queues_[static_cast<std::size_t>(priority)].push_back({op, blocks, std::move(content), std::move(done), timeline_.now()});
  pump();
}

void DriveCommands::read_surely(HostRun blocks, CommandPriority priority, Done done, std::uint32_t tries) {
  send(HostOp::read, blocks, priority, [this, blocks, priority, done = std::move(done), tries](HostRequest& answer) {
    if (ok(answer.status) || tries == 1) return done(answer);
    read_surely(blocks, priority, done, tries - 1);
  });
}

void DriveCommands::settle(CommandPriority priority, std::function<void()> then) {
  if (!volatile_cache_) return then();
  send(HostOp::flush, {}, priority, [then = std::move(then)](HostRequest&) { then(); });
}

/// One tag is left to background commands, so that a busy application cannot keep the room from being made that it will need.
void DriveCommands::pump() {
  auto& [foreground, background] = queues_;
  while (!free_.empty()) {
    const bool foreground_may = !foreground.empty();
    const bool background_may = background_ < background_tags_ && !background.empty();
    if (background_may && (background_ == 0 || !foreground_may))
      issue(CommandPriority::background);
    else if (foreground_may)
      issue(CommandPriority::foreground);
    else
      return;
  }
}

void DriveCommands::issue(CommandPriority priority) {
  std::deque<Waiting>& queue = queues_[static_cast<std::size_t>(priority)];
  Waiting next = std::move(queue.front());
  queue.pop_front();
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  Slot& slot = *slots_[tag];
  slot.done = std::move(next.done);
  slot.priority = priority;
  background_ += slot.priority == CommandPriority::background ? 1 : 0;
  HostRequest& request = slot.request;
  request.op = next.op;
  request.force_unit_access = request.all_zones = false;
  request.blocks = next.blocks;
  request.number = sent_++;
  request.tag = tag;
  request.content = std::move(next.content);
  request.zones.clear();
  request.status = Status::ok;
  request.aborted = false;
  request.attempts = 0;
  request.life.begin(next.since);
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::tags);
  request.life.issue = timeline_.now();
  drive_.issue(request);
}

void DriveCommands::completed(HostRequest& request) {
  Slot& slot = *slots_[request.tag];
  TESSERA_CHECK(&slot.request == &request && slot.done != nullptr, "the drive completed a command that the host did not send");
  background_ -= slot.priority == CommandPriority::background ? 1 : 0;
  const Done done = std::exchange(slot.done, nullptr);
  if (taken(request)) done(request);
  free_.push_back(request.tag);
  pump();
}

/// Whether what waits for the command goes on.
bool DriveCommands::taken(const HostRequest& request) {
  if (!changes_something(request.op)) return true;
  if (refused_) return false;
  if (ok(request.status)) return true;
  TESSERA_CHECK(faults_, ("the drive refused a command of the host, " + std::string(to_string(request.op)) + " at block " +
                          std::to_string(request.blocks.first.value()) + ": " + to_string(request.status))
                             .c_str());
  refused_ = true;
  for (auto& queue : queues_) std::erase_if(queue, [](const Waiting& waiting) { return changes_something(waiting.op); });
  listener_();
  return false;
}

void DriveCommands::power_lost() {
  for (auto& queue : queues_) queue.clear();
  free_.clear();
  for (std::uint32_t tag = static_cast<std::uint32_t>(slots_.size()); tag-- > 0;) {
    slots_[tag]->done = nullptr;
    free_.push_back(tag);
  }
  background_ = 0;
  refused_ = false;
}

}  // namespace tessera
