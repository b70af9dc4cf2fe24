#include "platforms/output/run_folder.hpp"

#include <unistd.h>

#include <system_error>

#include "platforms/output/output_file.hpp"

namespace tessera {

RunFolder::RunFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw output_error("create folder", path_, error.value());
  const std::filesystem::path probe = file(".writable-" + std::to_string(::getpid()));
  OutputFile(probe).close();
  std::filesystem::remove(probe, error);
}

void RunFolder::write(std::string_view name, std::string_view text) const {
  OutputFile out(file(name));
  out.append(text);
  out.close();
}

}  // namespace tessera
