#include "platforms/plugin/plugin_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "platforms/plugin/plugin_factory.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/plugin_policy.hpp"
#include "platforms/plugin/python_loader.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t most_offered = 256;

template <class Function>
Function find_entry(void* library, const char* name) {
  void* const symbol = ::dlsym(library, name);
  Function function = nullptr;
  static_assert(sizeof function == sizeof symbol);
  std::memcpy(&function, &symbol, sizeof function);  // ISO C++ has no cast from object to function pointers
  return function;
}

constexpr std::string_view python = ".py";

/// "; did you mean './my-log.so'?", of the libraries and Python files in the folder that the name is in.
std::string nearest_library(const std::filesystem::path& file) {
  std::vector<std::string> known;
  std::error_code error;
  for (std::filesystem::directory_iterator at(std::filesystem::absolute(file).parent_path(), error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".so" || at->path().extension() == python) known.push_back(at->path().filename().string());
  std::ranges::sort(known);
  const std::string nearest = nearest_name(file.filename().string(), known);
  return nearest.empty() ? "" : "; did you mean '" + (file.parent_path() / nearest).string() + "'?";
}

/// What one of a library's entries gives, one after the other; nothing where there is no such entry.
template <class Offered>
std::vector<const Offered*> offered_by(const std::string& library, const Offered* (*at)(std::uint32_t, std::uint32_t), std::uint32_t abi,
                                       const char* entry) {
  std::vector<const Offered*> offered;
  if (at == nullptr) return offered;
  const PluginGuard guard(library, entry);
  while (offered.size() < most_offered) {
    const Offered* const code = at(abi, static_cast<std::uint32_t>(offered.size()));
    if (code == nullptr) break;
    offered.push_back(code);
  }
  return offered;
}

OfferedFirmware offered_by_library(const std::string& name, const std::filesystem::path& file) {
  constexpr const char* of_layers = "tessera_firmware_layer";
  constexpr const char* of_policies = "tessera_firmware_policy";
  void* const handle = ::dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw InputError("firmware " + name + " cannot be loaded: " + ::dlerror());
  const auto layer_at = find_entry<decltype(&tessera_firmware_layer)>(handle, of_layers);
  const auto policy_at = find_entry<decltype(&tessera_firmware_policy)>(handle, of_policies);
  if (layer_at == nullptr && policy_at == nullptr)
    throw InputError("firmware " + name + ": it exports neither " + of_layers + "() nor " + of_policies +
                     "(), so it is no firmware for this program (tessera_firmware.h, tessera_policy.h)");
  OfferedFirmware offered{offered_by(name, layer_at, TESSERA_FIRMWARE_ABI, of_layers),
                          offered_by(name, policy_at, TESSERA_POLICY_ABI, of_policies)};
  if (offered.layers.empty() && layer_at != nullptr && offered.policies.empty())
    throw InputError("firmware " + name + ": " + of_layers + "() gives no layer for version " + std::to_string(TESSERA_FIRMWARE_ABI) +
                     " of the firmware interface");
  if (offered.policies.empty() && layer_at == nullptr)
    throw InputError("firmware " + name + ": " + of_policies + "() gives no policy for version " + std::to_string(TESSERA_POLICY_ABI) +
                     " of the policy interface");
  return offered;
}

}  // namespace

LoadedFirmware load_firmware(const FirmwareLibrary& library) {
  const std::string name = library.file.string();
  if (!std::filesystem::is_regular_file(library.file))
    throw InputError("firmware " + name + ": there is no such file" + nearest_library(library.file));
  PluginGuard::set_patience(library.patience);
  const OfferedFirmware offered = library.file.extension() == python ? offered_by_python(name) : offered_by_library(name, library.file);
  LoadedFirmware loaded;
  for (const tessera_layer* code : offered.layers) loaded.layers.push_back(std::make_unique<PluginFactory>(name, *code));
  for (const tessera_policy* code : offered.policies) {
    auto policy = std::make_shared<PluginPolicies>(name, *code);
    for (const auto& other : loaded.policies)
      if (other->name() == policy->name()) throw InputError("firmware " + name + ": two policies have the name '" + policy->name() + "'");
    loaded.policies.push_back(std::move(policy));
  }
  return loaded;
}

}  // namespace tessera
