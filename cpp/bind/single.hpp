// single.hpp -- One pair of short texts: from two Python objects to a tuple of counts in one call.
//
// A call on one pair must not cost more than the work in it, so nothing is made on the way but the
// result: no arrays, no threads, no release of the GIL. What is not a plain pair (boundary types,
// long texts, anything wrong) is not counted here: the caller then takes the general way, which
// knows everything and says what is wrong.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "support/common.hpp"

namespace fencepost {

namespace nb = nanobind;

using Short = std::int32_t;  // wide enough for the places of a short text

class Single {
public:
    virtual ~Single() = default;

    // The counts of two texts, or None if they are not a plain pair. A text is a list, tuple or
    // numpy array of segment sizes, or an object of the class `segmentation`.
    nb::object counts(nb::handle ref, nb::handle hyp, nb::handle segmentation);

protected:
    // Writes to scratch memory.
    virtual nb::object count(const Pair<Short>& p) = 0;
    // The same with scratch memory of its own.
    virtual std::unique_ptr<Single> copy() const = 0;

private:
    nb::object count_texts(PyObject* ref, PyObject* hyp, PyObject* segmentation);

    // One object serves all calls with its settings. It is busy for another thread where there is no GIL, and for
    // what handles a signal in the middle of a call: both count with a copy.
    std::atomic<bool> busy_{false};
    std::vector<Short> ref_, hyp_;
};

// Counts with what the batch counts with: Count(pair, stop, rule(pair)...).
template <class Count, class... Rules>
class SingleOf final : public Single {
public:
    explicit SingleOf(Count count, std::tuple<Rules...> rules) : fresh_(count), count_(std::move(count)), rules_(rules) {}

private:
    static PyObject* number(Index value) { return PyLong_FromLongLong(value); }
    static PyObject* number(double value) { return PyFloat_FromDouble(value); }

    nb::object count(const Pair<Short>& p) override {
        const auto counts = std::apply([&](const auto&... rule) { return count_(p, stop_, rule(p)...); }, rules_);
        PyObject* made = PyTuple_New(static_cast<Py_ssize_t>(counts.size()));
        if (made == nullptr) nb::raise_python_error();
        for (std::size_t i = 0; i < counts.size(); ++i)
            NB_TUPLE_SET_ITEM(made, static_cast<Py_ssize_t>(i), number(counts[i]));
        return nb::steal(made);
    }

    std::unique_ptr<Single> copy() const override { return std::make_unique<SingleOf>(fresh_, rules_); }

    const Count fresh_;  // which no call writes to, so that it can be copied at any time
    Count count_;
    const std::tuple<Rules...> rules_;
    Stop stop_{[] { return PyErr_CheckSignals() == 0; }};  // texts are short, but draws may be many
};

template <class Count, class... Rules>
Single* single(Count count, Rules... rules) {
    return new SingleOf<Count, Rules...>(std::move(count), std::tuple<Rules...>(rules...));
}

}  // namespace fencepost
