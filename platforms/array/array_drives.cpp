#include "platforms/array/array_drives.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "dram/dram_faults.hpp"
#include "platforms/output/figure_text.hpp"
#include "platforms/run/promise.hpp"

namespace tessera {

namespace {

std::unique_ptr<DriveOfArray> drive_from(const ArrayDriveEntry& entry) {
  auto drive = std::make_unique<DriveOfArray>();
  drive->description = entry.description;
  drive->spare = entry.spare;
  try {
    drive->config = load_drive(entry.document, entry.settings, entry.layer, {.file = entry.firmware});
  } catch (const InputError& error) {
    for (const auto& [word, key] : {std::pair("--set ", "drive.settings: "), {"firmware ", "drive.firmware: "}})
      if (const std::string_view said = error.what(); said.starts_with(word))
        throw input_error(entry.place.file, entry.place.line, key + std::string(said.substr(std::string_view(word).size())));
    throw;
  }
  if (drive->config.has_zones())
    throw input_error(
        entry.place.file, entry.place.line,
        "drive.layer: the layer " + drive->config.layer + " has zones, and an array writes anywhere; expected a layer without zones");
  if (drive->config.logical_units.several())
    throw input_error(entry.place.file, entry.place.line,
                      "drive.settings: host.luns is " + std::to_string(drive->config.logical_units.luns) +
                          ", and the members of an array are whole drives: units of one drive fail together; expected 1");
  drive->config.caches_overridden = "the drives of an array begin with empty caches";
  drive->plan = plan_drive(drive->config);
  return drive;
}

/// The drive with most groups for its size bounds the array.
std::string hash_note(const ArrayLayout& layout) {
  return "placement by hash: the fullest drive bounds the array, which uses " +
         std::to_string(static_cast<int>(100 * layout.share_used())) + " % of the drives' room; more array.groups fill them more evenly";
}

}  // namespace

ArrayDrives::ArrayDrives(const ArrayDescription& array, ContentMode content, std::uint64_t seed, bool check_protocol) {
  for (const ArrayDriveEntry& entry : array.drives)
    for (std::uint32_t i = 0; i < entry.count; ++i) drives_.push_back(drive_from(entry));
  check_sectors(array);
  check_journal(array);
  check_cuts(array);
  check_memories(array);
  calendar_ = std::make_unique<TimelineModule>("calendar", drives_.front()->config.quantum);
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    DriveOfArray& drive = *drives_[i];
    const std::string number = std::to_string(array.first_number + i);
    // Nobody turns the spindles of an array in step.
    const std::uint64_t turn = revolution(drive.config.media.speed).value();
    drive.config.media.spindle_phase = Picoseconds(RandomStream(seed, "array.spindle_phase." + number).below(turn));
    DriveParts parts = DriveParts::alone();
    parts.calendar = calendar_.get();
    parts.check_protocol = check_protocol;
    drive.module = std::make_unique<DriveModule>(("drive_" + number).c_str(), drive.config, drive.plan, content,
                                                 RandomStream(seed, "array.drive." + number).below(~std::uint64_t{0}), parts);
    drive.host = std::make_unique<HostModule>(("host_" + number).c_str(), *calendar_);
    drive.host->socket.bind(drive.module->host_socket());
    if (HostInterfaceModule* const interface = drive.module->direct_host()) drive.host->reach(*interface);
    drive.measurement = std::make_unique<Measurement>(*drive.module);
  }
}

void ArrayDrives::check_sectors(const ArrayDescription& array) const {
  const auto size = [](const DriveOfArray& drive) { return drive.config.media.sector_size; };
  for (const auto& drive : drives_)
    if (size(*drive) != sector())
      throw InputError(array.document.files().front().string() + ": drives of an array have sectors of one size; found " +
                       std::to_string(sector().value()) + " B (" + drives_.front()->description + ") and " +
                       std::to_string(size(*drive).value()) + " B (" + drive->description + ")");
  if (array.host.chunk % sector() != Bytes(0))
    throw InputError(array.document.files().front().string() + ": array.chunk is " + std::to_string(array.host.chunk.value()) +
                     " B; expected whole sectors of the drives, of " + std::to_string(sector().value()) + " B");
}

void ArrayDrives::check_journal(const ArrayDescription& array) const {
  if (array.host.journal.place == JournalPlace::none) return;
  const std::string file = array.document.files().front().string();
  if (array.host.shape.parity_chunks() == 0)
    throw InputError(file + ": journal.place keeps data and parity together, and a " + to_string(array.host.shape.kind) +
                     " has no parity; expected none");
  if (!keep_acknowledged())
    throw InputError(file +
                     ": journal.place counts on drives that keep what they acknowledged, and one has a volatile write cache; set "
                     "firmware.write_cache.durability to plp or journal in its [drive.settings]");
}

/// The host goes on when it does not lose its power, and could not know what a cache forgot.
void ArrayDrives::check_cuts(const ArrayDescription& array) const {
  for (const ArrayPowerCut& cut : array.cuts)
    for (const std::uint32_t drive : cut.drives)
      if (!keeps_acknowledged(drive))
        throw input_error(
            cut.place.file, cut.place.line,
            "power_cut.drives names drive " + std::to_string(drive) +
                ", whose write cache is volatile: the host goes on and cannot know what was lost; leave drives out, so that all "
                "lose their power, or set firmware.write_cache.durability to plp or journal in its [drive.settings]");
}

/// The same where errors of the DRAM restart a drive's firmware.
void ArrayDrives::check_memories(const ArrayDescription& array) const {
  for (std::size_t i = 0; i < drives_.size(); ++i)
    if (DramFaults::any(drives_[i]->config.dram) && !keeps_acknowledged(i))
      throw InputError(array.document.files().front().string() + ": errors of the DRAM restart the firmware of drive " +
                       std::to_string(array.first_number + i) +
                       ", whose write cache is volatile: the host goes on and cannot know what was lost; expected "
                       "firmware.write_cache.durability plp or journal, or no dram.bit_error_rate and dram.bit_errors");
}

bool ArrayDrives::keeps_acknowledged(std::size_t i) const { return promise_of(drives_[i]->config) == DurabilityPromise::acknowledged; }

bool ArrayDrives::keep_acknowledged() const {
  for (std::size_t i = 0; i < drives_.size(); ++i)
    if (!keeps_acknowledged(i)) return false;
  return true;
}

ArrayLayout ArrayDrives::layout(const ArrayDescription& array) {
  std::vector<std::uint64_t> blocks;
  for (const auto& drive : drives_)
    if (!drive->spare) blocks.push_back(drive->module->capacity().value() / host_block_bytes);
  const auto chunk = static_cast<std::uint32_t>(array.host.chunk.value() / host_block_bytes);
  const std::uint64_t journal =
      RowJournal(array.host.journal, array.host.shape.width(array.members()), chunk, sector_blocks()).reserved_blocks();
  ArrayLayout layout(array.host.shape, chunk, blocks, HostBlock((journal + chunk - 1) / chunk * chunk));
  if (layout.user_blocks() == 0)
    throw InputError(array.document.files().front().string() + ": array.chunk is " + std::to_string(array.host.chunk.value()) +
                     " B, and a drive holds " + std::to_string(*std::ranges::min_element(blocks) * host_block_bytes) +
                     " B: too little for one row of chunks");
  const Bytes used(layout.drive_end().value() * host_block_bytes);
  for (const auto& drive : drives_)
    if (drive->spare && layout.redundant() && drive->module->capacity() < used)
      throw InputError(array.document.files().front().string() + ": the spare " + drive->description + " holds " +
                       figure_text(static_cast<double>(drive->module->capacity().value()), "B") + "; expected at least the " +
                       figure_text(static_cast<double>(used.value()), "B") + " that the array uses of each drive");
  return layout;
}

std::vector<std::string> ArrayDrives::notes(const ArrayDescription& array, const ArrayLayout& layout) {
  std::vector<std::string> sentences;
  Bytes least = drives_.front()->module->capacity();
  Bytes most = least;
  for (const auto& drive : drives_) {
    if (drive->spare) continue;
    least = std::min(least, drive->module->capacity());
    most = std::max(most, drive->module->capacity());
  }
  const auto text = [](Bytes bytes) { return figure_text(static_cast<double>(bytes.value()), "B"); };
  if (least != most && layout.redundant() && !layout.shape().hashed())
    sentences.push_back("the drives hold " + text(least) + " to " + text(most) + ": the array uses no more of any than of the smallest");
  if (layout.shape().hashed()) sentences.push_back(hash_note(layout));
  for (const auto& drive : drives_)
    for (const std::string& sentence : set_in_vain(drive->config, drive->plan))
      if (const std::string note = drive->description + ": " + sentence; std::ranges::find(sentences, note) == sentences.end())
        sentences.push_back(note);
  if (!keep_acknowledged() && !array.cuts.empty())
    sentences.emplace_back("a drive's write cache is volatile: a power cut may take what the array acknowledged and no FLUSH covered");
  return sentences;
}

}  // namespace tessera
