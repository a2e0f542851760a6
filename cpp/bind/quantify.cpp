// quantify.cpp -- The misbehaviours of metrics on short texts (Diaz & Ouyang 2022).
#include "kernels/quantify.hpp"

#include "bind/bind.hpp"

namespace fencepost {
namespace {

// The misbehaviours of every reference of this many units; the reference is the index, as a mask.
Array<std::uint16_t> misbehaviours(Index units) {
    check_between("units", units, Index{2}, kMostUnits);
    const std::size_t count = std::size_t{1} << (units - 1);
    nb::capsule owner;
    std::uint16_t* out = owned<std::uint16_t>(count, owner);
    run(count, count * 64, [out, units, finder = Misbehaviours()](std::size_t row, const Stop&) mutable {
        out[row] = finder.find(units, static_cast<Mask>(row));
    });
    return Array<std::uint16_t>(out, {count}, owner);
}

}  // namespace

void bind_quantify(nb::module_& m) { m.def("misbehaviours", &misbehaviours, "units"_a); }

}  // namespace fencepost
