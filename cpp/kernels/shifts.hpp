// shifts.hpp -- The table of costs by which NLTK computes the generalized Hamming distance.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

struct ShiftCosts {
    double insert, remove, shift;
};

// Bookstein, Kulyukin & Raita (2002), in the order of operations and in the floats of NLTK's table, so
// that the last bit is the same for any costs; hamming of boundary.hpp is exact and faster. O(ref x hyp)
// time (NLTK takes at most 10,000 marks), one row of memory. Row i is the i-th boundary of the hypothesis.
inline double shift_distance(std::span<const Index> ref, std::span<const Index> hyp, const ShiftCosts& costs,
                             const Stop& stop) {
    std::vector<double> row(ref.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = costs.insert * static_cast<double>(j);
    for (std::size_t i = 0; i < hyp.size(); ++i) {
        stop.check();
        double before = row[0];  // the cell above and to the left
        row[0] = costs.remove * static_cast<double>(i + 1);
        for (std::size_t j = 0; j < ref.size(); ++j) {
            const double moved = costs.shift * static_cast<double>(std::abs(hyp[i] - ref[j])) + before;
            double other = before;
            if (hyp[i] > ref[j]) other = costs.remove + row[j + 1];
            if (hyp[i] < ref[j]) other = costs.insert + row[j];
            before = row[j + 1];
            row[j + 1] = moved < other ? moved : other;
        }
    }
    return row.back();
}

}  // namespace fencepost
