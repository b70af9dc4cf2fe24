#pragma once
// What a user set and what has no effect: "NAME: without effect, WHY". A field says why it may have none where it is declared
// (ParameterVisitor::unused_where); what depends on another block's values comes as a list.
#include <string>
#include <string_view>
#include <vector>

#include "platforms/description/listing.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera {

/// Parameters that have no effect beside other values.
struct UnusedParameters {
  std::string path;  ///< of one, or, with a '.' or '_' at its end, of all whose paths begin so
  std::string why;   ///< a clause, as for ParameterVisitor::unused_where()
  /// A file may well hold them for another use than this one: told only of what the command line sets.
  bool for_other_uses = false;

  [[nodiscard]] bool covers(std::string_view parameter) const;
};

/// A sentence, without its full stop, for each reason why parameters that the user set have no effect, naming them. Overrides on the
/// command line count whatever they set; values of the user's own files that differ from `defaults`; those of a library of descriptions
/// never do.
[[nodiscard]] std::vector<std::string> unused_sentences(const std::vector<Parameter>& values, const std::vector<Parameter>& defaults,
                                                        const std::vector<UnusedParameters>& between_blocks, const TomlDocument& document);

}  // namespace tessera
