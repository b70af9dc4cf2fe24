#include "platforms/plugin/plugin_policy.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/firmware_fault.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/plugin_names.hpp"
#include "platforms/plugin/plugin_reporter.hpp"

namespace tessera {

namespace {

enum class Question : std::uint8_t { none, when, choose };

/// While the power is on.
class PluginPolicy final : public GuestPolicy {
 public:
  PluginPolicy(const PluginPolicies& of, const tessera_policy& code, const std::vector<tessera_value>& values, const Ports& ports)
      : of_(of), code_(code), cpu_(ports.cpu), host_(ports.host) {
    call("create", [&] { self_ = code_.create(&code_, &machine_, values.data()); });
    if (self_ == nullptr) give_up("create() gave no policy");
    settle();
  }
  ~PluginPolicy() override {
    if (self_ == nullptr) return;
    const PluginGuard guard(of_.firmware(), "destroy");
    code_.destroy(self_);
  }
  PluginPolicy(const PluginPolicy&) = delete;
  PluginPolicy& operator=(const PluginPolicy&) = delete;

  void stand_for(CleaningPolicy& own) override { own_ = &own; }
  [[nodiscard]] bool cleans_ahead() const override { return code_.when != nullptr || own_->cleans_ahead(); }

  [[nodiscard]] Picoseconds when(const CleaningView& view) override {
    if (code_.when == nullptr || gave_up_) return own_->cleans_ahead() ? own_->when(view) : never;
    const std::uint64_t at = ask(Question::when, "when", view, code_.when);
    if (gave_up_) return when(view);
    if (at == TESSERA_NEVER) return never;
    const Picoseconds now = cpu_.now();
    return at <= now.value() ? now : std::max(Picoseconds(at), now + Picoseconds(TESSERA_SOONEST));
  }

  [[nodiscard]] std::uint64_t choose(const CleaningView& view) override {
    if (code_.choose == nullptr || gave_up_) return own_->choose(view);
    const std::uint64_t number = ask(Question::choose, "choose", view, code_.choose);
    if (!gave_up_ && (number >= view.units() || !view.cleanable(number))) give_up(no_unit(number, view));
    settle();
    if (gave_up_) return own_->choose(view);
    ++cleaned_[number];
    return number;
  }

  void arrived(const HostCommand& command) override {
    if (code_.arrived == nullptr || gave_up_) return;
    if (command.op > HostOp::trim) return;
    const tessera_arrival arrival{.time = cpu_.now().value(),
                                  .kind = static_cast<std::uint32_t>(command.op),
                                  .blocks = static_cast<std::uint32_t>(command.blocks.count),
                                  .first = command.blocks.first.value()};
    call("arrived", [&] { code_.arrived(self_, &arrival); });
    settle();
  }

  void served(Picoseconds latency) override {
    ++served_;
    latency_ += latency;
  }

  void report(MetricSet& metrics) const override {
    if (code_.report == nullptr || gave_up_) return;
    std::string fault;
    {
      const PluginGuard guard(of_.firmware(), "report");
      fault = reported([this](const tessera_reporter* reporter) { code_.report(self_, reporter); }, metrics);
    }
    if (!fault.empty()) give_up("report(): " + fault);
    settle();
  }

 private:
  static_assert(TESSERA_READ == static_cast<std::uint32_t>(HostOp::read) && TESSERA_TRIM == static_cast<std::uint32_t>(HostOp::trim));

  [[nodiscard]] std::string dated(const std::string& sentence) const {
    return of_.firmware() + ", at " + in_milliseconds(cpu_.now()) + ": " + sentence;
  }
  /// Keeps the first sentence; an exception must not pass through the library.
  void give_up(const std::string& sentence) const {
    if (!gave_up_) fault_ = dated(sentence);
    gave_up_ = true;
  }
  void settle() const {
    if (!fault_.empty()) of_.fault(std::exchange(fault_, ""));
  }

  [[nodiscard]] static std::string no_unit(std::uint64_t number, const CleaningView& view) {
    const std::string chose = "choose() gave " + (number == TESSERA_NEVER ? "no unit" : "unit " + std::to_string(number));
    std::vector<CleaningUnit> found;
    view.find(found);
    if (found.empty()) return chose;
    const auto nearest = std::ranges::min_element(
        found, {}, [&](const CleaningUnit& unit) { return std::max(unit.number, number) - std::min(unit.number, number); });
    return chose +
           (number < view.units()     ? ", of which the cache holds nothing"
            : number == TESSERA_NEVER ? ""
                                      : ", which there is not") +
           "; expected one of the " + std::to_string(found.size()) + " that list() gives, such as " + std::to_string(nearest->number);
  }

  /// A policy that loops is no more asked, nor destroyed: what it has in hand is lost.
  template <class Work>
  void call(const char* name, Work work) {
    PluginGuard guard(of_.firmware(), name);
    const char* const loop = guard.leave_loop_of(
        reinterpret_cast<const void*>(code_.create), [](void* of) { (*static_cast<Work*>(of))(); }, &work);
    if (loop == nullptr) return;
    give_up(loop);
    self_ = nullptr;
  }

  std::uint64_t ask(Question question, const char* name, const CleaningView& view,
                    std::uint64_t (*function)(void*, const tessera_cleaning*)) {
    const CleaningLevels levels = view.levels();
    const tessera_cleaning told{.now = cpu_.now().value(),
                                .last_activity = host_.last_activity().value(),
                                .served = served_,
                                .latency = latency_.value(),
                                .outstanding = host_.outstanding(),
                                .waiting = levels.waiting,
                                .needed = question == Question::choose && view.needed() ? 1U : 0U,
                                .units = levels.units,
                                .used = levels.used,
                                .room = levels.room,
                                .cached = levels.cached,
                                .entries = levels.entries,
                                .most_entries = levels.most_entries};
    question_ = question;
    view_ = &view;
    std::uint64_t answer = TESSERA_NEVER;
    call(name, [&] { answer = function(self_, &told); });
    question_ = Question::none;
    view_ = nullptr;
    settle();
    return answer;
  }

  static PluginPolicy& of(tessera_policy_machine* machine) { return *static_cast<PluginPolicy*>(machine->context); }
  /// Whether the policy is being asked, as what it calls needs.
  bool asked(const char* service) {
    if (question_ == Question::none) give_up(std::string(service) + "() outside when() and choose()");
    return question_ != Question::none;
  }

  static std::uint32_t list(tessera_policy_machine* machine, const tessera_unit** units) {
    PluginPolicy& self = of(machine);
    self.listed_.clear();
    *units = nullptr;
    if (!self.asked("list")) return 0;
    self.found_.clear();
    self.view_->find(self.found_);
    self.cpu_.scan(self.found_.size());
    for (const CleaningUnit& unit : self.found_) {
      const auto cleaned = self.cleaned_.find(unit.number);
      self.listed_.push_back({.number = unit.number,
                              .first = unit.first.value(),
                              .sectors = unit.sectors,
                              .held = unit.held,
                              .cached = unit.cached,
                              .entries = unit.entries,
                              .oldest = unit.oldest,
                              .newest = unit.newest,
                              .cleaned = cleaned == self.cleaned_.end() ? 0 : cleaned->second});
    }
    *units = self.listed_.data();
    return static_cast<std::uint32_t>(self.listed_.size());
  }
  static std::uint64_t own(tessera_policy_machine* machine) {
    PluginPolicy& self = of(machine);
    if (!self.asked("own")) return TESSERA_NEVER;
    return self.question_ == Question::choose ? self.own_->choose(*self.view_) : self.own_->when(*self.view_).value();
  }
  static void charge(tessera_policy_machine* machine, std::uint32_t operation, std::uint64_t times) {
    PluginPolicy& self = of(machine);
    if (!self.asked("charge")) return;
    if (operation >= cpu_operations) return self.give_up("charge() names operation " + std::to_string(operation) + " of the processor");
    self.cpu_.charge(static_cast<CpuOperation>(operation), times);
  }
  static int write_waiting(tessera_policy_machine* machine, std::uint64_t first, std::uint64_t end) {
    return of(machine).host_.write_waiting(LogicalSector(first), LogicalSector(end), no_host_tag) ? 1 : 0;
  }
  static void log(tessera_policy_machine* machine, const char* line) {
    std::fprintf(stderr, "firmware %s: %s\n", in_milliseconds(of(machine).cpu_.now()).c_str(), line == nullptr ? "" : line);
  }
  static void panic(tessera_policy_machine* machine, const char* sentence) {
    of(machine).give_up(sentence == nullptr ? "panic() without a text" : std::string("panic: ") + sentence);
  }

  const PluginPolicies& of_;
  const tessera_policy& code_;
  CpuPort& cpu_;
  HostPort& host_;
  tessera_policy_machine machine_{.abi = TESSERA_POLICY_ABI,
                                  .size = sizeof(tessera_policy_machine),
                                  .context = this,
                                  .list = list,
                                  .own = own,
                                  .charge = charge,
                                  .write_waiting = write_waiting,
                                  .log = log,
                                  .panic = panic};
  void* self_ = nullptr;
  CleaningPolicy* own_ = nullptr;
  Question question_ = Question::none;
  const CleaningView* view_ = nullptr;
  std::vector<CleaningUnit> found_;
  std::vector<tessera_unit> listed_;
  std::unordered_map<std::uint64_t, std::uint32_t> cleaned_;
  std::uint64_t served_ = 0;
  Picoseconds latency_;           // of these
  mutable bool gave_up_ = false;  // report() may, too
  mutable std::string fault_;
};

}  // namespace

PluginPolicies::PluginPolicies(const std::string& library, const tessera_policy& code) : firmware_(library), code_(code) {
  if (code.abi != TESSERA_POLICY_ABI || code.size != sizeof(tessera_policy))
    throw InputError("firmware " + library + ": made for version " + std::to_string(code.abi) + " of the policy interface (" +
                     std::to_string(code.size) + " B a policy); this program has version " + std::to_string(TESSERA_POLICY_ABI) + " (" +
                     std::to_string(sizeof(tessera_policy)) + " B): compile it with this program's tessera_policy.h");
  if (code.name == nullptr || *code.name == '\0') throw InputError("firmware " + library + ": a policy without a name");
  if (const std::string fault = fault_of_layer_name(code.name); !fault.empty())
    throw InputError("firmware " + library + ": a policy " + fault);
  firmware_ += " (" + name() + ")";
  const char* const lacks = code.create == nullptr                           ? "create"
                            : code.destroy == nullptr                        ? "destroy"
                            : code.when == nullptr && code.choose == nullptr ? "when and choose, one of which it needs"
                                                                             : nullptr;
  if (lacks != nullptr) throw InputError("firmware " + firmware_ + ": it lacks " + lacks);
  parameters_.emplace(firmware_, code.parameters, code.parameter_count);
}

std::unique_ptr<GuestPolicy> PluginPolicies::make(const Ports& ports) const {
  return std::make_unique<PluginPolicy>(*this, code_, parameters_->values(), ports);
}

void PluginPolicies::fault(const std::string& sentence) const {
  if (!listener_) throw FirmwareFault(sentence);
  listener_(sentence);
}

}  // namespace tessera
