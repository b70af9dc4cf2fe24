#include "firmware/logs/header_scan.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "firmware/defects/lost_sectors.hpp"

namespace tessera {

namespace {

bool empty(const SectorHeader& header) { return header == SectorHeader{}; }

/// Whether a read says of its sectors what they hold. What is stored as lost has its header.
bool readable(Status status) { return ok(status) || status == Status::lost; }

/// Sectors of a step, of which no read has said yet whether they have a header.
struct Open {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Without the sectors at both ends whose headers are known.
Open narrowed(Open part, std::span<const SectorHeader> headers) {
  while (part.count != 0 && !empty(headers[part.first])) part = {part.first + 1, part.count - 1};
  while (part.count != 0 && !empty(headers[part.first + part.count - 1])) --part.count;
  return part;
}

/// Hands on what a further read of a part brought, where no earlier one did.
void take(const MediaStep& read, const MediaStep& step, std::uint32_t first) {
  for (std::uint32_t i = 0; i < read.run.count; ++i) {
    SectorHeader& header = step.headers[first + i];
    if (!empty(header) || empty(read.headers[i])) continue;
    header = read.headers[i];
    if (step.system.empty()) continue;
    const std::size_t bytes = step.system.size() / step.run.count;
    std::ranges::copy(read.system.subspan(i * bytes, bytes), step.system.subspan((first + i) * bytes, bytes).begin());
  }
}

}  // namespace

Task<void> read_headers(MediaPort& media, const MediaStep& step, std::vector<bool>& unknown) {
  unknown.assign(step.run.count, false);
  MediaChain first_chain;
  first_chain.add(step);
  const Status first_status = co_await media.run(first_chain);
  if (readable(first_status)) co_return;
  std::vector<Open> open{{0, step.run.count}};
  std::vector<SectorHeader> headers;
  std::vector<std::byte> bytes;
  while (!open.empty()) {
    const Open part = narrowed(open.back(), step.headers);
    open.pop_back();
    if (part.count == 0) continue;
    headers.assign(part.count, {});
    bytes.resize(step.system.size() / step.run.count * part.count);
    MediaStep again = step;
    again.hint = StepHint::position;
    again.run = {step.run.track, (step.run.first + part.first) % media.sectors_on(step.run.track), part.count};  // runs may wrap
    again.headers = headers;
    again.system = bytes;
    MediaChain chain;
    chain.add(again);
    const Status status = co_await media.run(chain);
    take(again, step, part.first);
    if (readable(status)) continue;
    if (part.count == 1) {
      unknown[part.first] = empty(step.headers[part.first]);
      continue;
    }
    const std::uint32_t half = part.count / 2;
    open.push_back({part.first + half, part.count - half});
    open.push_back({part.first, half});
  }
}

Task<void> HeaderScan::read(std::span<const PhysicalRun> sectors) {
  headers_.assign(sectors.size(), {});
  unknown_.assign(sectors.size(), false);
  for (std::size_t done = 0; done < sectors.size();) {  // from behind the sector that ended the last chain
    MediaChain chain;
    for (std::size_t i = done; i < sectors.size(); ++i) chain.read(sectors[i], {}, StepHint::position, &headers_[i]);
    const Status status = co_await media_.run(chain);
    if (ok(status)) co_return;
    done += chain.steps_done;
    unknown_[done] = !readable(status) && empty(headers_[done]);
    ++done;
  }
}

Task<std::uint32_t> HeaderScan::read(const ConventionalLayout& layout, std::uint64_t first, std::uint64_t end) {
  MediaStep step;
  step.run = layout.piece({LogicalSector(first), static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first, longest))});
  headers_.assign(step.run.count, {});
  step.headers = headers_;
  co_await read_headers(media_, step, unknown_);
  co_return step.run.count;
}

Task<std::optional<LogRecord>> HeaderScan::look_again(PhysicalRun sector, std::uint32_t& budget) {
  const std::array sectors{sector};
  std::optional<LogRecord> found;
  for (std::uint32_t look = 0; look < most_looks && budget != 0; ++look) {
    --budget;
    co_await read(sectors);
    found = record(0);
    if (!unknown(0)) break;
  }
  co_return found;
}

Task<void> count_carriers(MediaPort& media, PhysicalRun run, const SectorHeader& header, Carriers& sum) {
  std::vector<SectorHeader> found(run.count);
  MediaStep step;
  step.run = run;
  step.headers = found;
  std::vector<bool> unknown;
  co_await read_headers(media, step, unknown);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    ++sum.sectors;
    if (found[i] == header)
      ++sum.with;
    else if (unknown[i] && sum.with + sum.unreadable + 1 == sum.sectors)
      ++sum.unreadable;
  }
}

}  // namespace tessera
