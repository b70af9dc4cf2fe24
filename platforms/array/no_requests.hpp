#pragma once
// The input of a run in which only what the array's file says happens.
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

class NoRequests final : public TraceSource {
 public:
  bool next(TraceRecord&) override { return false; }
  [[nodiscard]] std::string position() const override { return "-"; }
  [[nodiscard]] std::string volume_name(std::uint32_t) const override { return "-"; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
};

}  // namespace tessera
