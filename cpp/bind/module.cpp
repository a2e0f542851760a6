// module.cpp -- The Python module _core: columns in, arrays of counts out.
#include <nanobind/stl/pair.h>

#include "bind/bind.hpp"
#include "streams/stream_step.hpp"
#include "support/memory.hpp"

namespace {

// The compiler of this module and the instructions it uses here, for error reports.
std::pair<std::string, std::string> build() {
#if defined(__clang__)
    const std::string compiler = __VERSION__;
#elif defined(__GNUC__)
    const std::string compiler = "GCC " __VERSION__;
#elif defined(_MSC_VER)
    const std::string compiler = "MSVC " + std::to_string(_MSC_VER);
#else
    const std::string compiler = "an unknown compiler";
#endif
#ifdef FENCEPOST_AVX2
    if (fencepost::has_avx2()) return {compiler, "AVX2"};
#endif
    return {compiler, "baseline"};
}

}  // namespace

NB_MODULE(_core, m) {
    using namespace fencepost;
    nb::set_leak_warnings(false);  // metrics keep prepared recipes until the interpreter ends
    m.doc() = "Kernels of fencepost: trusted columns in, counts out.";
    m.def("build", &build);
    m.def("set_threads", [](unsigned n) { thread_count = n < 1 ? 1 : n; }, "n"_a);
    m.def("get_threads", [] { return thread_count.load(); });
    m.def("keep_memory", &keep_memory, "bytes"_a);
    bind_pairs(m);
    bind_single(m);
    bind_window(m);
    bind_boundary(m);
    bind_edit(m);
    bind_alignment(m);
    bind_flexible(m);
    bind_hierarchy(m);
    bind_sweep(m);
    bind_unitizing(m);
    bind_probabilities(m);
    bind_random(m);
    bind_gather(m);
    bind_streams(m);
    bind_tokens(m);
    bind_parsing(m);
    bind_lists(m);
    bind_compat(m);
}
