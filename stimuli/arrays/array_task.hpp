#pragma once
// Work on one row of an array. A task goes in stages: it sends commands to members of the row and goes on when all are answered.
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/request_life.hpp"
#include "stimuli/arrays/array_host.hpp"
#include "stimuli/arrays/parity.hpp"
#include "stimuli/arrays/write_plan.hpp"

namespace tessera {

class ArrayTask : public CommandReceiver, public RowLockWaiter {
 public:
  ArrayTask(ArrayHost& host, ArrayRow row);
  virtual ~ArrayTask() = default;
  ArrayTask(const ArrayTask&) = delete;
  ArrayTask& operator=(const ArrayTask&) = delete;

  virtual void start() = 0;
  [[nodiscard]] ArrayRow row() const { return row_; }
  /// Where its host keeps it; the host's own.
  std::size_t index = 0;
  /// How many rows it works on, from row() on.
  [[nodiscard]] virtual std::uint64_t rows() const { return 1; }
  /// Whether a power cut now may leave the rows' data and parity apart.
  [[nodiscard]] virtual bool writes_row() const { return false; }

 protected:
  /// A command of a stage.
  struct Step {
    std::uint32_t member = 0;
    HostOp op = HostOp::read;
    ChunkRange range;
    Content content;                          ///< of a write
    std::optional<std::uint32_t> drive = {};  ///< instead of the one that the member lies on
    std::optional<HostRun> blocks = {};       ///< instead of the range of the row
    bool force_unit_access = false;
    bool probes = false;  ///< of a drive whose error is known: another one tells nothing new
  };
  /// Asks for the range of the row's members; locked_in() follows.
  void lock(ChunkRange range);
  virtual void locked_in() {}
  /// Sends at least one command; stage_over() follows. A drive that failed, or that is thrown out for its answer, answers Status::aborted.
  void begin_stage(std::vector<Step> steps, CommandPriority priority);
  /// The same with one command.
  void begin_step(Step&& step, CommandPriority priority);
  virtual void took(std::uint32_t member, HostRequest& command) = 0;
  virtual void stage_over() = 0;
  /// Gives locks back and ends the task, which is the caller's own now.
  [[nodiscard]] std::unique_ptr<ArrayTask> end();

  [[nodiscard]] std::size_t bytes(std::uint32_t blocks) const { return std::size_t{blocks} * host_.kept_; }
  [[nodiscard]] std::vector<bool> missing() const { return host_.missing_in(row_); }

  ArrayHost& host_;
  ArrayRow row_;
  RequestLife life_;

 private:
  static void send(ArrayHost& host, ArrayTask& task, ArrayRow row, Step& step, CommandPriority priority);
  void answered(std::uint32_t number, HostRequest& command) final;
  void locked() final;

  std::uint32_t open_ = 0;                                          // commands of the stage
  boost::container::small_vector<ArrayHost::SentCommand, 2> sent_;  // in it
  bool has_lock_ = false;
};

}  // namespace tessera
