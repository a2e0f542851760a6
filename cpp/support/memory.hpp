// memory.hpp -- How much freed memory the process keeps for the next batch.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace fencepost {

// Keep up to this many bytes of freed memory instead of giving them back to the system, which
// would hand them out again page by page. Only glibc's allocator is asked; others keep memory.
inline void keep_memory(int bytes) {
#if defined(__GLIBC__)
    constexpr int largest = 1 << 25;  // glibc refuses a higher bound of what is mapped by itself
    mallopt(M_MMAP_THRESHOLD, bytes < largest ? bytes : largest);
    mallopt(M_TRIM_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}

}  // namespace fencepost
