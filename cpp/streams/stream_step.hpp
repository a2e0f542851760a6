// stream_step.hpp -- One step of an integer column: plain, and eight rows at once where there is AVX2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define FENCEPOST_AVX2 1
#endif

namespace fencepost {

// Costs of a step when an insertion costs nothing (see stream_integers.hpp).
template <class T>
struct StepCosts {
    T deletion, match, other;
    const T* others = nullptr;  // by row from 1, in place of `other` where the hypothesis word counts
};

// In four parts side by side, since each element waits for the one before. Every part then never
// rises, so what the parts before it hold changes only its beginning.
template <class T>
void running_minimum(T* values, std::size_t size) {
    const std::size_t part = size / 4;
    T *a = values, *b = a + part, *c = b + part, *d = c + part;
    if (part > 0) {
        T least_a = *a, least_b = *b, least_c = *c, least_d = *d;
        for (std::size_t i = 0; i < part; ++i) {
            a[i] = least_a = std::min(least_a, a[i]), b[i] = least_b = std::min(least_b, b[i]);
            c[i] = least_c = std::min(least_c, c[i]), d[i] = least_d = std::min(least_d, d[i]);
        }
    }
    for (std::size_t i = std::max<std::size_t>(4 * part, 1); i < size; ++i) values[i] = std::min(values[i], values[i - 1]);
    for (T* begin : {b, c, d, values + 4 * part})
        for (T* at = begin; begin > values && at < values + size && *at > begin[-1]; ++at) *at = begin[-1];
}

// The column after `word` from the column before it. Row i is the word hyp[i - 1].
template <bool ByRow, class T>
void step_plain(const std::int32_t* hyp, std::int32_t word, const T* from, T* to, std::size_t height, StepCosts<T> cost) {
    to[0] = static_cast<T>(from[0] + cost.deletion);
    for (std::size_t i = 1; i < height; ++i) {
        const T other = ByRow ? cost.others[i - 1] : cost.other;
        const T slanted = static_cast<T>(from[i - 1] + (hyp[i - 1] == word ? cost.match : other));
        const T left = static_cast<T>(from[i] + cost.deletion);
        to[i] = slanted < left ? slanted : left;
    }
    running_minimum(to, height);
}

#ifdef FENCEPOST_AVX2
inline bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2");
    return has;
}

template <bool ByRow>
__attribute__((target("avx2"))) inline void step_avx2(const std::int32_t* hyp, std::int32_t word, const std::int32_t* from,
                                                      std::int32_t* to, std::size_t height, StepCosts<std::int32_t> cost) {
    const __m256i deletion = _mm256_set1_epi32(cost.deletion), match = _mm256_set1_epi32(cost.match);
    __m256i other = _mm256_set1_epi32(cost.other);
    const __m256i wanted = _mm256_set1_epi32(word);
    // Each lane looks 1, 2 and 4 lanes back, the first ones at themselves.
    const __m256i back1 = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6), back2 = _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 4, 5);
    const __m256i back4 = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3), last = _mm256_set1_epi32(7);
    to[0] = from[0] + cost.deletion;
    __m256i least = _mm256_set1_epi32(to[0]);
    std::size_t i = 1;
    for (; i + 8 <= height; i += 8) {
        const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(hyp + i - 1));
        const __m256i left = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        const __m256i above = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i - 1));
        if constexpr (ByRow) other = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cost.others + i - 1));
        const __m256i price = _mm256_blendv_epi8(other, match, _mm256_cmpeq_epi32(words, wanted));
        __m256i x = _mm256_min_epi32(_mm256_add_epi32(left, deletion), _mm256_add_epi32(above, price));
        x = _mm256_min_epi32(x, _mm256_permutevar8x32_epi32(x, back1));
        x = _mm256_min_epi32(x, _mm256_permutevar8x32_epi32(x, back2));
        x = _mm256_min_epi32(x, _mm256_permutevar8x32_epi32(x, back4));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_min_epi32(x, least));
        least = _mm256_min_epi32(least, _mm256_permutevar8x32_epi32(x, last));
    }
    for (; i < height; ++i) {
        const std::int32_t price = ByRow ? cost.others[i - 1] : cost.other;
        const std::int32_t slanted = from[i - 1] + (hyp[i - 1] == word ? cost.match : price);
        to[i] = std::min({from[i] + cost.deletion, slanted, to[i - 1]});
    }
}
#endif

template <bool ByRow, class T>
void step_column(bool plain, const std::int32_t* hyp, std::int32_t word, const T* from, T* to, std::size_t height,
                 StepCosts<T> cost) {
#ifdef FENCEPOST_AVX2
    if constexpr (sizeof(T) == 4)
        if (!plain && has_avx2()) return step_avx2<ByRow>(hyp, word, from, to, height, cost);
#endif
    (void)plain;
    step_plain<ByRow>(hyp, word, from, to, height, cost);
}

}  // namespace fencepost
