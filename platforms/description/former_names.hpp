#pragma once
// What drives and layers were called in earlier releases.
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Today's name of a drive or a layer, or of a layer's section, that had another one: `mu-rmw-paper` of `p000`, `shingled-in-place-14r23`
/// of `static-14r23`. Any other word is itself.
[[nodiscard]] std::string current_name(std::string_view name);

/// The other way: what a drive or a layer was called.
[[nodiscard]] std::vector<std::string> former_names_of(std::string_view name);

/// Whether two names differ at most in hyphens and underscores: `imr_20tb` and `imr-20tb`.
[[nodiscard]] bool spelled_alike(std::string_view a, std::string_view b);

}  // namespace tessera
