#include "stimuli/arrays/row_sweep.hpp"

#include <algorithm>
#include <utility>

#include "base/wide.hpp"

namespace tessera {

RowSweep::RowSweep(Timeline& timeline, const SweepPace& pace, const ArrayLayout& layout, Hooks hooks)
    : timeline_(timeline),
      pace_(pace),
      rows_(layout.rows()),
      depth_(std::max(1U, static_cast<std::uint32_t>(pace.depth * layout.rows_abreast()))),
      chunk_(static_cast<std::uint64_t>(static_cast<double>(layout.chunk_blocks() * host_block_bytes) / layout.rows_abreast())),
      hooks_(std::move(hooks)) {}

RowSweep::~RowSweep() { timeline_.withdraw(*this); }

void RowSweep::start() {
  since_ = timeline_.now();
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
  if (over() && under_way_ == 0) hooks_.ended();
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
