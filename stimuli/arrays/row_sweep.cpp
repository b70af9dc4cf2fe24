#include "stimuli/arrays/row_sweep.hpp"

#include <algorithm>
#include <utility>

#include "base/wide.hpp"

namespace tessera {

namespace {

/// Rows between two checkpoints are at most such a share of all, as md_do_sync has it.
constexpr std::uint64_t checkpoint_share = 16;

}  // namespace

RowSweep::RowSweep(Timeline& timeline, const SweepPace& pace, const ArrayLayout& layout, Hooks hooks, Picoseconds checkpoints)
    : timeline_(timeline),
      pace_(pace),
      rows_(layout.rows()),
      depth_(std::max(1U, static_cast<std::uint32_t>(pace.depth * layout.rows_abreast()))),
      chunk_(static_cast<std::uint64_t>(static_cast<double>(layout.chunk_blocks() * host_block_bytes) / layout.rows_abreast())),
      hooks_(std::move(hooks)),
      checkpoints_(checkpoints) {}

RowSweep::~RowSweep() { timeline_.withdraw(*this); }

void RowSweep::start() {
  since_ = last_checkpoint_ = timeline_.now();
  begun_since_ = 0;
  next_ = first_undone_;
  static_cast<void>(hooks_.busy());
  go_on();
}

void RowSweep::interrupt() {
  timeline_.withdraw(*this);
  waits_ = false;
  under_way_ = 0;
  next_ = rows_;
  flushing_.reset();
  if (!hooks_.checkpoint) return;
  first_undone_ = tried_ = durable_;
  done_beyond_.clear();
}

void RowSweep::on_time(std::uint64_t) {
  waits_ = false;
  go_on();
}

/// By the rate limit.
Picoseconds RowSweep::earliest() const {
  constexpr Wide second = 1'000'000'000'000;
  if (pace_.rate_limit.value() == 0) return since_;
  return since_ + Picoseconds(static_cast<std::uint64_t>(Wide{begun_since_} * chunk_.value() * second / pace_.rate_limit.value()));
}

/// As md does: above the pace that it keeps up under load, it lets what is under way end before it goes on.
bool RowSweep::has_to_yield() {
  if (pace_.priority == SweepPriority::equal || under_way_ == 0) return false;
  const double seconds = static_cast<double>((timeline_.now() - since_).value()) * 1e-12;
  if (static_cast<double>(begun_since_ * chunk_.value()) <= seconds * static_cast<double>(pace_.rate_under_load.value())) return false;
  return hooks_.busy();
}

void RowSweep::go_on() {
  if (going_) return;  // a row was done with from within begin()
  going_ = true;
  while (next_ < rows_) {
    if (const ArrayRow row(next_); done(row) || (hooks_.wanted && !hooks_.wanted(row))) {
      if (!done(row)) mark(row);
      ++next_;
      continue;
    }
    if (under_way_ >= depth_ || waits_ || has_to_yield()) break;
    if (const Picoseconds when = earliest(); when > timeline_.now()) {
      timeline_.post(when, *this);
      waits_ = true;
      break;
    }
    ++under_way_;
    ++begun_since_;
    hooks_.begin(ArrayRow(next_++));
  }
  going_ = false;
  end_if_over();
}

/// The end waits for a checkpoint of its own.
void RowSweep::end_if_over() {
  const bool ended = over() && under_way_ == 0;
  if (!hooks_.checkpoint) {
    if (ended) hooks_.ended();
    return;
  }
  if (flushing_ || !(ended || checkpoint_due())) return;
  flushing_ = tried_ = first_undone_;
  last_checkpoint_ = timeline_.now();
  hooks_.checkpoint();
}

bool RowSweep::checkpoint_due() const {
  if (first_undone_ == tried_) return false;
  return timeline_.now() - last_checkpoint_ >= checkpoints_ || (first_undone_ - tried_) * checkpoint_share >= rows_;
}

/// Where a drive could not flush and nobody can do without it, the rebuild is no more durable than the drive.
void RowSweep::flushed(bool well) {
  const std::uint64_t covered = *std::exchange(flushing_, std::nullopt);
  if (well) durable_ = covered;
  if (covered == rows_ && under_way_ == 0) return hooks_.ended();
  end_if_over();
}

void RowSweep::mark(ArrayRow row) {
  done_beyond_.insert(row.value());
  while (done_beyond_.erase(first_undone_) != 0) ++first_undone_;
}

void RowSweep::row_done() {
  --under_way_;
  go_on();
}

}  // namespace tessera
