#include "targets.hpp"

namespace native {

std::span<const Target> targets() {
    static constexpr Target all[] = {
#ifndef FENCEPOST_THREADS
        {"windows", check_windows},     {"boundaries", check_boundaries},
        {"edits", check_edits},         {"flexible", check_flexible},
        {"alignment", check_alignment}, {"hierarchy", check_hierarchy},
        {"random", check_random},       {"columns", check_columns},
        {"lists", check_lists},         {"streams", check_streams},
        {"tokens", check_tokens},       {"scanners", check_scanners},
        {"unitizing", check_unitizing}, {"weighted", check_weighted},
        {"sweeps", check_sweeps},       {"probabilities", check_probabilities},
#endif
        {"threads", check_threads},
    };
    return all;
}

}  // namespace native
