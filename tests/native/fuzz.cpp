// fuzz.cpp -- The same targets under libFuzzer; FENCEPOST_TARGET names the one to run.
#include <cstdio>
#include <cstdlib>

#include "native.hpp"

namespace native {

void fail(const char* file, int line, const std::string& what) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
    std::abort();
}

static const Target* chosen = nullptr;

}  // namespace native

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("FENCEPOST_TARGET");
    for (const native::Target& target : native::targets())
        if (name && std::string_view(name) == target.name) native::chosen = &target;
    if (native::chosen) return 0;
    std::fprintf(stderr, "FENCEPOST_TARGET must be one of:");
    for (const native::Target& target : native::targets()) std::fprintf(stderr, " %s", target.name);
    std::fprintf(stderr, "\n");
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    native::chosen->check(native::Draws(std::span(data, size)));
    return 0;
}
