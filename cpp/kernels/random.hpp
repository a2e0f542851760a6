// random.hpp -- Random places for cuts, from a counter-based generator: every text has a stream of
// its own, so the draw does not depend on threads, on workers or on the other texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>

#include "support/common.hpp"

namespace fencepost {

// The n-th number of stream `key` is mix(key + n * golden): SplitMix64 (Steele, Lea & Flood 2014).
class Stream {
public:
    explicit Stream(std::uint64_t key) noexcept : state_(mix(key)) {}

    std::uint64_t next() noexcept { return mix(state_ += 0x9e3779b97f4a7c15u); }

    // A number in [0, bound), each equally likely (values beyond the last full round are redrawn).
    std::uint64_t below(std::uint64_t bound) noexcept {
        const std::uint64_t limit = bound * (~std::uint64_t{0} / bound);
        for (;;) {
            const std::uint64_t x = next();
            if (x < limit) return x % bound;
        }
    }

    static std::uint64_t mix(std::uint64_t z) noexcept {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

// Fills `out` with that many different places of 1 .. places, sorted; every set equally likely.
// Floyd's sampling: the draw for j is from 1 .. j, and a place already taken is replaced by j.
template <class V>
void random_places(std::span<V> out, Index places, std::uint64_t key, const Stop& stop) {
    Stream stream(key);
    std::unordered_set<V> taken(out.size() * 2);
    Index j = places - static_cast<Index>(out.size());
    for (V& place : out) {
        stop.check(static_cast<std::size_t>(++j));
        place = static_cast<V>(1 + static_cast<Index>(stream.below(static_cast<std::uint64_t>(j))));
        if (!taken.insert(place).second) taken.insert(place = static_cast<V>(j));
    }
    std::sort(out.begin(), out.end());
}

// Fills `out` with that many different places of 1 .. places, sorted, where some parts of a text are
// preferred. `limits` are the cumulative probabilities of equal parts of the text in steps of 2^-64,
// the last one left out; places of a part are equally likely. A place already taken is drawn again;
// where only unlikely places are left, the rest is taken from the left-most free ones.
template <class V>
void preferred_places(std::span<V> out, Index places, std::span<const std::uint64_t> limits, std::uint64_t key,
                      const Stop& stop) {
    Stream stream(key);
    std::unordered_set<V> taken(out.size() * 2);
    const auto parts = static_cast<Index>(limits.size()) + 1;
    std::size_t tries = 64 * (out.size() + 1);
    for (std::size_t at = 0; at < out.size() && tries > 0; --tries) {
        stop.check(tries);
        const auto part = static_cast<Index>(std::upper_bound(limits.begin(), limits.end(), stream.next()) - limits.begin());
        // Place p belongs to part (p - 1) * parts / places.
        const Index first = (part * places + parts - 1) / parts, last = ((part + 1) * places + parts - 1) / parts;
        if (first == last) continue;
        out[at] = static_cast<V>(1 + first + static_cast<Index>(stream.below(static_cast<std::uint64_t>(last - first))));
        if (taken.insert(out[at]).second) ++at;
    }
    std::size_t at = taken.size();
    for (Index place = 1; at < out.size(); ++place) {
        stop.check(static_cast<std::size_t>(place));
        if (taken.insert(static_cast<V>(place)).second) out[at++] = static_cast<V>(place);
    }
    std::sort(out.begin(), out.end());
}

// Puts the values into a random order, every one equally likely (Fisher and Yates).
template <class T>
void shuffle(std::span<T> values, std::uint64_t key, const Stop& stop) {
    Stream stream(key);
    for (std::size_t left = values.size(); left > 1; --left) {
        stop.check(left);
        std::swap(values[left - 1], values[static_cast<std::size_t>(stream.below(left))]);
    }
}

// Draws a boundary of some kind, or none, for each of the places 1 .. places, independently.
// `limits` are the cumulative probabilities of (none, kind 0, kind 1, ...) in steps of 2^-64, the
// last one left out. Calls hit(place, kind) from left to right. No floating point: the same draws
// on every machine.
template <class Hit>
void random_boundaries(Index places, std::span<const std::uint64_t> limits, std::uint64_t key, const Stop& stop, Hit&& hit) {
    Stream stream(key);
    for (Index place = 1; place <= places; ++place) {
        stop.check(static_cast<std::size_t>(place));
        const std::uint64_t x = stream.next();
        if (x < limits[0]) continue;
        std::size_t kind = 0;
        while (kind + 1 < limits.size() && x >= limits[kind + 1]) ++kind;
        hit(place, static_cast<Kind>(kind));
    }
}

// The stream of one resample: row `row` of a run with this seed, whatever rows stand before it.
inline Stream row_stream(std::uint64_t seed, std::uint64_t row) noexcept {
    return Stream(Stream::mix(seed + 0x9e3779b97f4a7c15u) + row);
}

// Draws as many texts as there are, with replacement: how often each was drawn. Both halves of a
// number choose a text by multiplication, which is even up to texts / 2^32.
inline void resample(std::span<double> times, Stream stream, const Stop& stop) {
    for (std::size_t i = 0; i < times.size(); ++i) {
        stop.check(i);  // memory that is new takes longer than the draw
        times[i] = 0.0;
    }
    const std::uint64_t texts = times.size();
    for (std::uint64_t drawn = 0; drawn < texts; drawn += 2) {
        stop.check(static_cast<std::size_t>(drawn));
        const std::uint64_t x = stream.next();
        times[((x >> 32) * texts) >> 32] += 1.0;
        if (drawn + 1 < texts) times[((x & 0xffffffffu) * texts) >> 32] += 1.0;
    }
}

// Tosses a coin for each text: 0 or 1.
inline void toss(std::span<double> sides, Stream stream, const Stop& stop) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        stop.check(i);
        if (i % 64 == 0) bits = stream.next();
        sides[i] = static_cast<double>(bits & 1);
        bits >>= 1;
    }
}

// Draws the boundaries of many rows: row `row` has places[row] places and the distribution
// distribution[row], a row of `limits`. Calls hit(place, kind) from left to right.
struct BoundaryDraws {
    std::span<const Index> places, distribution;
    std::span<const std::uint64_t> limits;
    std::size_t width;
    std::span<const std::uint64_t> keys;

    // Rows and places: about how long all draws take.
    std::size_t work() const {
        std::size_t sum = places.size();
        for (const Index count : places) sum += static_cast<std::size_t>(count);
        return sum;
    }

    template <class Hit>
    void draw(std::size_t row, const Stop& stop, Hit&& hit) const {
        const auto own = limits.subspan(static_cast<std::size_t>(distribution[row]) * width, width);
        random_boundaries(places[row], own, keys[row], stop, hit);
    }
};

}  // namespace fencepost
