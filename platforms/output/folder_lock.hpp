#pragma once
// Who writes into a folder: one process at a time. The lock is the kernel's (flock), so that one that was killed holds none.
#include <filesystem>

namespace tessera {

class FolderLock {
 public:
  /// Takes `folder`/.lock. InputError, with the holder, where another process has it; OutputError where the file cannot be made.
  explicit FolderLock(const std::filesystem::path& folder);
  /// Removes the file while it is still locked.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  static constexpr const char* name = ".lock";

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

/// Opens `file`, which is made where it is not there, and locks it. Gives -1, with errno, where that fails: EWOULDBLOCK where another
/// process has it. A link of this name gives way to a file. The file that was locked has the name `file` at that instant: one that another
/// process has just removed or renamed is not taken.
[[nodiscard]] int open_locked(const std::filesystem::path& file, int flags);

}  // namespace tessera
