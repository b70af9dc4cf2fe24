#pragma once
// A failing run made short: settings, rows of their tables, cuts, restarts and requests that the failure does not need are left out.
#include "platforms/torture/combined_process.hpp"

namespace tessera {

struct MinimisedRun {
  CombinedRun run;
  CombinedResult result;  ///< that it ends with
};

/// `run` ended as `result` says. With as few of its parameters as it takes to end so again; `run` itself where no fewer do. Its requests
/// and cuts are drawn as before, for a drive that differs.
[[nodiscard]] MinimisedRun with_fewest_parameters(const CombinedRun& run, const CombinedResult& result, const CombinedDraw& draw,
                                                  const SearchPath& search, const CombinedFiles& files);

/// `drawn` ended as `result` says, its trace in `files`. Writes the shorter trace there. The result is `drawn` itself where nothing could
/// be left out, or where the run does not fail again.
[[nodiscard]] MinimisedRun minimised_run(const CombinedRun& run, const CombinedResult& result, const CombinedDraw& draw,
                                         const SearchPath& search, const CombinedFiles& files);

}  // namespace tessera
