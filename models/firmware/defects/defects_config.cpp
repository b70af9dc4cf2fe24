#include "firmware/defects/defects_config.hpp"

namespace tessera {

void DefectsConfig::describe(ParameterVisitor& visitor) {
  visitor.field("read_retries", read_retries, {1, 1000}, "how often a sector that cannot be read is read again before it counts as lost");
  visitor.field("write_retries", write_retries, {1, 1000},
                "how often a sector that cannot be written is tried again before it gets a spare");
  visitor.field("relocate_after", relocate_after, {1, 1001},
                "a sector that came back only at this retry or a later one is moved to a spare");
}

}  // namespace tessera
