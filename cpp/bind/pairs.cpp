// pairs.cpp -- The columns of a Pairs as kernels read them.
#include "bind/bind.hpp"

namespace fencepost {
namespace {

template <class V>
void bind_rows(nb::module_& m, const char* name) {
    nb::class_<Rows<V>>(m, name).def(nb::init<Column<V>, Column<Index>, Column<V>, Column<Index>, Column<Index>,
                                              Column<Kind>, Column<Kind>, Column<double>, Column<double>>(),
                                     "ref"_a.noconvert(), "ref_offsets"_a.noconvert(), "hyp"_a.noconvert(),
                                     "hyp_offsets"_a.noconvert(), "units"_a.noconvert(), "ref_kinds"_a.noconvert(),
                                     "hyp_kinds"_a.noconvert(), "ref_weights"_a.noconvert(), "hyp_weights"_a.noconvert());
}

}  // namespace

void bind_pairs(nb::module_& m) {
    bind_rows<std::int32_t>(m, "Rows32");
    bind_rows<std::int64_t>(m, "Rows64");
}

}  // namespace fencepost
