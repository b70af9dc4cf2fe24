#include "platforms/array/array_description.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "platforms/description/reader.hpp"

namespace tessera {

namespace {

using Array = DescriptionValue::Array;
using Table = DescriptionValue::Table;

constexpr double most_drives = 1024;

InputError refusal(const Place& place, const std::string& sentence) { return input_error(place.file, place.line, sentence); }

std::string with_article(ArrayKind kind) { return kind == ArrayKind::erasure ? "an erasure code" : std::string("a ") + to_string(kind); }

std::string drives_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " drive" : " drives"); }

/// The tables of [[name]].
std::vector<const DescriptionValue*> tables_of(DescriptionReader& reader, const char* name) {
  std::vector<const DescriptionValue*> tables;
  const DescriptionValue* found = reader.unread(name);
  if (found == nullptr) return tables;
  const auto* array = std::get_if<Array>(&found->data);
  const std::string expected = std::string(name) + ": expected tables [[" + name + "]], found " + found->text();
  if (array == nullptr) throw refusal(found->place, expected);
  for (const DescriptionValue& value : *array) {
    if (!std::holds_alternative<Table>(value.data)) throw refusal(value.place, expected);
    tables.push_back(&value);
  }
  return tables;
}

/// `media.rpm = "7200 rpm"` in [drive.settings] as `media.rpm="7200 rpm"`.
void add_settings(const DescriptionValue& value, const std::string& path, std::vector<std::string>& settings) {
  if (const auto* table = std::get_if<Table>(&value.data)) {
    for (const DescriptionEntry& entry : *table) add_settings(entry.value, path.empty() ? entry.name : path + "." + entry.name, settings);
    return;
  }
  settings.push_back(path + "=" + value.text());
}

/// A path is one as seen from the array's file, where there is such a file.
std::string found_from(const std::filesystem::path& array, const std::string& name) {
  const std::filesystem::path beside = array.parent_path() / name;
  return std::filesystem::is_regular_file(beside) ? beside.string() : name;
}

ArrayDriveEntry read_drive(const TomlDocument& document, const DescriptionValue& table, const std::filesystem::path& file,
                           const SearchPath& search) {
  ArrayDriveEntry entry;
  entry.place = table.place;
  DescriptionReader reader(document, table, "drive");
  entry.describe(reader);
  const DescriptionValue* settings = reader.unread("settings");
  if (settings != nullptr && !std::holds_alternative<Table>(settings->data))
    throw refusal(settings->place,
                  "drive.settings: expected a table [drive.settings] of the drive's parameters, found " + settings->text());
  reader.finish();
  if (settings != nullptr) add_settings(*settings, "", entry.settings);
  if (entry.description.empty())
    throw refusal(table.place, "drive.description: expected the name of a drive ('tessera list drives' shows them), or its file");
  const bool by_path = entry.description.ends_with(".toml");
  entry.document = search.load(DescriptionFile::drive, by_path ? found_from(file, entry.description) : entry.description);
  entry.firmware = found_from(file, entry.firmware);
  return entry;
}

ArrayFailure read_failure(const TomlDocument& document, const DescriptionValue& table) {
  ArrayFailure failure;
  failure.place = table.place;
  DescriptionReader reader(document, table, "failure");
  failure.describe(reader);
  reader.finish();
  return failure;
}

ArrayPowerCut read_cut(const TomlDocument& document, const DescriptionValue& table, std::uint32_t members) {
  ArrayPowerCut cut;
  cut.place = table.place;
  DescriptionReader reader(document, table, "power_cut");
  cut.describe(reader);
  const DescriptionValue* drives = reader.unread("drives");
  reader.finish();
  if (drives == nullptr) return cut;
  const auto* list = std::get_if<Array>(&drives->data);
  const std::string expected = "power_cut.drives: expected a list of drives, each from 0 to " + std::to_string(members - 1) + ", found ";
  if (list == nullptr) throw refusal(drives->place, expected + drives->text());
  for (const DescriptionValue& value : *list) {
    const auto* number = std::get_if<std::int64_t>(&value.data);
    if (number == nullptr || *number < 0 || *number >= members) throw refusal(drives->place, expected + value.text());
    cut.drives.push_back(static_cast<std::uint32_t>(*number));
  }
  return cut;
}

/// What counts for one kind of array is refused where another is asked for.
void check_shape(const ArrayShape& shape, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& sentence) { throw refusal({file.string(), 0}, sentence); };
  const auto of_another = [&](const char* key, const char* kind, std::uint32_t value) {
    refuse(std::string("array.") + key + " is of kind " + kind + "; found " + std::to_string(value) + " with kind " +
           to_string(shape.kind));
  };
  if (shape.kind != ArrayKind::raid10 && shape.copies != ArrayShape{}.copies) of_another("copies", "raid10", shape.copies);
  if (shape.kind != ArrayKind::erasure) {
    if (shape.data != 0) of_another("data", "erasure", shape.data);
    if (shape.parities != 0) of_another("parities", "erasure", shape.parities);
    if (shape.spare_places != 0) of_another("spare_places", "erasure", shape.spare_places);
    if (shape.placement == RowPlacement::hash)
      refuse(std::string("array.placement is hash, with kind ") + to_string(shape.kind) + "; expected kind erasure");
    return;
  }
  if (!shape.hashed() && shape.groups != 0)
    refuse("array.groups is of placement hash; found " + std::to_string(shape.groups) + " with placement permuted");
  if (shape.hashed() && shape.data == 0) refuse("array.data: expected at least 2 data chunks in a row placed by hash, found 0");
  if (shape.parities == 0) refuse("array.parities: expected 1 to 16 parity chunks in a row of kind erasure, found 0");
  if (shape.data == 1)
    refuse("array.data: expected at least 2 data chunks in a row, or 0 for as many as fit, found 1; kind raid10 holds copies");
}

void check_drives(const ArrayDescription& array, const std::filesystem::path& file) {
  const ArrayShape& shape = array.host.shape;
  constexpr std::uint32_t most_members = 256;  // that factors in GF(2^8) tell apart
  if (array.members() < shape.fewest_drives())
    throw refusal({file.string(), 0}, with_article(shape.kind) + " of " + drives_text(array.members()) + "; expected at least " +
                                          std::to_string(shape.fewest_drives()) + " that are no spares");
  if (shape.parity_chunks() > 1 && shape.width(array.members()) > most_members)
    throw refusal({file.string(), 0}, "a row of " + std::to_string(shape.width(array.members())) +
                                          " data and parity chunks; expected at most " + std::to_string(most_members));
}

void check_scrub(const ArrayDescription& array, const std::filesystem::path& file) {
  if (array.host.scrub.enabled && array.host.shape.kind == ArrayKind::jbod)
    throw refusal({file.string(), 0}, "scrub.enabled compares data with parity or copies, and a jbod has neither; expected false");
}

void check_failures(const ArrayDescription& array) {
  const std::uint32_t members = array.members();
  const std::uint32_t survived = array.host.shape.failures_survived(members);
  std::set<std::uint32_t> failed;
  for (const ArrayFailure& failure : array.failures) {
    if (failure.drive >= members)
      throw refusal(failure.place, "failure.drive: expected a drive from 0 to " + std::to_string(members - 1) + " (no spare), found " +
                                       std::to_string(failure.drive));
    if (!failed.insert(failure.drive).second)
      throw refusal(failure.place, "failure.drive: drive " + std::to_string(failure.drive) + " fails twice; expected each drive once");
    if (failed.size() > survived)
      throw refusal(failure.place, with_article(array.host.shape.kind) + " of " + drives_text(members) + " survives the failure of " +
                                       (survived == 0 ? "no drive" : drives_text(survived)) + "; found " +
                                       std::to_string(array.failures.size()) + " failures");
  }
}

/// Nothing that happens in a window may depend on more than one drive, nor on how long its work takes.
void check_window(const ArrayDescription& array, const std::filesystem::path& file) {
  const WindowConfig& window = array.host.window;
  const auto refuse = [&](const std::string& sentence) { throw refusal({file.string(), 0}, sentence); };
  if (!window.used()) {
    if (!window.drive.empty()) refuse("window.drive is " + window.drive + ", and window.length is 0; expected a length");
    return;
  }
  if (array.host.shape.kind != ArrayKind::jbod)
    refuse(std::string("window.length is of kind jbod, whose drives do not depend on each other; found kind ") +
           to_string(array.host.shape.kind));
  if (!array.failures.empty() || !array.cuts.empty() || array.host.time_out != Picoseconds(0))
    refuse("window.length is of runs without failures, power cuts and array.time_out");
}

/// Keeps the drive that is simulated alone.
void choose_drive(ArrayDescription& array, const std::filesystem::path& file) {
  const std::string& name = array.host.window.drive;
  if (name.empty()) return;
  const bool number = name.find_first_not_of("0123456789") == std::string::npos && name.size() < 6;
  if (!number || std::stoul(name) >= array.members())
    throw refusal({file.string(), 0},
                  "window.drive: expected a drive from 0 to " + std::to_string(array.members() - 1) + ", found " + name);
  array.first_number = static_cast<std::uint32_t>(std::stoul(name));
  std::uint32_t before = 0;
  for (const ArrayDriveEntry& entry : array.drives) {
    before += entry.count;
    if (before <= array.first_number) continue;
    ArrayDriveEntry chosen = entry;
    chosen.count = 1;
    array.drives = {std::move(chosen)};
    return;
  }
}

}  // namespace

void ArrayDriveEntry::describe(ParameterVisitor& visitor) {
  visitor.field("description", description, "drive by name, or the path of its file as seen from this one");
  visitor.field("layer", layer, "translation layer; \"\": the drive's own, or the first of `firmware`");
  visitor.field("firmware", firmware, "shared library or .py file with layers of your own, as seen from this file; \"\": none");
  visitor.field("count", count, {1, most_drives}, "how many of them");
  visitor.field("spare", spare, "whether they hold no data until another drive fails");
}

void ArrayFailure::describe(ParameterVisitor& visitor) {
  visitor.field("drive", drive, {0, most_drives}, "which drive, from 0 in the order of the file");
  visitor.field("at", at, {0, 1e19}, "since the start of the replay");
}

void ArrayPowerCut::describe(ParameterVisitor& visitor) { visitor.field("at", at, {0, 1e19}, "since the start of the replay"); }

std::uint32_t ArrayDescription::members() const {
  std::uint32_t sum = 0;
  for (const ArrayDriveEntry& entry : drives) sum += entry.spare ? 0 : entry.count;
  return sum;
}

std::uint32_t ArrayDescription::spares() const {
  std::uint32_t sum = 0;
  for (const ArrayDriveEntry& entry : drives) sum += entry.spare ? entry.count : 0;
  return sum;
}

ArrayDescription load_array(const std::string& name, const std::vector<std::string>& overrides, const SearchPath& search) {
  ArrayDescription array;
  array.document = search.load(DescriptionFile::array, name);
  const std::filesystem::path& file = array.document.files().front();
  for (const std::string& assignment : overrides) array.document.set(assignment);
  DescriptionReader reader(array.document);
  array.host.describe(reader);
  const auto drives = tables_of(reader, "drive");
  const auto failures = tables_of(reader, "failure");
  const auto cuts = tables_of(reader, "power_cut");
  reader.finish();
  for (const DescriptionValue* table : drives) array.drives.push_back(read_drive(array.document, *table, file, search));
  // Those that hold data come first, whatever their order in the file: a spare has no number that a failure could name.
  std::stable_partition(array.drives.begin(), array.drives.end(), [](const ArrayDriveEntry& entry) { return !entry.spare; });
  check_shape(array.host.shape, file);
  check_drives(array, file);
  check_scrub(array, file);
  for (const DescriptionValue* table : failures) array.failures.push_back(read_failure(array.document, *table));
  std::ranges::stable_sort(array.failures, {}, &ArrayFailure::at);
  check_failures(array);
  for (const DescriptionValue* table : cuts) array.cuts.push_back(read_cut(array.document, *table, array.members()));
  std::ranges::stable_sort(array.cuts, {}, &ArrayPowerCut::at);
  check_window(array, file);
  choose_drive(array, file);
  return array;
}

}  // namespace tessera
