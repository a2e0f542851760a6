#include "native.hpp"

namespace native {

namespace {

// The gap from one cut to the next: mostly small, so that sides meet.
Index draw_gap(Draws& in, Index near, Index far) { return in.rarely() ? in.number(1, far) : in.number(1, near); }

Side draw_side(Draws& in, const Shape& shape, Index units, std::size_t kinds, Index near, Index far, bool dense) {
    Side side;
    const std::size_t count = in.size(0, shape.most_cuts);
    const Index last = kinds > 0 ? units : units - 1;  // with kinds a cut may be at the end
    Index at = 0;
    Kind before = -1;
    while (side.cuts.size() < count) {
        const bool stays = at > 0 && kinds > 1 && shape.several_at_one && in.coin();
        if (!stays || before + 1 >= static_cast<Kind>(kinds)) {
            at += dense ? 1 : draw_gap(in, near, far);
            before = -1;
        }
        if (at > last) break;
        if (kinds > 0) {
            before = static_cast<Kind>(in.number(before + 1, static_cast<Index>(kinds) - 1));
            side.kinds.push_back(before);
        }
        side.cuts.push_back(at);
    }
    return {exactly(side.cuts), exactly(side.kinds)};
}

}  // namespace

Drawn draw_texts(Draws& in, const Shape& shape) {
    Drawn drawn;
    static constexpr Index sizes[] = {12, 80, 200, 3000, Index{1} << 31, Index{1} << 40};
    const Index most = std::min(shape.most_units, in.any_of(sizes));
    drawn.units = in.rarely() ? in.number(1, most) : most - in.number(0, most / 3);
    const Index near = in.number(1, 5);
    const Index far = std::max<Index>(near, drawn.units / in.number(4, 40));
    if (shape.most_kinds > 0 && in.number(0, 3) > 0) drawn.kinds = in.size(1, shape.most_kinds);
    drawn.ref = draw_side(in, shape, drawn.units, drawn.kinds, near, far, in.rarely());
    drawn.hyp = in.rarely() ? drawn.ref : draw_side(in, shape, drawn.units, drawn.kinds, near, far, in.rarely());
    return drawn;
}

}  // namespace native
