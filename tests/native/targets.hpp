// targets.hpp -- Every target. A new kernel gets a line here, one in targets.cpp, and a file.
#pragma once

#include "native.hpp"

namespace native {

void check_windows(Draws in);
void check_boundaries(Draws in);
void check_edits(Draws in);
void check_flexible(Draws in);
void check_alignment(Draws in);
void check_hierarchy(Draws in);
void check_random(Draws in);
void check_columns(Draws in);
void check_lists(Draws in);
void check_streams(Draws in);
void check_tokens(Draws in);
void check_scanners(Draws in);
void check_unitizing(Draws in);
void check_weighted(Draws in);
void check_sweeps(Draws in);
void check_probabilities(Draws in);
void check_threads(Draws in);

}  // namespace native
