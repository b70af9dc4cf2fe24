#pragma once
// What firmware has submitted to a unit, to be carried out by a task of the executor: the way by which the ports of the controller work. A
// host command's errands are carried out by its own task, so that its life tells where its time went.
#include <cstdint>

#include "firmware/ports/task.hpp"

namespace tessera {

class ErrandWorker {
 public:
  /// Carries out what it has kept under `number`, and tells the firmware.
  virtual Task<void> carry_out(std::uint64_t number) = 0;

 protected:
  ~ErrandWorker() = default;
};

class Errands {
 public:
  /// `tag`: of the host command whose task is to carry it out, if it waits for work; else a task of its own does.
  virtual void give(std::uint32_t tag, ErrandWorker& worker, std::uint64_t number) = 0;

 protected:
  ~Errands() = default;
};

}  // namespace tessera
