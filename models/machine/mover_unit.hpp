#pragma once
// The data mover's registers, and the staging buffers that it lends: copies, merges and marks of whole sectors. The processor stands still
// while data moves.
#include <map>

#include "machine/machine.hpp"
#include "machine/register_file.hpp"

namespace tessera {

/// The processor, as far as a unit can make it wait for the end of an access.
class HeldProcessor {
 public:
  /// Whether time passes: not before the boot, when nothing takes any.
  [[nodiscard]] virtual bool timed() const = 0;
  /// The access in hand does not end before release().
  virtual void hold() = 0;
  virtual void release(Picoseconds at) = 0;

 protected:
  ~HeldProcessor() = default;
};

class MoverUnit final : public RegisterUnit {
 public:
  MoverUnit(Machine& machine, HeldProcessor& processor) : machine_(machine), processor_(processor) {}

  std::uint64_t read(hal::Register which) override;
  void write(hal::Register which, std::uint64_t value) override;

 private:
  void start(std::uint64_t operation);
  void move(hal::MoverOperation operation);
  Task<void> move_in_task(hal::MoverOperation operation);
  void acquire();
  void release();
  void find_lost();
  [[nodiscard]] DataSpan named(std::uint64_t address, std::uint64_t sectors) const;

  Machine& machine_;
  HeldProcessor& processor_;
  std::map<std::uint64_t, DataBuffer> acquired_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t result_ = 0;
};

}  // namespace tessera
