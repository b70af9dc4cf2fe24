#include "platforms/compare/capacity_query.hpp"

#include <fstream>

#include "platforms/compare/child_processes.hpp"
#include "platforms/output/run_folder.hpp"

namespace tessera {

CapacityQuery ask_capacities(const std::vector<std::string>& layers, const std::vector<std::string>& words,
                             const std::vector<std::filesystem::path>& folders, std::size_t jobs) {
  std::vector<ChildProcess> children;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const char* name : {"messages.txt", "capacity.txt"}) make_way(folders[i] / name);
    std::vector<std::string> question{"check"};
    question.insert(question.end(), words.begin(), words.end());
    question.insert(question.end(), {"--layer", layers[i], "--capacity"});
    children.push_back({std::move(question), folders[i] / "messages.txt", folders[i] / "capacity.txt"});
  }
  CapacityQuery found;
  std::vector<int> statuses(layers.size(), -1);
  found.stopped_by = ChildProcesses(children).run(jobs, [&](const ChildEnd& end) { statuses[end.child] = end.status; });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::uint64_t bytes = 0;
    if (statuses[i] == 0 && std::ifstream(children[i].output) >> bytes) found.layers.push_back({layers[i], Bytes(bytes)});
    for (const auto& file : {children[i].output, children[i].messages}) std::filesystem::remove(file);
  }
  return found;
}

}  // namespace tessera
