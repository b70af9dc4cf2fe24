#include "firmware/layers/zoned/zone_writer.hpp"

#include <algorithm>

#include "firmware/layers/zoned/zone_marks.hpp"

namespace tessera::zoned {

bool ZoneWriter::busy(std::uint32_t zone) const { return std::ranges::find(busy_, zone) != busy_.end(); }

ZoneWriter::Pending* ZoneWriter::at(std::uint32_t zone, std::uint32_t first) {
  ports_.cpu.scan(pending_.size());
  const auto found = std::ranges::find_if(
      pending_, [&](const Pending* pending) { return pending->zone == zone && pending->next() == first && !pending->ended; });
  return found == pending_.end() ? nullptr : *found;
}

void ZoneWriter::wake(Pending& pending) {
  if (!pending.waits) return;
  pending.waits = false;
  ports_.cpu.make_ready(pending.wait);
}

void ZoneWriter::end(Pending& pending, Status status) {
  pending.status = status;
  pending.ended = true;
  wake(pending);
}

void ZoneWriter::wake_next(std::uint32_t zone) {
  if (Pending* const next = at(zone, states_.state(zone).written)) wake(*next);
}

void ZoneWriter::drop(std::uint32_t zone, std::uint32_t from) {
  for (Pending* const pending : pending_)
    if (pending->zone == zone && pending->first >= from && !pending->ended) end(*pending, Status::unaligned_write);
}

/// Whoever has the sectors at the pointer writes for all that continue them. One that comes after a write in front of it failed has no
/// place any more.
Task<Status> ZoneWriter::write(std::uint32_t zone, std::uint32_t first, DataSpan data) {
  const ZoneState& state = states_.state(zone);
  if (static_cast<Condition>(state.condition) == Condition::read_only) co_return Status::zone_read_only;
  if (data.count > state.accepted - std::min(first, state.accepted)) co_return Status::unaligned_write;
  Pending own{zone, first, data};
  pending_.push_back(&own);
  while (!own.ended) {
    if (!busy(zone) && own.next() == states_.state(zone).written) {
      busy_.push_back(zone);
      const Status status = co_await write_chain(zone);
      std::erase(busy_, zone);
      if (!ok(status)) {
        for (Pending* const pending : pending_)
          if (pending->zone == zone && !pending->ended) end(*pending, status);
        break;
      }
      if (!own.ended) continue;
      wake_next(zone);
      break;
    }
    own.waits = true;
    Turn turn{ports_.cpu, own.wait, LifePhase::lock};
    co_await turn;
  }
  std::erase(pending_, &own);
  co_return own.status;
}

/// The log knows of an active zone before anything is written to it, and of a full one afterwards.
Task<Status> ZoneWriter::write_chain(std::uint32_t zone) {
  const ZoneState before = states_.state(zone);
  if (before.logged == 0) {
    const Status kept = co_await keep(zone, KeptAs::active);
    if (!ok(kept)) co_return kept;
    states_.set_logged(zone);
  }
  MediaChain chain(MediaClass::host);
  Marks marks;
  std::uint32_t next = before.written;
  for (Pending* pending = at(zone, next); pending != nullptr && chain.steps().size() < MediaChain::max_steps;) {
    const std::uint32_t from = next - pending->first;
    next += add_step(chain, marks, zone, next, pending->data.part(from, pending->data.count - from));
    if (next == pending->first + pending->data.count) pending = at(zone, next);
  }
  const Status status = co_await ports_.media.run(chain);
  co_return co_await end_chain(zone, marks.written(chain, before.written), status);
}

std::uint32_t ZoneWriter::add_step(MediaChain& chain, Marks& marks, std::uint32_t zone, std::uint32_t first, DataSpan data) {
  const PhysicalRun run = layout_.locate(zone, first, data.count);
  const std::size_t step = chain.steps().size();
  ports_.cpu.array();
  ports_.cpu.charge(CpuOperation::record_word, record_words(header_bytes));
  marks.ends[step] = first + run.count;
  marks.headers[step] = encode(ZoneMark{zone, states_.peek(zone).resets, first + run.count});
  const bool whole = run.count == ports_.media.sectors_on(run.track);
  chain.write(run, data.part(0, run.count), whole ? StepHint::whole_track : StepHint::position, &marks.headers[step]);
  return run.count;
}

Task<Status> ZoneWriter::end_chain(std::uint32_t zone, std::uint32_t written, Status status) {
  ++chains_;
  if (written != states_.peek(zone).written) advance(zone, written);
  if (ok(status) && states_.state(zone).written != states_.zone_sectors()) co_return Status::ok;
  if (!ok(status)) states_.fail(zone);
  // Without this record boot finds the pointer all the same.
  static_cast<void>(co_await keep(zone, ok(status) ? KeptAs::full : KeptAs::read_only));
  co_return status;
}

/// The writes whose sectors are all there have come to their end.
void ZoneWriter::advance(std::uint32_t zone, std::uint32_t written) {
  sectors_ += written - states_.state(zone).written;
  states_.advance(zone, written);
  for (Pending* const pending : pending_) {
    if (pending->zone != zone || pending->ended || pending->first >= written) continue;
    pending->done = std::min(written - pending->first, pending->data.count);
    if (pending->done == pending->data.count) end(*pending, Status::ok);
  }
}

Task<Status> ZoneWriter::keep(std::uint32_t zone, KeptAs as) {
  const ZoneState& state = states_.state(zone);
  const KeptZone kept{static_cast<std::uint32_t>(as), state.resets, state.written, state.doubt_first, state.doubt_count};
  co_return co_await ledger_.append(zone, kept);
}

}  // namespace tessera::zoned
