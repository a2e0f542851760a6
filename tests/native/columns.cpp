// columns.cpp -- Sums of columns, rows picked, and hashes, beside sums in other orders.
#include <map>

#include "kernels/sums.hpp"
#include "native.hpp"
#include "support/gather.hpp"
#include "targets.hpp"

namespace native {
namespace {

void check_added_rows(Draws& in) {
    const std::size_t rows = in.size(0, 12), width = in.size(1, 3), groups = in.size(1, 4);
    std::vector<Index> counts(rows * width), group(rows), sums(groups * width, 0), expected(groups * width, 0);
    for (Index& count : counts) count = in.rarely() ? in.number(0, Index{1} << 58) : in.number(-9, 9);
    for (Index& one : group) one = in.number(0, static_cast<Index>(groups) - 1);
    for (std::size_t i = 0; i < counts.size(); ++i)
        expected[static_cast<std::size_t>(group[i / width]) * width + i % width] += counts[i];
    add_rows<Index>(counts, group, width, sums);
    CHECK(sums == expected);

    // Floats: as good as sums of 64 bits of mantissa, whatever the order.
    std::vector<double> values(rows * width), found(groups * width, 0.0);
    std::vector<long double> exact(groups * width, 0), size(groups * width, 0);
    for (double& value : values)
        value = std::ldexp(static_cast<double>(in.number(-1000, 1000)), static_cast<int>(in.number(-40, 40)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t to = static_cast<std::size_t>(group[i / width]) * width + i % width;
        exact[to] += static_cast<long double>(values[i]), size[to] += std::abs(static_cast<long double>(values[i]));
    }
    add_rows<double>(values, group, width, found);
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(std::abs(static_cast<long double>(found[i]) - exact[i]) <= 1e-15L * size[i]);
}

void check_gathered(Draws& in) {
    std::vector<Index> offsets{0};
    for (std::size_t rows = in.size(1, 6); rows > 0; --rows) offsets.push_back(offsets.back() + in.number(0, 5));
    std::vector<Index> index(in.size(0, 8));
    for (Index& one : index) one = in.number(0, static_cast<Index>(offsets.size()) - 2);
    const std::vector<Index> starts = gathered_offsets(offsets, index);
    CHECK_SAME(starts.size(), index.size() + 1);
    CHECK_SAME(starts[0], 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
        const auto row = static_cast<std::size_t>(index[i]);
        CHECK_SAME(starts[i + 1] - starts[i], offsets[row + 1] - offsets[row]);
    }
    // Rows that do not exist, and offsets that fall or wrap around, are refused.
    const auto refused = [](const std::vector<Index>& own, const std::vector<Index>& wanted) {
        try {
            (void)gathered_offsets(own, wanted);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    const auto rows = static_cast<Index>(offsets.size()) - 1;
    CHECK(refused(offsets, {0, rows}) && refused(offsets, {-1}));
    const Index wild = static_cast<Index>(in.raw(8));
    std::vector<Index> broken = offsets;
    broken[in.size(0, broken.size() - 1)] = wild;
    std::vector<Index> all;
    for (Index row = 0; row < rows; ++row) all.push_back(row);
    bool right = true;
    for (std::size_t i = 0; i + 1 < broken.size(); ++i)
        right = right && 0 <= broken[i] && broken[i] <= broken[i + 1] && broken[i + 1] <= broken.back();
    CHECK(refused(broken, all) == !right);
}

void check_fixed_sums(Draws& in) {
    std::vector<double> values(in.size(0, 20));
    for (double& value : values)
        value = std::ldexp(static_cast<double>(in.number(-1000, 1000)), static_cast<int>(in.number(-70, 20)));
    const StepSum sum = fixed_sum(values);
    std::reverse(values.begin(), values.end());
    CHECK(sum.fits && fixed_sum(values).sum == sum.sum);
    __int128 exact = 0;
    for (const double value : values) {
        int exponent = 0;
        const auto mantissa = static_cast<Index>(std::ldexp(std::frexp(value, &exponent), 53));
        const int shift = exponent - 53 + 80;
        // A step is 2^-80; these values are whole numbers of steps.
        exact += shift >= 0 ? static_cast<__int128>(mantissa) << shift : static_cast<__int128>(mantissa >> -shift);
    }
    CHECK(sum.sum == exact);
    for (const double odd : {0x1p46, -0x1p46, std::numeric_limits<double>::infinity(), std::nan("")}) {
        values.push_back(odd);
        CHECK(!fixed_sum(values).fits);
        values.pop_back();
    }

    FixedSum one, other;
    double plain = 0;
    for (std::size_t n = in.size(0, 9); n > 0; --n) {
        const double x = static_cast<double>(in.number(0, 1000)) / 1000;
        const Index times = in.rarely() ? in.number(0, Index{1} << 30) : in.number(0, 40);
        one.add(x, times);
        for (Index i = 0; i < std::min<Index>(times, 40); ++i) other.add(x);
        if (times > 40) other.add(x, times - 40);
        plain += x * static_cast<double>(times);
    }
    CHECK(one.value() == other.value());
    CHECK_NEAR(one.value(), plain);
}

void check_products(Draws& in) {
    const std::size_t width = in.size(1, 4), rows = in.size(0, 6);
    std::vector<double> values(width * rows), sums(width * width, 0.0);
    for (double& value : values) value = static_cast<double>(in.number(-100, 100));
    add_products(values, width, sums, {});
    for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < width; ++j) {
            double expected = 0;
            for (std::size_t row = 0; row < rows; ++row) expected += values[row * width + i] * values[row * width + j];
            CHECK(sums[i * width + j] == expected);
        }
}

// Equal rows have equal hashes, and others (nearly always) do not.
void check_hashes(Draws& in) {
    std::vector<Index> values, offsets{0};
    std::vector<std::vector<Index>> rows;
    for (std::size_t row = in.size(1, 8); row > 0; --row) {
        rows.emplace_back();
        for (std::size_t n = in.size(0, 3); n > 0; --n) rows.back().push_back(in.number(0, 2));
        values.insert(values.end(), rows.back().begin(), rows.back().end());
        offsets.push_back(static_cast<Index>(values.size()));
    }
    std::vector<std::uint64_t> hashes(rows.size());
    hash_rows<Index>(values, offsets, hashes);
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) CHECK((hashes[i] == hashes[j]) == (rows[i] == rows[j]));
}

}  // namespace

void check_columns(Draws in) {
    check_added_rows(in);
    check_gathered(in);
    check_fixed_sums(in);
    check_products(in);
    check_hashes(in);
}

}  // namespace native
