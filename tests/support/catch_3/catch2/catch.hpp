/// Catch2 3 under the names of Catch2 2, so that the tests read alike with either: Debian 12 has the one, Debian 13 and Ubuntu 24.04 have
/// the other.
#pragma once

#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Message;
using Matchers::StartsWith;
inline auto Contains(const std::string& text) { return Matchers::ContainsSubstring(text); }
}  // namespace Catch
using Catch::Approx;
