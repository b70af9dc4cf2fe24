#include "platforms/plugin/python_loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/python_entries.hpp"

namespace tessera {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_name = "tessera_python-";  // and the version of Python that it was built for, 3.11, and .so

/// What runs layers in Python, and the Python library that it needs.
struct OwnLibrary {
  fs::path file;
  std::string version;
  [[nodiscard]] std::string needs() const { return "libpython" + version + ".so.1.0"; }
};

template <class Function>
Function entry_of(void* library, const char* name) {
  void* const symbol = ::dlsym(library, name);
  Function function = nullptr;
  static_assert(sizeof function == sizeof symbol);
  std::memcpy(&function, &symbol, sizeof function);  // ISO C++ has no cast from object to function pointers
  return function;
}

/// The program that runs Python: $TESSERA_PYTHON, which the command `tessera` sets to its own, or the first python3 on the path; "" where
/// none is.
std::string interpreter() {
  if (const char* const named = std::getenv("TESSERA_PYTHON"); named != nullptr && *named != '\0') return named;
  const char* const path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t at = 0, end = 0; at < folders.size(); at = end + 1) {
    end = std::min(folders.find(':', at), folders.size());
    const fs::path program = fs::path(folders.substr(at, end - at)) / "python3";
    std::error_code error;
    if (fs::is_regular_file(program, error)) return program.string();
  }
  return "";
}

/// Opens Python's library for all that comes later: the interpreter's own, else the system's. Nothing is to be done where the process is
/// Python.
void open_python(const std::string& file, const OwnLibrary& own, const std::string& program) {
  if (::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr) return;
  std::error_code error;
  const fs::path folder = fs::canonical(program, error).parent_path().parent_path() / "lib";
  for (const std::string& library : {(folder / own.needs()).string(), own.needs()})
    if (::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  throw InputError("firmware " + file + ": layers in Python need " + own.needs() +
                   ", which is not on this machine; on Debian and Ubuntu: apt install libpython" + own.version + "; elsewhere: a Python " +
                   own.version + " with its shared library, as the first python3 on the path or named by TESSERA_PYTHON");
}

/// Next to what this code is in, or where an installation has it.
OwnLibrary own_library(const std::string& file) {
  Dl_info info{};
  fs::path program = "/proc/self/exe";
  if (::dladdr(reinterpret_cast<const void*>(&offered_by_python), &info) != 0 && info.dli_fname != nullptr &&
      std::string_view(info.dli_fname).ends_with(".so"))
    program = info.dli_fname;
  std::error_code error;
  const fs::path folder = fs::canonical(program, error).parent_path();
  for (const char* place : {".", "bin", "../lib/tessera"}) {
    for (fs::directory_iterator at(folder / place, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().stem().string();
      if (name.starts_with(own_name) && at->path().extension() == ".so") return {at->path(), name.substr(own_name.size())};
    }
  }
  throw InputError("firmware " + file + ": this build has no layers in Python: there is no " + std::string(own_name) + "3.x.so in " +
                   folder.string() + "; it is built where python3-dev and pybind11-dev are installed");
}

}  // namespace

OfferedFirmware offered_by_python(const std::string& file) {
  const OwnLibrary own = own_library(file);
  const std::string program = interpreter();
  open_python(file, own, program);
  void* const library = ::dlopen(own.file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw InputError("firmware " + file + ": layers in Python cannot be run: " + ::dlerror());
  const auto load = entry_of<decltype(&tessera_python_load)>(library, "tessera_python_load");
  const auto layer_at = entry_of<decltype(&tessera_python_layer)>(library, "tessera_python_layer");
  const auto policy_at = entry_of<decltype(&tessera_python_policy)>(library, "tessera_python_policy");
  const auto interrupt = entry_of<decltype(&tessera_python_interrupt)>(library, "tessera_python_interrupt");
  if (load == nullptr || layer_at == nullptr || policy_at == nullptr || interrupt == nullptr)
    throw InputError("firmware " + file + ": " + own.file.string() + " is of another build");
  PluginGuard::set_interrupt(interrupt);
  const PluginGuard guard(file, "load");
  if (const char* const problem = load(file.c_str(), program.c_str()); problem != nullptr)
    throw InputError("firmware " + file + ": " + problem);
  OfferedFirmware offered;
  auto& [layers, policies] = offered;
  while (const tessera_layer* const layer = layer_at(static_cast<std::uint32_t>(layers.size()))) layers.push_back(layer);
  while (const tessera_policy* const policy = policy_at(static_cast<std::uint32_t>(policies.size()))) policies.push_back(policy);
  return offered;
}

}  // namespace tessera
