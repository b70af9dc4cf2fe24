#include "machine/disk_unit.hpp"

#include <algorithm>
#include <utility>

#include "firmware/ports/turn.hpp"

namespace tessera {

namespace {

std::string run_text(const hal::MediaStepEntry& step) {
  return std::to_string(step.count) + " sectors from " + std::to_string(step.first) + " on of surface " + std::to_string(step.surface) +
         ", radius " + std::to_string(step.radius);
}

bool reads_lost(const MediaChain& chain) {
  return std::ranges::any_of(chain.steps(), [](const MediaStep& step) { return step.op == MediaOp::read && any_lost(step.data); });
}

}  // namespace

DiskUnit::DiskUnit(Machine& machine, Errands& errands, std::uint32_t sector_bytes, std::uint32_t surfaces, std::uint32_t radii,
                   std::vector<RemappedSector> remaps)
    : machine_(machine),
      errands_(errands),
      sector_bytes_(sector_bytes),
      surfaces_(surfaces),
      radii_(radii),
      remaps_(std::move(remaps)),
      completions_(machine, "disk", hal::interrupt_lines::disk, Entries::of_disk) {}

std::uint64_t DiskUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case disk_completions: return completions_.address();
    case disk_entries: return completions_.entries();
    case disk_supervise: return supervises_ ? 1 : 0;
    case disk_track: return track_;
    default: break;
  }
  const PhysicalTrack track{static_cast<std::uint32_t>(track_ >> 32), static_cast<std::uint32_t>(track_)};
  return track.surface < surfaces_ && track.radius < radii_ ? machine_.ports().media.sectors_on(track) : 0;
}

void DiskUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case disk_submit: return submit(value);
    case disk_completions: return completions_.set_address(value);
    case disk_entries: return completions_.set_entries(value);
    case disk_consumed: return completions_.set_consumed(value);
    case disk_abandon: return abandon(value);
    case disk_supervise: return arm(value != 0);
    case disk_resume: return resume(value);
    default: track_ = value;
  }
}

/// Whether the step names a spare behind its track's sectors to which the factory moved one.
bool DiskUnit::moved_there(const hal::MediaStepEntry& step) const {
  const PhysicalSector place{{step.surface, step.radius}, step.first};
  return step.count == 1 && std::ranges::find(remaps_, place, &RemappedSector::to) != remaps_.end();
}

/// A run lies on one track of the drive, and may go on at its sector 0.
void DiskUnit::check_place(const hal::MediaStepEntry& step) const {
  if (step.surface >= surfaces_ || step.radius >= radii_)
    throw FirmwareFault("a media step names " + run_text(step) + "; the drive has " + std::to_string(surfaces_) +
                        " surfaces and radii 0 to " + std::to_string(radii_ - 1));
  const std::uint32_t length = machine_.ports().media.sectors_on({step.surface, step.radius});
  if ((step.count == 0 || step.first >= length || step.count > length) && !moved_there(step))
    throw FirmwareFault("a media step names " + run_text(step) + ", a track of " + std::to_string(length) + " sectors");
}

MediaStep DiskUnit::step_of(const hal::MediaStepEntry& step) const {
  check_place(step);
  if (step.op > static_cast<std::uint32_t>(MediaOp::write) || step.hint > static_cast<std::uint32_t>(StepHint::backup_round_trip))
    throw FirmwareFault("a media step has operation " + std::to_string(step.op) + " and hint " + std::to_string(step.hint));
  MediaStep own{static_cast<MediaOp>(step.op),
                static_cast<StepHint>(step.hint),
                {{step.surface, step.radius}, step.first, step.count},
                machine_.data(step.data, step.count),
                {},
                nullptr};
  if (step.system != 0) own.system = machine_.bytes(step.system, std::uint64_t{step.count} * sector_bytes_, "the bytes of a media step");
  if (step.headers == 0) return own;
  const std::uint32_t count = step.each_header != 0 ? step.count : 1;
  if (step.header_count != count)
    throw FirmwareFault("a media step of " + std::to_string(step.count) + " sectors has " + std::to_string(step.header_count) + " headers");
  auto* const headers = reinterpret_cast<SectorHeader*>(machine_.bytes(step.headers, count * header_bytes, "headers").data());
  if (step.each_header != 0)
    own.headers = {headers, count};
  else
    own.header = headers;
  return own;
}

void DiskUnit::submit(std::uint64_t address) {
  completions_.require_started();
  auto submission = std::make_unique<Submission>();
  submission->address = address;
  submission->entry = machine_.load<hal::MediaChainEntry>(address, "a media chain");
  const hal::MediaChainEntry& entry = submission->entry;
  if (entry.priority > static_cast<std::uint32_t>(MediaClass::recovery))
    throw FirmwareFault("a media chain has priority " + std::to_string(entry.priority));
  if (entry.steps == 0 || entry.steps > MediaChain::max_steps)
    throw FirmwareFault("a media chain has " + std::to_string(entry.steps) + " steps; 1 to " + std::to_string(MediaChain::max_steps) +
                        " may be");
  MediaChain& chain = submission->chain;
  chain.priority = static_cast<MediaClass>(entry.priority);
  chain.lost = entry.carry_lost != 0 ? LostSectors::carry : LostSectors::fail;
  for (std::uint32_t i = 0; i < entry.steps; ++i)
    chain.add(step_of(machine_.load<hal::MediaStepEntry>(address + sizeof entry + i * sizeof(hal::MediaStepEntry), "a media step")));
  const std::uint32_t tag = submission->entry.tag;
  errands_.give(tag, *this, submissions_.put(std::move(submission)));
}

Task<void> DiskUnit::carry_out(std::uint64_t number) {
  Submission& submission = *submissions_[number];
  machine_.entries_lie(Entries::to_disk, submission.address,
                       sizeof(hal::MediaChainEntry) + submission.entry.steps * sizeof(hal::MediaStepEntry));
  static_cast<void>(co_await machine_.ports().media.run(submission.chain));
  post(submission, false);
  static_cast<void>(submissions_.take(number));
}

void DiskUnit::post(const Submission& submission, bool held) {
  const MediaChain& chain = submission.chain;
  completions_.post({.cookie = submission.entry.cookie,
                     .status = static_cast<std::uint32_t>(chain.status),
                     .steps_done = chain.steps_done,
                     .any_lost = reads_lost(chain) ? 1U : 0U,
                     .held = held ? 1U : 0U});
}

void DiskUnit::abandon(std::uint64_t address) {
  const DataSpan span = machine_.data(address, 1);
  if (span.buffer == nullptr) throw FirmwareFault("disk.abandon names no buffer");
  machine_.ports().media.abandon(*span.buffer);
}

// Chains that are the firmware's.

void DiskUnit::arm(bool supervises) {
  supervises_ = armed_ = supervises;
  machine_.ports().media.supervise(supervises ? this : nullptr);
}

const DiskUnit::Submission& DiskUnit::submission_of(const MediaChain& chain) const {
  const Submission* found = nullptr;
  submissions_.each([&](const auto& held) {
    if (held != nullptr && &held->chain == &chain) found = held.get();
  });
  return *found;
}

bool DiskUnit::concerns(const MediaChain& chain) const { return submission_of(chain).entry.supervised != 0; }

Task<Status> DiskUnit::carry_out(MediaChain& chain) {
  held_ = &chain;
  post(submission_of(chain), true);
  if (machine_.starter() != nullptr) {
    auto work = machine_.starter()->take_started();
    co_await work;
    co_return held_status_;
  }
  holder_waits_ = true;
  Turn turn{machine_.ports().cpu, holder_, LifePhase::error_recovery};
  co_await turn;
  co_return held_status_;
}

void DiskUnit::resume(std::uint64_t value) {
  MediaChain* const chain = std::exchange(held_, nullptr);
  if (chain == nullptr) throw FirmwareFault("disk.resume, and no chain is held");
  const auto status = static_cast<std::uint32_t>(value);
  const std::uint64_t steps = value >> 32;
  if (status >= statuses || steps > chain->steps().size())
    throw FirmwareFault("disk.resume with status " + std::to_string(status) + " behind " + std::to_string(steps) + " steps");
  held_status_ = static_cast<Status>(status);
  chain->steps_done = static_cast<std::uint8_t>(steps);
  if (std::exchange(holder_waits_, false)) machine_.ports().cpu.make_ready(holder_);
}

}  // namespace tessera
