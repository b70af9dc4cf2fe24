#pragma once
// A resource that several parties use in short turns (a bus, the data bus of a DRAM), in closed form: whole extents are reserved, and the
// cost of a reservation depends on the number of parties alone, not on sizes.
//
// An extent has `work`, the time that it would take with the resource to itself, and a pace: its source or sink moves it in no less than
// `pace`. Its demand is work / pace. Where the demands of the extents that overlap sum to no more than the resource, each runs at its pace.
// Where they sum to more, the newcomer gets what the arbitration gives it against the others, piece by piece between their begins and
// ends; what it falls behind its pace meanwhile waits in the FIFO of its engine and is made up for as soon as there is time.
//
// Who reserved earlier has its end already: what a newcomer takes from it is moved behind that end, against whoever comes then, and the
// party's next extent begins no earlier. Against turns taken one by one (tests/unit/bus) the last extent to be reserved ends
// within a turn of each party, plus a quarter of the work of the others where more than two overlap, as what they got before is kept as an
// average; one that others overlapped later ends early by no more than as much and their work times the number of parties. Streams that
// want all of the resource together end within a quarter of the time that their work takes; however long they go on, they
// are ahead of it by no more than half of what all parties can have under way, although some reserve for times to come.
#include <array>
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace tessera {

class SharedResource {
 public:
  /// Parties of a higher priority go before; those of one priority share by weight what the others leave.
  struct Party {
    std::uint32_t weight = 1;
    std::uint32_t priority = 0;
  };

  struct Grant {
    Picoseconds end;
    Picoseconds behind;  ///< the most work that the extent was behind its pace
  };

  explicit SharedResource(std::vector<Party> parties = {});

  /// Reserves an extent, which comes after those that the party has reserved. With no pace it runs as fast as it may. A party that was not
  /// named has weight 1 and priority 0.
  Grant reserve(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds pace = {});

  /// When the extents that the party has reserved end, and with them what others took from it.
  [[nodiscard]] Picoseconds free(std::size_t party) const { return party < windows_.size() ? windows_[party].end : Picoseconds(0); }

  /// Whether an extent is under way.
  [[nodiscard]] bool busy(Picoseconds at) const;

  /// A single short turn of `length` in between, which needs no party: gives when it begins. It waits for the end of the turn under way:
  /// exactly where one extent has all of the resource, half a turn for the share that is taken where several have it.
  Picoseconds slip_in(Picoseconds at, Picoseconds length, Picoseconds turn) {
    return at >= last_end_ ? at : slip_between(at, length, turn);
  }

  /// From here on nothing is reserved.
  [[nodiscard]] Picoseconds last_end() const { return last_end_; }

  /// Forgets everything (power cut).
  void clear();

 private:
  using Share = std::uint64_t;
  static constexpr Share whole = Share{1} << 24;

  /// What a party reserved last, and the stretch of extents that it followed closely.
  struct Window {
    Picoseconds first;   ///< begin of the stretch
    Picoseconds before;  ///< work of the stretch
    Picoseconds begin;
    Picoseconds end;
    Picoseconds work;
    Share wanted = 0;      ///< what it would have at once if there were enough
    Share had_before = 0;  ///< before / (begin - first), once somebody asked
    Share had = 0;         ///< work / (end - begin), likewise
    Picoseconds owed;      ///< taken by the newcomer in hand, to be moved behind the end
    /// Its share at an instant from `first` to `end`.
    [[nodiscard]] Share at(Picoseconds when);
  };
  /// A party that wants a share of one piece of time.
  struct Claim {
    std::size_t party;
    Share wanted;
    Share granted;
  };

  Picoseconds slip_between(Picoseconds at, Picoseconds length, Picoseconds turn);
  [[nodiscard]] bool alone(std::size_t party, Picoseconds begin, Picoseconds end) const;
  [[gnu::cold]] void add_parties(std::size_t count);
  [[nodiscard]] Grant undisturbed(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds due);
  [[nodiscard, gnu::noinline]] Grant beside_others(std::size_t party, Picoseconds begin, Picoseconds work, Picoseconds due,
                                                   Picoseconds moved);
  [[nodiscard]] Grant contended(std::size_t party, Picoseconds& begin, Picoseconds work, Picoseconds due, Share pace);
  [[nodiscard]] Picoseconds collect(std::size_t party, Picoseconds at);
  void arbitrate();
  void divide(std::uint32_t priority, Share& left);
  void charge_others(Picoseconds at, Picoseconds length);
  void settle(Picoseconds at);
  void keep(Window& window, Picoseconds begin, Picoseconds end, Picoseconds work, Share wanted);
  [[nodiscard]] Picoseconds beyond_tolerance(Picoseconds early, Picoseconds begin) const;
  [[nodiscard]] Picoseconds all_moved(Picoseconds begin, Picoseconds work);
  [[nodiscard, gnu::noinline]] Picoseconds all_moved_before(Picoseconds begin, Picoseconds work);

  std::vector<Party> parties_;
  std::vector<Window> windows_;      // by party
  std::vector<std::size_t> others_;  // that have something after the newcomer's begin, or are owed
  std::vector<Claim> claims_;        // on the piece in hand; the newcomer's first
  Picoseconds last_end_;
  /// What began since `from` is work enough until `until`, however it was shared.
  struct Stretch {
    Picoseconds from;
    Picoseconds until;
  };
  static constexpr std::size_t most_stretches = 8;   // of which some lie ahead: a processor reserves for times to come
  std::array<Stretch, most_stretches> stretches_{};  // a ring in the order of their begins, with time between them
  std::size_t last_ = 0;                             // in it
};

}  // namespace tessera
