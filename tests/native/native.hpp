// native.hpp -- What the stand-alone tests share: numbers drawn from bytes, texts made of them, and
// the check that ends the program.
//
// A target takes bytes and compares fast code with slow code on what it draws from them. The bytes
// come from a seed (main.cpp), from a file that was kept (corpus/), or from a fuzzer (fuzz.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/common.hpp"

namespace native {

using namespace fencepost;

// Prints what failed and how to repeat it, and aborts.
[[noreturn]] void fail(const char* file, int line, const std::string& what);

#define CHECK(condition)                                                \
    do {                                                                \
        if (!(condition)) native::fail(__FILE__, __LINE__, #condition); \
    } while (false)

template <class T>
std::string shown(const T& value) {
    if constexpr (std::is_enum_v<T>) return std::to_string(static_cast<long long>(value));
    else if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
    else {
        std::string all = "[";
        for (const auto& one : value) all += (all.size() > 1 ? ", " : "") + shown(one);
        return all + "]";
    }
}

template <class A, class B>
void check_same(const char* file, int line, const char* what, const A& found, const B& expected) {
    bool same = false;
    if constexpr (std::is_arithmetic_v<A> || std::is_enum_v<A>) same = found == static_cast<A>(expected);
    else same = std::equal(std::begin(found), std::end(found), std::begin(expected), std::end(expected));
    if (!same) fail(file, line, std::string(what) + ": found " + shown(found) + ", expected " + shown(expected));
}
#define CHECK_SAME(found, expected) native::check_same(__FILE__, __LINE__, #found, found, expected)

inline void check_near(const char* file, int line, const char* what, double found, double expected) {
    if (!(std::abs(found - expected) <= 1e-9 * std::max(1.0, std::abs(expected))))
        fail(file, line, std::string(what) + ": found " + shown(found) + ", expected " + shown(expected));
}
#define CHECK_NEAR(found, expected) native::check_near(__FILE__, __LINE__, #found, found, expected)

// Numbers drawn from bytes; 0 when there are none left.
class Draws {
public:
    explicit Draws(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool empty() const { return bytes_.empty(); }

    std::uint64_t raw(std::size_t bytes) {
        std::uint64_t value = 0;
        for (; bytes > 0 && !bytes_.empty(); --bytes, bytes_ = bytes_.subspan(1)) value = value << 8 | bytes_[0];
        return value;
    }
    // From low to high.
    Index number(Index low, Index high) {
        const auto range = static_cast<std::uint64_t>(high - low) + 1;
        const std::size_t bytes = range <= 256 ? 1 : range <= 65536 ? 2 : 8;
        return low + static_cast<Index>(range == 0 ? raw(8) : raw(bytes) % range);
    }
    std::size_t size(std::size_t low, std::size_t high) {
        return static_cast<std::size_t>(number(static_cast<Index>(low), static_cast<Index>(high)));
    }
    bool coin() { return number(0, 1) == 1; }
    bool rarely() { return number(0, 7) == 7; }
    template <class T, std::size_t N>
    T any_of(const T (&choices)[N]) {
        return choices[size(0, N - 1)];
    }
    std::string_view rest() {
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
        bytes_ = {};
        return text;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

// Memory of exactly this size: a sanitizer sees one element too far.
template <class T>
std::vector<T> exactly(const std::vector<T>& from) {
    std::vector<T> made(from.begin(), from.end());
    made.shrink_to_fit();
    return made;
}

// Cuts of one side, with kinds or without.
struct Side {
    std::vector<Index> cuts;
    std::vector<Kind> kinds;
};

// Probabilities of cuts: 1 among them, and the same ones again. `parts` is how many there are.
inline std::vector<double> draw_weights(Draws& in, std::size_t count, Index parts) {
    std::vector<double> weights(count);
    for (double& one : weights) one = static_cast<double>(in.number(1, parts)) / static_cast<double>(parts);
    return exactly(weights);
}

// Two sides over the same units, in positions of width V.
template <class V>
struct TwoSides {
    std::vector<V> ref, hyp;
    std::vector<Kind> ref_kinds, hyp_kinds;
    Index units = 1;

    Pair<V> pair() const {
        Pair<V> p;
        p.ref = ref, p.hyp = hyp, p.ref_kinds = ref_kinds, p.hyp_kinds = hyp_kinds, p.units = units;
        return p;
    }
};

struct Drawn {
    Side ref, hyp;
    Index units = 1;
    std::size_t kinds = 0;  // 0: no side has kinds

    template <class V>
    TwoSides<V> as() const {
        const auto narrow = [](const std::vector<Index>& cuts) {
            std::vector<V> made(cuts.size());
            std::transform(cuts.begin(), cuts.end(), made.begin(), [](Index cut) { return static_cast<V>(cut); });
            return made;
        };
        return {narrow(ref.cuts), narrow(hyp.cuts), exactly(ref.kinds), exactly(hyp.kinds), units};
    }
    bool fits32() const { return units <= std::numeric_limits<std::int32_t>::max(); }
};

// What texts a target can take.
struct Shape {
    std::size_t most_cuts = 40;   // of one side
    Index most_units = Index{1} << 40;
    std::size_t most_kinds = 0;
    bool several_at_one = true;  // of different kinds
};

// Texts whose cuts are near each other, with a leap now and then, up to 2^40 units.
Drawn draw_texts(Draws& in, const Shape& shape);

struct Target {
    const char* name;
    void (*check)(Draws in);
};
std::span<const Target> targets();

}  // namespace native
