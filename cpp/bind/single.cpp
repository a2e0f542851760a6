// single.cpp -- What a plain text is, read from Python objects.
#include "bind/single.hpp"

#include <atomic>
#include <cstring>
#include <vector>

#include "bind/bind.hpp"
#include "bind/python.hpp"

namespace fencepost {
namespace {

// Longer texts are worth their arrays; and with so few cuts no kernel needs to look for Ctrl-C.
constexpr Py_ssize_t kMostSegments = 1000;
constexpr Index kMostUnits = Index{1} << 30;

using Places = std::vector<Short>;

// Cuts from segment sizes; size(i) is below 1 where something is no whole number. All readers return
// the number of units, or 0 where a text is not plain.
template <class Size>
Index cuts_of_sizes(Py_ssize_t count, Size size, Places& cuts) {
    if (count < 1 || count > kMostSegments) return 0;
    cuts.clear();
    Index units = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Index own = size(i);
        if (own < 1 || own > kMostUnits) return 0;
        if (i > 0) cuts.push_back(static_cast<Short>(units));
        units += own;
        if (units > kMostUnits) return 0;
    }
    return units;
}

// The size that a Python number is; True is none.
Index size_of(PyObject* number) {
    if (!PyLong_CheckExact(number)) return 0;
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(number, &overflow);  // -1 on overflow
}

// The whole numbers of a numpy array, if it has one dimension and they lie side by side.
template <class Use>
Index with_integers(PyObject* array, Use use) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_ND | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        return 0;
    }
    Index units = 0;
    const bool whole = view.ndim == 1 && (!std::strcmp(view.format, "l") || !std::strcmp(view.format, "q"));
    if (whole && view.itemsize == 8) units = use(static_cast<const std::int64_t*>(view.buf), view.shape[0]);
    PyBuffer_Release(&view);
    return units;
}

// Names of attributes, set once while the module is made.
struct Names {
    PyObject *kinds, *units, *cuts, *weights;
} names;

Index read_segmentation(PyObject* text, Places& cuts) {
    const nb::object kinds = nb::steal(PyObject_GetAttr(text, names.kinds));
    const nb::object units = nb::steal(PyObject_GetAttr(text, names.units));
    const nb::object places = nb::steal(PyObject_GetAttr(text, names.cuts));
    const nb::object weights = nb::steal(PyObject_GetAttr(text, names.weights));
    if (!kinds.is_valid() || !units.is_valid() || !places.is_valid() || !weights.is_valid()) nb::raise_python_error();
    const Index size = size_of(units.ptr());
    if (!kinds.is_none() || !weights.is_none() || size < 1 || size > kMostUnits) return 0;
    return with_integers(places.ptr(), [&](const std::int64_t* values, Py_ssize_t count) {
        if (count >= kMostSegments) return Index{0};
        cuts.resize(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < cuts.size(); ++i) cuts[i] = static_cast<Short>(values[i]);
        return size;
    });
}

// numpy.ndarray, looked up when an array is first asked for. Threads that ask at the same time find the same class; a
// lock would be held while Python imports, where another thread may wait for it.
PyObject* array_class() {
    static std::atomic<PyObject*> known{nullptr};
    PyObject* found = known.load();
    if (found == nullptr) {
        found = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
        known.store(found);
    }
    return found;
}

Index read(PyObject* given, PyObject* segmentation, Places& cuts) {
    const nb::object held = unshared(given);
    PyObject* text = held.ptr();
    if (PyList_CheckExact(text))
        return cuts_of_sizes(NB_LIST_GET_SIZE(text), [&](Py_ssize_t i) { return size_of(NB_LIST_GET_ITEM(text, i)); }, cuts);
    if (PyTuple_CheckExact(text))
        return cuts_of_sizes(
            NB_TUPLE_GET_SIZE(text), [&](Py_ssize_t i) { return size_of(NB_TUPLE_GET_ITEM(text, i)); }, cuts);
    if (reinterpret_cast<PyObject*>(Py_TYPE(text)) == segmentation) return read_segmentation(text, cuts);
    if (reinterpret_cast<PyObject*>(Py_TYPE(text)) != array_class()) return 0;
    return with_integers(text, [&](const std::int64_t* values, Py_ssize_t count) {
        return cuts_of_sizes(count, [&](Py_ssize_t i) { return Index{values[i]}; }, cuts);
    });
}

}  // namespace

nb::object Single::counts(nb::handle ref, nb::handle hyp, nb::handle segmentation) {
    if (busy_.exchange(true, std::memory_order_acquire)) return copy()->counts(ref, hyp, segmentation);
    struct Free {
        std::atomic<bool>& busy;
        ~Free() { busy.store(false, std::memory_order_release); }
    } free{busy_};
    return count_texts(ref.ptr(), hyp.ptr(), segmentation.ptr());
}

nb::object Single::count_texts(PyObject* ref, PyObject* hyp, PyObject* segmentation) {
    Pair<Short> p;
    p.units = read(ref, segmentation, ref_);
    if (p.units == 0 || read(hyp, segmentation, hyp_) != p.units) return nb::none();
    p.ref = ref_, p.hyp = hyp_;
    try {
        return count(p);
    } catch (const Cancelled&) {
        throw nb::python_error();
    }
}

void bind_single(nb::module_& m) {
    names = {PyUnicode_InternFromString("kinds"), PyUnicode_InternFromString("units"), PyUnicode_InternFromString("cuts"),
             PyUnicode_InternFromString("weights")};
    nb::class_<Single>(m, "Single")
        .def("counts", &Single::counts, "ref"_a.none(), "hyp"_a.none(), "segmentation"_a,
             nb::sig("def counts(self, ref: object, hyp: object, segmentation: type) -> "
                     "tuple[int | float, ...] | None"));
}

}  // namespace fencepost
