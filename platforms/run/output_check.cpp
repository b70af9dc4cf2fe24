#include "platforms/run/output_check.hpp"

#include <algorithm>

#include "platforms/output/apart.hpp"
#include "platforms/output/run_folder.hpp"
#include "platforms/run/input_files.hpp"

namespace tessera {

namespace {

namespace fs = std::filesystem;

void add_folder(std::vector<NamedPath>& outputs, const fs::path& folder) {
  for (const std::string_view name : RunFolder::names()) outputs.push_back({"the result", folder / name});
}

void add(std::vector<NamedPath>& outputs, const std::string& option, const fs::path& file) {
  if (!file.empty()) outputs.push_back({option, file});
}

/// GTKWave's save file lies beside each file of waveforms; two that differ in their ending alone share it.
void add_recordings(std::vector<NamedPath>& outputs, const cli::RecordOptions& record) {
  add(outputs, "--vcd", record.vcd);
  add(outputs, "--fst", record.fst);
  add(outputs, "--timeline", record.timeline);
  std::vector<fs::path> files;
  for (const fs::path& waves : {record.vcd, record.fst})
    if (!waves.empty() && replaceable(waves)) files.push_back(fs::path(waves).replace_extension(".gtkw"));
  files.erase(std::unique(files.begin(), files.end()), files.end());
  for (const fs::path& file : files) add(outputs, "GTKWave's save file", file);
}

std::vector<NamedPath> inputs_of(const cli::RunOptions& run, const SearchPath& search) {
  std::vector<NamedPath> inputs;
  for (const InputFile& file : input_paths(run, search)) inputs.push_back({"its own input (" + file.role + ")", file.path});
  // A run may be made again from the effective description that it wrote: what is written is what was read.
  std::erase_if(inputs, [&run](const NamedPath& input) {
    std::error_code error;
    return fs::equivalent(input.path, run.out / "drive.toml", error) && fs::equivalent(input.path, run.drive, error);
  });
  return inputs;
}

}  // namespace

void require_own_outputs(const cli::RunOptions& run, const SearchPath& search) {
  std::vector<NamedPath> outputs;
  add_folder(outputs, run.out);
  if (run.record) add_recordings(outputs, *run.record);
  add(outputs, "--save-state", run.save_state);
  add(outputs, "--firmware-profile", run.firmware_profile);
  require_apart(outputs, inputs_of(run, search));
}

void require_own_outputs(const cli::ServeOptions& serve, const SearchPath& search) {
  constexpr std::string_view socket = "unix:";
  std::vector<NamedPath> outputs;
  if (!serve.out.empty()) add_folder(outputs, serve.out);
  if (serve.record) add_recordings(outputs, *serve.record);
  add(outputs, "--save-state", serve.save_state);
  add(outputs, "--image", serve.image);
  if (serve.nbd.starts_with(socket)) add(outputs, "--nbd", serve.nbd.substr(socket.size()));
  cli::RunOptions run;
  run.drive = serve.drive;
  run.firmware = serve.firmware;
  // A drive that goes on may take its own state's place: that is read before anything is served, and renamed into when it is whole.
  if (serve.save_state != serve.load_state) run.load_state = serve.load_state;
  run.out = serve.out;
  require_apart(outputs, inputs_of(run, search));
}

void require_own_output(const std::string& option, const fs::path& output, const cli::RunOptions& run, const SearchPath& search) {
  if (!output.empty()) require_apart({{option, output}}, inputs_of(run, search));
}

}  // namespace tessera
