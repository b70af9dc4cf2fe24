#include "platforms/serve/drive_server.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include "platforms/run/stop_signals.hpp"

namespace tessera {

namespace {

constexpr std::chrono::milliseconds farewell{1000};

}  // namespace

DriveServer::DriveServer(ListeningPlace nbd, ListeningPlace zones) : nbd_(std::move(nbd)), zones_(std::move(zones)) {
  sigset_t set = stop_signal_set();
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  signals_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

DriveServer::~DriveServer() {
  disconnect_all();
  while (signal() != 0) {  // one that came twice asks for nothing more
  }
  ::close(signals_);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int DriveServer::signal() {
  signalfd_siginfo information{};
  return ::read(signals_, &information, sizeof information) == sizeof information ? static_cast<int>(information.ssi_signo) : 0;
}

void DriveServer::poll(std::optional<std::chrono::nanoseconds> patience) {
  std::vector<pollfd> places{{signals_, POLLIN, 0}};
  const std::size_t of_nbd = nbd_.watch(places);
  zones_.watch(places);
  timespec limit{};
  if (patience) {
    limit.tv_sec = static_cast<time_t>(std::chrono::duration_cast<std::chrono::seconds>(*patience).count());
    limit.tv_nsec = static_cast<long>((*patience % std::chrono::seconds(1)).count());
  }
  if (::ppoll(places.data(), places.size(), patience ? &limit : nullptr, nullptr) <= 0) return;
  nbd_.handle(std::span(places).subspan(1, of_nbd));
  zones_.handle(std::span(places).subspan(1 + of_nbd));
}

void DriveServer::disconnect_all() {
  nbd_.clients().disconnect_all();
  zones_.clients().disconnect_all();
}

void DriveServer::say_farewell() {
  const auto end = std::chrono::steady_clock::now() + farewell;
  for (auto now = end - farewell; (nbd_.clients().owes() || zones_.clients().owes()) && now < end; now = std::chrono::steady_clock::now()) {
    std::vector<pollfd> places;
    nbd_.clients().watch(places);
    const std::size_t of_nbd = places.size();
    zones_.clients().watch(places);
    for (pollfd& place : places)
      if ((place.events &= POLLOUT) == 0) place.fd = -1;
    if (::poll(places.data(), places.size(), static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(end - now).count())) <=
        0)
      break;
    nbd_.clients().handle(std::span(places).first(of_nbd));
    zones_.clients().handle(std::span(places).subspan(of_nbd));
  }
  disconnect_all();
}

}  // namespace tessera
