// The host with a log-structured merge tree: a full table becomes a file of level 0, and a compaction merges files into the next level. One
// of each is under way at once. Files are installed one by one, and files of the level that a compaction merges into go as it passes them:
// what comes before keeps the newest data until the end. So a compaction of any size takes room for little more than what it merges in.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stimuli/hosts/lsm_host.hpp"

namespace tessera {

namespace {

constexpr std::size_t batches_at_once = 2;  // one is read while another is written
constexpr std::uint32_t job_writes_at_once = 2;

void add_extent(std::vector<LsmExtent>& extents, LsmExtent extent, std::uint32_t zone_sectors) {
  if (!extents.empty() && extents.back().place + extents.back().sectors == extent.place && extent.place % zone_sectors != 0)
    extents.back().sectors += extent.sectors;
  else
    extents.push_back(extent);
}

LsmChange removal(const LsmFilePtr& file) {
  return {.kind = LsmChange::Kind::remove, .level = 0, .id = file->id, .key = 0, .file = nullptr, .from = {}, .to = {}, .lost = {}};
}

}  // namespace

LsmLife LsmHost::life_of(std::uint32_t level) const {
  if (!config_.lifetimes) return LsmLife::medium;
  const std::uint32_t base = tree_.base_level();
  if (level <= base) return LsmLife::medium;
  return level == base + 1 ? LsmLife::lengthy : LsmLife::extreme;
}

bool LsmHost::short_of_space() const { return tree_.sectors() + layout_.memtable_sectors > layout_.full_sectors; }

void LsmHost::begin_flush() {
  if (flush_job_.active || immutable_.empty() || short_of_space()) return;
  const Table& table = immutable_.front();
  Job& job = flush_job_;
  job = {};
  job.active = job.flushes = true;
  job.generation = table.generation;
  job.begin = timeline_.now();
  std::vector<std::uint64_t> keys, deleted, lost;
  const auto file = make_lsm_file();
  for (const auto& [key, value] : table.values) {
    (value.deleted ? deleted : keys).push_back(key);
    if (value.lost) lost.push_back(key);
  }
  std::ranges::sort(lost);
  std::ranges::sort(keys);
  std::ranges::sort(deleted);
  cpu_.sectors += table.values.size();
  std::size_t sectors = 0;
  for (const std::uint64_t key : keys) {
    const std::vector<std::byte>& content = table.values.at(key).content;
    job.table_content.insert(job.table_content.end(), content.begin(), content.end());
    job.table_content.resize(++sectors * view_.bytes());  // what is lost has none
  }
  file->keys = LsmKeys(std::move(keys));
  file->deleted = std::move(deleted);
  file->lost = std::move(lost);
  file->largest = ~std::uint64_t{0};
  job.table = file;
  job.merge = std::make_unique<LsmMerge>(std::vector<LsmMerge::Run>{{job.table}});
}

/// Level 0 with too many files or a level that is too large; without room for files of level 0, any.
void LsmHost::begin_compaction() {
  const bool needed = !immutable_.empty() && short_of_space();
  if (compaction_.active || (!tree_changed_ && !needed) || (ended_ && application_.outstanding() == 0)) return;
  tree_changed_ = false;
  std::optional<LsmChoice> choice = tree_.choose(needed);
  cpu_.sectors += tree_.files();
  if (!choice) return;
  Job& job = compaction_;
  job = {};
  job.active = true;
  job.begin = timeline_.now();
  job.choice = std::move(*choice);
  if (job.choice.into + 1 < lsm_levels)
    job.grandparents = tree_.overlapping(job.choice.into + 1, job.choice.files.front()->smallest, ~std::uint64_t{0});
  if (job.choice.level != 0 && job.choice.overlap.empty()) {  // a trivial move
    ++counts_.file_moves;
    job.merged = job.ending = true;
    LsmChange move = removal(job.choice.files.front());
    move.kind = LsmChange::Kind::move;
    move.level = job.choice.into;
    return commit({{std::move(move)}, std::nullopt, [&job] { job.active = false; }});
  }
  std::vector<LsmMerge::Run> runs;
  for (const LsmFilePtr& file : job.choice.files) runs.push_back({file});
  runs.push_back(job.choice.overlap);
  job.passed = job.choice.overlap;
  if (job.choice.level == 0 && job.choice.into + 1 < lsm_levels) job.grandparents = tree_.level(job.choice.into + 1);
  job.merge = std::make_unique<LsmMerge>(std::move(runs));
}

void LsmHost::advance(Job& job) {
  if (!job.active || job.ending) return;
  while (job.batches.size() < batches_at_once && !job.merged) gather(job);
  write_batches(job);
  install_outputs(job);
}

/// Whether a file that goes on to this key overlaps too many files of the level after its own.
bool LsmHost::crosses_grandparents(Job& job, std::uint64_t key) const {
  while (job.grandparent < job.grandparents.size() && job.grandparents[job.grandparent]->largest < key) {
    job.output->grandparents += job.grandparents[job.grandparent]->sectors();
    ++job.grandparent;
  }
  return job.output->grandparents > std::uint64_t{config_.grandparents} * layout_.file_sectors;
}

/// The next piece of the merge, of one file of its output. The last level keeps no deletions.
void LsmHost::gather(Job& job) {
  auto batch = std::make_shared<Batch>();
  if (job.output == nullptr) {
    job.output = std::make_shared<Output>();
    job.outputs.push_back(job.output);
  }
  batch->output = job.output;
  const bool last_level = !job.flushes && job.choice.into + 1 == lsm_levels;
  LsmMerge& merge = *job.merge;
  Output& output = *job.output;
  std::uint32_t data = 0;
  for (; !merge.ended() && data < layout_.batch_sectors && !batch->closes;) {
    const LsmMergeItem& item = merge.item();
    ++cpu_.sectors;
    if (item.deleted && last_level) {
      ++counts_.dropped;
      merge.next();
      continue;
    }
    const bool full = !job.flushes && (output.entries() >= layout_.file_sectors || crosses_grandparents(job, item.key));
    if (full && output.entries() != 0) {
      batch->closes = true;
      break;
    }
    if (item.deleted) {
      output.deleted.push_back(item.key);
    } else {
      output.keys.push_back(item.key);
      if (job.flushes && item.file->lacks(item.key)) output.lost.push_back(item.key);
      batch->items.push_back(item);
      ++data;
    }
    output.last = item.key;
    merge.next();
  }
  job.merged = merge.ended();
  if (job.merged) batch->closes = true;
  batch->size = data + (batch->closes && output.entries() != 0 ? layout_.index_sectors(output.entries()) : 0);
  if (batch->closes) job.output = nullptr;
  batch->content.resize(data * view_.bytes());
  job.batches.push_back(batch);
  if (job.flushes) {
    const auto first =
        job.table_content.begin() + static_cast<std::ptrdiff_t>(batch->items.empty() ? 0 : batch->items.front().position * view_.bytes());
    std::copy_n(first, batch->content.size(), batch->content.begin());
  } else {
    read_batch(batch);
  }
}

/// Each file from the first to the last position that the batch takes of it. A collection that moved the file meanwhile may have lost some.
void LsmHost::read_batch(const std::shared_ptr<Batch>& batch) {
  struct Span {
    const LsmFile* file;
    std::uint32_t first, end;
  };
  std::vector<Span> spans;
  for (const LsmMergeItem& item : batch->items) {
    const auto span = std::ranges::find(spans, item.file, &Span::file);
    if (span == spans.end())
      spans.push_back({item.file, item.position, item.position + 1});
    else
      span->end = item.position + 1;
  }
  for (const Span& span : spans) {
    const LsmFilePtr now = tree_.file(span.file->id);
    TESSERA_CHECK(now != nullptr, "a compaction reads a file that is gone");
    for (const LsmMergeItem& item : batch->items)
      if (item.file == span.file && now->lacks(item.key)) batch->output->lost.push_back(item.key);
    for (std::uint32_t at = span.first; at < span.end;) {
      const LsmExtent run = now->run(at, std::min(span.end - at, layout_.record_sectors));
      read_of_file(batch, span.file, at, run);
      at += run.sectors;
    }
  }
}

/// From a position on. A run that cannot be read is read by its sectors; the key of one of these that cannot is lost, and its place in the
/// new file says so: a merge that gave up could never free anything again.
void LsmHost::read_of_file(const std::shared_ptr<Batch>& batch, const LsmFile* file, std::uint32_t at, LsmExtent run) {
  ++batch->reads;
  counts_.read_to_merge += run.sectors;
  read_place(run, CommandPriority::background, [this, batch, file, at, run](HostRequest& command) {
    --batch->reads;
    if (!ok(command.status) && run.sectors > 1) {
      for (std::uint32_t i = 0; i < run.sectors; ++i) read_of_file(batch, file, at + i, {run.place + i, 1});
      return;
    }
    const std::size_t bytes = view_.bytes();
    for (std::size_t i = 0; i < batch->items.size(); ++i) {
      const LsmMergeItem& item = batch->items[i];
      if (item.file != file || item.position < at || item.position >= at + run.sectors) continue;
      if (!ok(command.status)) {
        batch->output->lost.push_back(item.key);
        ++counts_.lost;
      } else if (bytes != 0) {
        std::copy_n(command.content.begin() + static_cast<std::ptrdiff_t>((item.position - at) * bytes), bytes,
                    batch->content.begin() + static_cast<std::ptrdiff_t>(i * bytes));
      }
    }
  });
}

void LsmHost::write_batches(Job& job) {
  while (!job.batches.empty() && job.batches.front()->reads == 0) {
    Batch& batch = *job.batches.front();
    if (!write_some(job, batch)) return;
    batch.output->closed = batch.closes;
    job.batches.pop_front();
    rounds_.again();
  }
}

/// False: some of it waits for room, or for writes before it.
bool LsmHost::write_some(Job& job, Batch& batch) {
  const LsmLife life = life_of(job.flushes ? 0 : job.choice.into);
  const std::size_t bytes = view_.bytes();
  while (batch.sent < batch.size) {
    if (job.writes == job_writes_at_once) return false;
    const std::uint32_t room = zones_.room(life);
    if (room == 0) return false;
    const LsmExtent extent = zones_.allocate(life, std::min({room, layout_.record_sectors, batch.size - batch.sent}));
    const std::size_t from = std::min(batch.content.size(), batch.sent * bytes);
    const std::size_t to = std::min(batch.content.size(), (batch.sent + extent.sectors) * bytes);
    add_extent(batch.output->extents, extent, layout_.zone_sectors);
    batch.sent += extent.sectors;
    ++job.writes;
    ++batch.output->writes;
    write_place(extent, CommandPriority::background,
                {batch.content.begin() + static_cast<std::ptrdiff_t>(from), batch.content.begin() + static_cast<std::ptrdiff_t>(to)},
                [&job, output = batch.output] {
                  --job.writes;
                  --output->writes;
                });
  }
  const std::uint64_t data = batch.items.size();
  (job.flushes ? counts_.flushed : counts_.compacted) += data;
  counts_.index += batch.size - data;
  return true;
}

void LsmHost::install_outputs(Job& job) {
  while (!job.outputs.empty() && job.outputs.front()->closed && job.outputs.front()->writes == 0) {
    const std::shared_ptr<Output> output = job.outputs.front();
    job.outputs.pop_front();
    std::vector<LsmChange> changes;
    for (auto at = job.passed.begin(); at != job.passed.end() && (*at)->smallest <= output->last && output->entries() != 0;) {
      LsmChange change = removal(*at);
      if ((*at)->largest > output->last) {
        change.kind = LsmChange::Kind::trim;
        change.key = output->last;
        changes.push_back(change);
        break;
      }
      changes.push_back(change);
      at = job.passed.erase(at);
    }
    const bool last = job.merged && job.batches.empty() && job.outputs.empty();
    if (last) {
      for (const LsmFilePtr& file : job.passed) changes.push_back(removal(file));
      for (const LsmFilePtr& file : job.choice.files) changes.push_back(removal(file));
    }
    if (output->entries() != 0) {
      const auto file = make_lsm_file();
      file->id = next_file_++;
      file->smallest = std::min(output->keys.empty() ? ~std::uint64_t{0} : output->keys.front(),
                                output->deleted.empty() ? ~std::uint64_t{0} : output->deleted.front());
      file->largest = output->last;
      file->keys = LsmKeys(std::move(output->keys));
      file->deleted = std::move(output->deleted);
      std::ranges::sort(output->lost);
      file->lost = std::move(output->lost);
      file->extents.assign(output->extents.begin(), output->extents.end());
      const std::uint32_t level = job.flushes ? 0 : job.choice.into;
      changes.push_back(
          {.kind = LsmChange::Kind::add, .level = level, .id = file->id, .key = 0, .file = file, .from = {}, .to = {}, .lost = {}});
    }
    if (last) return end_job(job, std::move(changes));
    commit({std::move(changes), std::nullopt, {}});
  }
}

void LsmHost::end_job(Job& job, std::vector<LsmChange> changes) {
  job.ending = true;
  ++(job.flushes ? counts_.flushes : counts_.compactions);
  commit({std::move(changes), job.flushes ? std::optional(job.generation) : std::nullopt, [this, &job] {
            if (!job.flushes) counts_.host.cleaned(timeline_.now() - job.begin, false);
            job.active = false;
          }});
}

}  // namespace tessera
