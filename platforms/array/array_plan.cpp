#include "platforms/array/array_plan.hpp"

#include <boost/json.hpp>

#include "base/error.hpp"
#include "platforms/array/array_results.hpp"
#include "platforms/array/no_requests.hpp"
#include "platforms/description/listing.hpp"

namespace tessera {

namespace {

namespace json = boost::json;

/// A kind of table of which a file may have any number: [[drive]].
struct Tables {
  std::string name;
  std::string doc;
  std::vector<Parameter> parameters;
};

template <class Described>
Tables tables_of(const char* name, const char* doc) {
  Described described;
  ParameterCollector collector;
  described.describe(collector);
  return {name, doc, collector.parameters()};
}

std::vector<Tables> all_tables() {
  return {tables_of<ArrayDriveEntry>("drive", "drives of one kind; [drive.settings] takes any parameter of a drive"),
          tables_of<ArrayFailure>("failure", "a drive that fails and answers nothing any more"),
          tables_of<ArrayPowerCut>("power_cut", "a power cut: of the drives in the list `drives`, without it of all of them and the host")};
}

std::vector<Parameter> collected(ArrayHostConfig host) {
  ParameterCollector collector;
  host.describe(collector);
  return collector.parameters();
}

json::object items_schema(const Tables& tables) {
  json::object items = json::parse(parameters_as_schema(tables.parameters, "")).as_object();
  for (const char* of_files : {"$schema", "title"}) items.erase(of_files);
  json::object& properties = items["properties"].as_object();
  for (const char* of_files : {"summary", "extends"}) properties.erase(of_files);
  if (tables.name == "drive") properties["settings"] = {{"type", "object"}, {"description", "parameters of the drive, in its sections"}};
  if (tables.name == "power_cut")
    properties["drives"] = {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 0}}}, {"description", "numbers from 0"}};
  return items;
}

std::string schema(const std::vector<Parameter>& parameters) {
  json::object root = json::parse(parameters_as_schema(parameters, "Tessera array description")).as_object();
  json::object& properties = root["properties"].as_object();
  for (const Tables& tables : all_tables())
    properties[tables.name] = {{"type", "array"}, {"description", tables.doc}, {"items", items_schema(tables)}};
  return json::serialize(root) + "\n";
}

/// Keys of tables have the path `[drive].count`.
std::vector<Parameter> with_tables(std::vector<Parameter> parameters) {
  for (const Tables& tables : all_tables()) {
    for (Parameter parameter : tables.parameters) {
      parameter.section = "[" + tables.name + "]";
      parameters.push_back(std::move(parameter));
    }
  }
  return parameters;
}

}  // namespace

bool describes_array(const std::string& name, const SearchPath& search) {
  if (search.knows(DescriptionFile::drive, name)) return false;
  if (search.knows(DescriptionFile::array, name)) return true;
  std::error_code error;
  if (!name.ends_with(".toml") || !std::filesystem::is_regular_file(name, error)) return false;
  try {
    return search.load(DescriptionFile::array, name).root().find("array") != nullptr;
  } catch (const InputError&) {
    return false;  // it extends a drive; or what is wrong with it is told by whoever loads it as a drive
  }
}

ArrayPlan plan_array(const std::string& name, const std::vector<std::string>& overrides, const SearchPath& search) {
  const ArrayDescription array = load_array(name, overrides, search);
  ArrayDrives drives(array, ContentMode::none, 0, false);
  const ArraySimulation simulation(array, drives, {}, [](Bytes) { return std::make_unique<NoRequests>(); });
  const ArrayLayout& layout = simulation.host().layout();
  ArrayPlan plan;
  plan.text = array_text(array, drives, layout);
  plan.notes = drives.notes(array, layout);
  plan.capacity = Bytes(layout.user_blocks() * host_block_bytes);
  plan.sector = drives.sector();
  plan.window = array.host.window.length;
  plan.shares = array.host.window.shares;
  if (layout.redundant()) return plan;
  const Bytes chunk(std::uint64_t{layout.chunk_blocks()} * host_block_bytes);
  for (std::size_t i = 0; i < drives.size(); ++i)
    if (!drives[i].spare) plan.drives.push_back(chunk * (drives[i].module->capacity() / chunk));
  return plan;
}

std::string array_parameters(cli::ListFormat format, const ArrayDescription* array) {
  const std::vector<Parameter> sections = collected({});
  const std::vector<Parameter> listed = array == nullptr ? with_tables(sections) : collected(array->host);
  switch (format) {
    case cli::ListFormat::text: return parameters_as_text(listed, array == nullptr ? nullptr : &sections);
    case cli::ListFormat::json: return parameters_as_json(listed) + "\n";
    case cli::ListFormat::schema: return schema(sections) + "\n";
    case cli::ListFormat::markdown: return parameters_as_markdown(listed, "Parameters of an array description");
  }
  return {};
}

}  // namespace tessera
