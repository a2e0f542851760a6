// random.cpp -- What draws of random boundaries promise.
#include "kernels/random.hpp"

#include <set>

#include "native.hpp"
#include "targets.hpp"

namespace native {
namespace {

// SplitMix64 as its authors print it.
std::uint64_t split_mix(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void check_stream(std::uint64_t key, std::uint64_t bound) {
    std::uint64_t zero = 0;
    CHECK_SAME(split_mix(zero), std::uint64_t{0xe220a8397b1dcdaf});  // the first number of seed 0
    Stream stream(key), limited(key);
    std::uint64_t state = Stream::mix(key);
    for (int i = 0; i < 4; ++i) CHECK_SAME(stream.next(), split_mix(state));
    std::uint64_t again = Stream::mix(key), drawn = 0;
    // A number beyond the last full round of `bound` is drawn again.
    const auto rounds = ~std::uint64_t{0} / bound;
    do drawn = split_mix(again);
    while (drawn / bound >= rounds);
    CHECK_SAME(limited.below(bound), drawn % bound);
}

template <class V>
void check_places(std::size_t count, Index places, std::uint64_t key, std::span<const std::uint64_t> limits) {
    std::vector<V> one(count), same(count), preferred(count);
    random_places(std::span<V>(one), places, key, {});
    random_places(std::span<V>(same), places, key, {});
    CHECK(one == same);
    preferred_places(std::span<V>(preferred), places, limits, key, {});
    for (const auto* all : {&one, &preferred})
        for (std::size_t i = 0; i < count; ++i) {
            CHECK((*all)[i] >= 1 && Index{(*all)[i]} <= places);
            CHECK(i == 0 || (*all)[i - 1] < (*all)[i]);
        }
}

void check_kinds(Draws& in, std::uint64_t key) {
    std::vector<Kind> kinds(in.size(0, 40));
    for (Kind& kind : kinds) kind = static_cast<Kind>(in.number(0, 4));
    std::vector<Kind> shuffled = kinds;
    shuffle(std::span(shuffled), key, {});
    std::sort(kinds.begin(), kinds.end()), std::sort(shuffled.begin(), shuffled.end());
    CHECK(kinds == shuffled);
}

void check_boundaries_of(Index places, std::span<const std::uint64_t> limits, std::uint64_t key) {
    std::uint64_t state = Stream::mix(key);
    std::vector<std::pair<Index, Kind>> expected, found;
    for (Index place = 1; place <= places; ++place) {
        const std::uint64_t x = split_mix(state);
        const auto kind = std::count_if(limits.begin(), limits.end(), [&](std::uint64_t limit) { return x >= limit; }) - 1;
        if (kind >= 0)
            expected.emplace_back(place, static_cast<Kind>(std::min<Index>(kind, static_cast<Index>(limits.size()) - 1)));
    }
    random_boundaries(places, limits, key, {}, [&](Index place, Kind kind) { found.emplace_back(place, kind); });
    CHECK(found == expected);
    const Index row_places[] = {places}, rows[] = {0};
    const BoundaryDraws draws{row_places, rows, limits, limits.size(), {&key, 1}};
    CHECK_SAME(draws.work(), static_cast<std::size_t>(places) + 1);
    found.clear();
    draws.draw(0, {}, [&](Index place, Kind kind) { found.emplace_back(place, kind); });
    CHECK(found == expected);
}

void check_resamples(std::size_t texts, std::uint64_t seed) {
    std::vector<double> times(texts), sides(texts), again(texts);
    resample(times, row_stream(seed, 3), {});
    double sum = 0;
    for (const double one : times) {
        sum += one;
        CHECK(one >= 0 && one == std::floor(one));
    }
    CHECK(sum == static_cast<double>(texts));
    toss(sides, row_stream(seed, 3), {});
    toss(again, row_stream(seed, 3), {});
    CHECK(sides == again);
    for (const double one : sides) CHECK(one == 0 || one == 1);
}

}  // namespace

void check_random(Draws in) {
    const std::uint64_t key = in.raw(8);
    check_stream(key, in.rarely() ? in.raw(8) / 2 + 1 : static_cast<std::uint64_t>(in.number(1, 1000)));
    const Index places = in.rarely() ? in.number(0, Index{1} << 40) : in.number(0, 50);
    const std::size_t count = in.size(0, static_cast<std::size_t>(std::min<Index>(places, 60)));
    std::vector<std::uint64_t> limits(in.size(1, 5));
    for (auto& limit : limits) limit = in.coin() ? in.raw(8) : in.coin() ? 0 : ~std::uint64_t{0};
    std::sort(limits.begin(), limits.end());
    check_places<Index>(count, places, key, limits);
    if (places < (Index{1} << 31)) check_places<std::int32_t>(count, places, key, limits);
    check_kinds(in, key);
    check_boundaries_of(std::min<Index>(places, 200), limits, key);
    check_resamples(in.size(0, 130), key);
}

}  // namespace native
