#pragma once
// What this program is called in messages.
#include <string>
#include <string_view>

namespace tessera {

/// `tessera-sim`, or the front end that started it and whose command the user typed: TESSERA_CALLED_AS=tessera in the environment.
[[nodiscard]] std::string_view program_name();

/// `text` with every command of this program in it under `name`. Paths, as of `build/release/tessera-sim`, stay.
[[nodiscard]] std::string commands_under(std::string_view name, std::string_view text);

/// The same under the present name.
[[nodiscard]] inline std::string as_called(std::string_view text) { return commands_under(program_name(), text); }

}  // namespace tessera
