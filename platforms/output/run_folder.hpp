#pragma once
// The folder that holds what one run gives. summary.json is written last: a folder without it is not that of a run that ended.
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/output/folder_lock.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

/// A link, a pipe or a socket where a result goes gives way, and what a link points to stays as it is: folders of results are sent around.
/// Throws OutputError.
void make_way(const std::filesystem::path& path);

class RunFolder {
 public:
  /// Creates the folder and its parents, takes it for this process, and removes the results of an earlier run: what is found there
  /// afterwards is of this one. Throws before any simulation: OutputError, or InputError where another process writes there.
  explicit RunFolder(std::filesystem::path path);
  /// Of a run that never began nothing stays: neither its records nor a folder that was made for it.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// The run begins: what it writes stays from here on, however it ends.
  void begin() { begun_ = true; }

  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  /// Writes a whole file; throws OutputError.
  void write(std::string_view name, std::string_view text, Keep keep) const;

  /// All that a run or a comparison writes into its folder, or removes there.
  [[nodiscard]] static std::vector<std::string_view> names();

 private:
  std::filesystem::path path_;
  std::unique_ptr<FolderLock> lock_;
  bool made_ = false;  ///< the folder was not there before
  bool begun_ = false;
};

}  // namespace tessera
