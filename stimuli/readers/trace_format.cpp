#include "stimuli/readers/trace_format.hpp"

#include "base/error.hpp"
#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/recognition.hpp"
#include "stimuli/readers/trace_reader.hpp"

namespace tessera {

const std::vector<TraceFormat>& trace_formats() {
  static const std::vector<TraceFormat> formats = [] {
    std::vector<TraceFormat> all;
    for (const auto& entry : registered()) all.push_back(entry.format);
    return all;
  }();
  return formats;
}

std::string recognise_format(const std::string& path) {
  const auto content = open_byte_stream(path);
  Sample sample(*content);
  sample.look_elsewhere(path);
  return format_of(path, sample).words;
}

namespace {

/// The format that was recognised, with the step that the user named: "blkparse:issue". InputError where it has no steps.
std::string with_event(const std::string& path, const std::string& words, const std::string& event) {
  const std::string name = words.substr(0, words.find(':'));
  const Registered* entry = find_format(name);
  if (entry == nullptr || !entry->format.argument.starts_with("EVENT"))
    throw input_error(path, 0, "--event " + event + ": the trace is read as " + name + ", which has no queue, issue or complete events");
  return name + ":" + event;
}

}  // namespace

std::unique_ptr<TraceSource> open_trace_file(const std::string& path, const TraceReading& reading) {
  TraceFile file{path, open_byte_stream(path, reading.hash)};
  std::string words = reading.format;
  std::string told;
  const bool named = !words.empty() && words.front() != ':';
  if (!named) {
    Sample sample(*file.bytes);
    sample.look_elsewhere(path);
    Chosen chosen = format_of(path, sample);
    words = words.empty() ? std::move(chosen.words) : with_event(path, chosen.words, words.substr(1));
    told = std::move(chosen.told);
    file.bytes = put_back(std::move(sample.bytes), std::move(file.bytes));
  }
  const auto colon = words.find(':');
  const std::string name = words.substr(0, colon);
  const std::string argument = colon == std::string::npos ? "" : words.substr(colon + 1);
  const Registered* entry = find_format(name);
  if (entry == nullptr)
    throw InputError("--format: " + unknown_name("trace format", name, format_names()) + " (tessera-sim list formats names all)");
  if (!argument.empty() && entry->format.argument.empty())
    throw InputError("--format " + words + ": the format '" + name + "' takes nothing after its name");
  std::unique_ptr<TraceSource> source;
  try {
    source = entry->open(std::move(file), argument);
  } catch (const InputError& error) {
    if (!std::string_view(error.what()).starts_with(path)) throw;  // of the options, not of the file
    throw InputError(error.what() + other_content(path, words, "", named));
  }
  if (auto* reader = dynamic_cast<TraceReader*>(source.get())) {
    RecordOrder order = reading.order;
    if (!order.sorts() && entry->sort_records != 0) {
      order.sort_records = entry->sort_records;
      reader->say_first("sorted by arrival within " + std::to_string(order.sort_records) + " records, as " + name +
                        " files are not in order; --sort names another window");
    }
    reader->arrange(order);
    if (told.empty() && has_whole_seconds(name))
      reader->say_first("times in whole seconds: the requests of a second arrive together (--spread \"1 s\" spreads them evenly)");
    if (reading.one_volume) reader->choose_one_volume();
    if (reading.zones) reader->keep_zone_commands(*reading.zones);
    if (!told.empty()) reader->say_first(std::move(told));
    reader->explain_with([path, words, named](std::string_view text) { return other_content(path, words, text, named); });
  }
  return source;
}

}  // namespace tessera
