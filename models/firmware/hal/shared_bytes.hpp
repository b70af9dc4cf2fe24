#pragma once
// Bytes of the firmware's that a device reads or writes: a ring, a descriptor.
#include <utility>

#include "firmware/hal/register_file.hpp"

namespace tessera::hal {

class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(RegisterFile& machine, std::size_t bytes) : machine_(&machine), data_(machine.share(bytes)), size_(bytes) {}
  SharedBytes(SharedBytes&& other) noexcept
      : machine_(other.machine_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  SharedBytes& operator=(SharedBytes&& other) noexcept {
    std::swap(machine_, other.machine_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~SharedBytes() {
    if (data_ != nullptr) machine_->give_back(data_);
  }

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  RegisterFile* machine_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tessera::hal
