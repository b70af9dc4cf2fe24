#include "platforms/output/apart.hpp"

#include <sys/stat.h>

#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// What a file is, by its place and, where it is there, by the file itself: a hard link has two places.
struct Identity {
  explicit Identity(const fs::path& path) {
    std::error_code error;
    place = fs::weakly_canonical(fs::absolute(path), error);
    if (error) place = fs::absolute(path).lexically_normal();
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return;
    file.emplace(found.st_dev, found.st_ino);
    regular = S_ISREG(found.st_mode);
    shared = S_ISCHR(found.st_mode);
  }
  fs::path place;
  std::optional<std::pair<dev_t, ino_t>> file;
  bool regular = true;
  bool shared = false;  ///< a terminal, /dev/null: nothing is lost where two write there
};

class Claims {
 public:
  /// InputError where somebody has it already.
  void claim(const NamedPath& named, const fs::path& path) {
    const Identity identity(path);
    if (identity.shared) return;
    const NamedPath* other = owner(identity);
    if (other != nullptr)
      throw InputError(named.what + " " + named.path.string() + " and " + other->what + " " + other->path.string() +
                       " are one file: give each output a file of its own");
    places_.emplace(identity.place, &named);
    if (identity.file) files_.emplace(*identity.file, &named);
  }
  /// The output that this file is; nullptr where it is none.
  [[nodiscard]] const NamedPath* owner(const Identity& identity) const {
    if (const auto at = places_.find(identity.place); at != places_.end()) return at->second;
    if (!identity.file) return nullptr;
    const auto at = files_.find(*identity.file);
    return at == files_.end() ? nullptr : at->second;
  }

 private:
  std::map<fs::path, const NamedPath*> places_;
  std::map<std::pair<dev_t, ino_t>, const NamedPath*> files_;
};

}  // namespace

void require_apart(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
  Claims claims;
  for (const NamedPath& output : outputs) {
    claims.claim(output, output.path);
    if (replaceable(output.path)) claims.claim(output, partial_name(output.path));
  }
  for (const NamedPath& input : inputs) {
    const Identity identity(input.path);
    if (!identity.regular) continue;
    if (const NamedPath* output = claims.owner(identity); output != nullptr)
      throw InputError(output->what + " " + output->path.string() + " would overwrite " + input.what + " " + input.path.string() +
                       ": give the output a file of its own");
  }
}

}  // namespace tessera
