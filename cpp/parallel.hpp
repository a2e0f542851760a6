// parallel.hpp -- The one place with threads: runs a body over rows, and can be cancelled.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common.hpp"

namespace fencepost {

// Below this much work (cuts plus rows) starting a thread costs more than it brings.
inline constexpr std::size_t kInlineWork = std::size_t{1} << 15;

// Calls body(row, stop) for every row in [0, rows). Each row writes only its own output, so the
// result is the same for any number of threads. Large jobs run in `threads` workers while the
// calling thread wakes up 20 times a second and asks poll() whether to go on (Ctrl-C).
// The first exception of a worker stops the others and is thrown here.
template <class Body, class Poll>
void for_each_row(std::size_t rows, std::size_t work, unsigned threads, Body&& body, Poll&& poll) {
    Stop stop;
    if (work <= kInlineWork) {
        for (std::size_t row = 0; row < rows; ++row) body(row, stop);
        return;
    }
    const std::size_t chunk = std::clamp<std::size_t>(rows / (std::size_t{threads} * 16), 1, 4096);
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::condition_variable finished;
    std::exception_ptr failure;
    std::size_t running = 0;

    auto worker = [&] {
        try {
            for (std::size_t first; (first = next.fetch_add(chunk)) < rows;) {
                stop.check();
                const std::size_t last = std::min(first + chunk, rows);
                for (std::size_t row = first; row < last; ++row) body(row, stop);
            }
        } catch (...) {
            stop.request();
            std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
        std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };

    std::vector<std::jthread> crew;
    {
        std::unique_lock lock(mutex);
        const std::size_t wanted = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(rows, 1));
        running = wanted;
        for (std::size_t i = 0; i < wanted; ++i) crew.emplace_back(worker);
        while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
            lock.unlock();
            if (!poll()) stop.request();
            lock.lock();
        }
    }
    crew.clear();  // joins
    if (failure) std::rethrow_exception(failure);
}

}  // namespace fencepost
