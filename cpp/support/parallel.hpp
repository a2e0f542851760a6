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

#include "support/common.hpp"

namespace fencepost {

// Below this much work (cuts plus rows) starting a thread costs more than it brings.
inline constexpr std::size_t kInlineWork = std::size_t{1} << 15;

// Joins its threads at the end, whatever happened: std::jthread, which not every standard library has.
struct Crew {
    std::vector<std::thread> threads;
    Crew() = default;
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        for (std::thread& one : threads) one.join();
    }
};

// Calls body(row, stop) for every row in [0, rows). Each worker copies the body, and with it the
// scratch memory it captured; each row writes only its own output. So the result is the same for
// any number of threads. About 20 times a second poll() is asked whether to go on (Ctrl-C): by the
// calling thread, which works itself if it is the only one and else waits for `threads` workers.
// The first exception of a worker stops the others and is thrown here. After a poll that said no,
// Cancelled is thrown even if all rows were done: who said no waits for it, with an error set.
template <class Body, class Poll>
void for_each_row(std::size_t rows, std::size_t work, unsigned threads, const Body& body, Poll&& poll) {
    const std::chrono::milliseconds pause(50);
    const std::size_t chunk = std::clamp<std::size_t>(rows / (std::size_t{threads} * 16), 1, 4096);
    std::atomic<std::size_t> next{0};
    const auto serve = [&](const Stop& stop) {
        Body own = body;
        for (std::size_t first; (first = next.fetch_add(chunk)) < rows;) {
            stop.check();
            const std::size_t last = std::min(first + chunk, rows);
            for (std::size_t row = first; row < last; ++row) own(row, stop);
        }
    };
    if (threads == 1 || rows <= 1 || work <= kInlineWork) {
        auto due = std::chrono::steady_clock::now() + pause;
        serve(Stop([&] {
            const auto now = std::chrono::steady_clock::now();
            if (now < due) return true;
            due = now + pause;
            return poll();
        }));
        return;
    }

    Stop stop;
    std::mutex mutex;
    std::condition_variable finished;
    std::exception_ptr failure;
    std::size_t running = 0;
    bool cancelled = false;

    auto worker = [&] {
        try {
            serve(stop);
        } catch (...) {
            // Kept before others are stopped, or one of them could be the first to say that it was.
            std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            stop.request();
        }
        std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };

    {
        Crew crew;  // joins after `lock` is gone
        std::unique_lock lock(mutex);
        const std::size_t wanted = std::min<std::size_t>(threads, rows);
        running = wanted;
        for (std::size_t i = 0; i < wanted; ++i) crew.threads.emplace_back(worker);
        while (!finished.wait_for(lock, pause, [&] { return running == 0; })) {
            if (cancelled) continue;
            lock.unlock();
            cancelled = !poll();
            if (cancelled) stop.request();
            lock.lock();
        }
    }
    if (cancelled) throw Cancelled{};
    if (failure) std::rethrow_exception(failure);
}

}  // namespace fencepost
