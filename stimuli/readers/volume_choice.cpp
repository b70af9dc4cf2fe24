#include "stimuli/readers/volume_choice.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"

namespace tessera {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The digits at the end of a name, which may be all of it.
std::string_view number_of(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  return last == std::string_view::npos ? name : name.substr(last + 1);
}

class VolumeChoice final : public TraceAdaptation {
 public:
  VolumeChoice(std::unique_ptr<TraceSource> inner, std::string name) : TraceAdaptation(std::move(inner)), name_(std::move(name)) {}

  bool next(TraceRecord& record) override {
    while (inner_->next(record)) {
      while (seen_.size() <= record.volume) meet(inner_->volume_name(static_cast<std::uint32_t>(seen_.size())));
      if (chosen_ == record.volume) return true;
    }
    if (!chosen_) throw InputError("--volume: " + unknown_name("volume", name_, seen_));
    return false;
  }

 private:
  void meet(const std::string& volume) {
    const bool fits = volume == name_ || (all_digits(name_) && number_of(volume) == name_);
    if (fits && chosen_) throw InputError("--volume " + name_ + ": may be " + seen_[*chosen_] + " or " + volume + "; name it in full");
    if (fits) chosen_ = static_cast<std::uint32_t>(seen_.size());
    seen_.push_back(volume);
  }

  const std::string name_;
  std::vector<std::string> seen_;
  std::optional<std::uint32_t> chosen_;
};

}  // namespace

std::unique_ptr<TraceSource> choose_volume(std::unique_ptr<TraceSource> inner, const std::string& name) {
  return std::make_unique<VolumeChoice>(std::move(inner), name);
}

}  // namespace tessera
