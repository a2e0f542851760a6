// python.hpp -- What the stable ABI of Python has no direct access to: characters of a str, items of sequences.
#pragma once

#include <nanobind/nanobind.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "streams/tokens.hpp"

namespace fencepost {

namespace nb = nanobind;

// The characters of a str, which must live as long: as Python stores them, or copied to four bytes each where the
// stable ABI hides how that is.
class Characters {
public:
    explicit Characters(PyObject* text) {
#ifdef Py_LIMITED_API
        const Py_ssize_t size = PyUnicode_GetLength(text);
        copy_.reset(PyUnicode_AsUCS4Copy(text));
        if (!copy_) nb::raise_python_error();
        view_ = {copy_.get(), static_cast<std::size_t>(size), 4};
#else
        view_ = {PyUnicode_DATA(text), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)),
                 static_cast<int>(PyUnicode_KIND(text))};
#endif
    }

    const TextView& view() const { return view_; }

private:
    struct Free {
        void operator()(Py_UCS4* memory) const { PyMem_Free(memory); }
    };
    std::unique_ptr<Py_UCS4, Free> copy_;
    TextView view_;
};

// A str of these code points.
inline nb::object string_of(const std::uint32_t* codes, std::size_t size) {
#ifdef Py_LIMITED_API
    // In the order of bytes of this machine, so that a first U+FEFF is a character; lone surrogates stay.
    int order = std::endian::native == std::endian::little ? -1 : 1;
    PyObject* made = PyUnicode_DecodeUTF32(reinterpret_cast<const char*>(codes), static_cast<Py_ssize_t>(4 * size),
                                           "surrogatepass", &order);
#else
    PyObject* made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, codes, static_cast<Py_ssize_t>(size));
#endif
    if (made == nullptr) nb::raise_python_error();
    return nb::steal(made);
}

// A list or tuple that no other thread can change: where there is no GIL to see to that, a tuple of its items.
inline nb::object unshared(nb::handle items) {
#ifdef Py_GIL_DISABLED
    if (PyList_Check(items.ptr())) {
        nb::object made = nb::steal(PyList_AsTuple(items.ptr()));
        if (!made.is_valid()) nb::raise_python_error();
        return made;
    }
#endif
    return nb::borrow(items);
}

// The items of such a list or tuple, by numbers.
inline Py_ssize_t length(PyObject* items) {
    return PyList_Check(items) ? NB_LIST_GET_SIZE(items) : NB_TUPLE_GET_SIZE(items);
}

inline PyObject* item(PyObject* items, Py_ssize_t i) {
    return PyList_Check(items) ? NB_LIST_GET_ITEM(items, i) : NB_TUPLE_GET_ITEM(items, i);
}

}  // namespace fencepost
