// parsing.cpp -- Scanners of plain files, and lists of whole numbers.
#include <memory>
#include <string>

#include "bind/bind.hpp"
#include "bind/python.hpp"
#include "parsing/delimited.hpp"
#include "parsing/json.hpp"
#include "parsing/jsonl.hpp"

namespace fencepost {
namespace {

Form form_of(const std::string& name) {
    for (std::size_t i = 0; i < form_names.size(); ++i)
        if (name == form_names[i]) return static_cast<Form>(i);
    refuse("form must be sizes, marks, bits or empty, found " + name);
}

char sign(const std::string& delimiter) {
    check_length("delimiter", delimiter.size(), 1);
    return delimiter[0];
}

// What a scanner finds in a piece of a file, or None where something is not plain.
template <class Scan>
nb::object plain_texts(Form form, Scan scan) {
    auto out = std::make_unique<PlainTexts>();
    out->form = form;
    bool plain = false;
    run([&](const Stop& stop) {
        out->stop = &stop;
        plain = scan(*out);
        out->stop = nullptr;
    });
    if (!plain) return nb::none();
    return nb::cast(out.release(), nb::rv_policy::take_ownership);
}

template <class Scanner, class... Args>
nb::object scan_piece(const nb::bytes& data, const std::string& form, const Args&... args) {
    return plain_texts(form_of(form), [&](PlainTexts& out) {
        return Scanner(args..., out).scan(data.c_str(), data.c_str() + data.size());
    });
}

nb::object scan_json_lines(nb::bytes data, const std::string& form, const std::string& id, const std::string& field,
                           const std::string& units) {
    return scan_piece<JsonLinesScanner>(data, form, id, field, units);
}

nb::object scan_rows(nb::bytes data, const std::string& form, const std::string& delimiter, bool text, bool coder,
                     bool header) {
    return scan_piece<RowScanner>(data, form, sign(delimiter), text, coder, header);
}

nb::object scan_number_lines(nb::bytes data, const std::string& form, bool named) {
    return scan_piece<NumberLineScanner>(data, form, named);
}

// How many columns a table has, and which of them are the text (-1 for none), coder, value and units.
void check_columns(const std::array<std::int64_t, 5>& columns) {
    const auto& [count, text, coder, value, units] = columns;
    check_at_least<std::int64_t>("the number of columns", count, 1);
    check_between<std::int64_t>("the column of values", value, 0, count - 1);
    for (const std::int64_t own : {text, coder, units}) {
        check_between<std::int64_t>("a column", own, -1, count - 1);
        if (own == value) refuse("columns must differ, found " + number(own) + " twice");
    }
}

nb::object scan_table(nb::bytes data, const std::string& form, const std::string& delimiter, bool header,
                      std::array<std::int64_t, 5> columns) {
    check_columns(columns);
    return scan_piece<TableScanner>(data, form, sign(delimiter), header, columns);
}

// One object of texts, taken apart a part at a time. Keeps the bytes alive.
class JsonTexts {
public:
    JsonTexts(nb::bytes data, const std::string& form, std::vector<std::string> apart, bool items)
        : data_(std::move(data)),
          scanner_(data_.c_str(), data_.c_str() + data_.size(), std::move(apart), items, form_of(form)) {}

    nb::object next(std::size_t cuts) {
        return plain_texts(Form::unknown, [&](PlainTexts& out) { return scanner_.next(cuts, out); });
    }

    bool done() const { return scanner_.done(); }

private:
    nb::bytes data_;
    JsonTextsScanner scanner_;
};

template <auto Member>
auto column(const PlainTexts& texts) {
    return to_array(texts.*Member);
}

template <auto Member>
nb::bytes raw(const PlainTexts& texts) {
    return nb::bytes((texts.*Member).data(), (texts.*Member).size());
}

// Lists of whole numbers end to end, and their offsets; None where something else is among them.
nb::object flat_numbers(const nb::list& given, const Stop& stop) {
    const nb::object lists = unshared(given);
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(given.size() + 1);
    for (Py_ssize_t i = 0; i < length(lists.ptr()); ++i) {
        PyObject* one = item(lists.ptr(), i);
        if (!PyList_CheckExact(one)) return nb::none();
        offsets.push_back(offsets.back() + NB_LIST_GET_SIZE(one));
    }
    nb::capsule owner;
    const auto size = static_cast<std::size_t>(offsets.back());
    std::int64_t* values = owned<std::int64_t>(size, owner);
    std::int64_t* to = values;
    Patience patience(stop);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
        const Index count = offsets[row + 1] - offsets[row];
        patience.spend(static_cast<std::size_t>(count));
        // What handles a signal is code of the caller, which could have changed the lists; so could another thread.
        if (static_cast<std::size_t>(length(lists.ptr())) + 1 != offsets.size()) return nb::none();
        PyObject* list = item(lists.ptr(), static_cast<Py_ssize_t>(row));
        if (!PyList_CheckExact(list)) return nb::none();
        const nb::object one = unshared(list);
        if (length(one.ptr()) != count) return nb::none();
        for (Py_ssize_t i = 0; i < count; ++i) {
            PyObject* number = item(one.ptr(), i);
            int overflow = 0;
            if (!PyLong_CheckExact(number)) return nb::none();
            *to++ = PyLong_AsLongLongAndOverflow(number, &overflow);
            if (overflow) return nb::none();
        }
    }
    return nb::make_tuple(Array<std::int64_t>(values, {size}, owner), to_array(offsets));
}

}  // namespace

void bind_parsing(nb::module_& m) {
    nb::class_<PlainTexts>(m, "PlainTexts")
        .def_prop_ro("cuts", &column<&PlainTexts::cuts>, nb::rv_policy::move)
        .def_prop_ro("offsets", &column<&PlainTexts::offsets>, nb::rv_policy::move)
        .def_prop_ro("units", &column<&PlainTexts::units>, nb::rv_policy::move)
        .def_prop_ro("lines", &column<&PlainTexts::lines>, nb::rv_policy::move)
        .def_prop_ro("ids", &raw<&PlainTexts::ids>)
        .def_prop_ro("id_offsets", &column<&PlainTexts::id_offsets>, nb::rv_policy::move)
        .def_ro("coders", &PlainTexts::coders)
        .def_prop_ro("coder_of", &column<&PlainTexts::coder_of>, nb::rv_policy::move)
        .def_prop_ro("words", &raw<&PlainTexts::words>)
        .def_prop_ro("word_offsets", &column<&PlainTexts::word_offsets>, nb::rv_policy::move)
        .def_prop_ro("hashes", &column<&PlainTexts::hashes>, nb::rv_policy::move)
        .def_prop_ro("form", [](const PlainTexts& t) { return form_names[static_cast<std::size_t>(t.form)]; })
        .def_prop_ro("count", [](const PlainTexts& t) { return t.units.size(); })
        .def_ro("line_count", &PlainTexts::line_count)
        .def_ro("named", &PlainTexts::named)
        .def_ro("all_rise", &PlainTexts::all_rise)
        .def_ro("all_start", &PlainTexts::all_start)
        .def_ro("all_end", &PlainTexts::all_end)
        .def_ro("shortest", &PlainTexts::shortest)
        .def_ro("longest", &PlainTexts::longest)
        .def_ro("known", &PlainTexts::known)
        .def_ro("each", &PlainTexts::each)
        .def_ro("between", &PlainTexts::between)
        .def_ro("spaced", &PlainTexts::spaced);
    nb::class_<JsonTexts>(m, "JsonTexts")
        .def(nb::init<nb::bytes, const std::string&, std::vector<std::string>, bool>(), "data"_a, "form"_a, "apart"_a,
             "items"_a)
        .def("next", &JsonTexts::next, "cuts"_a)
        .def_prop_ro("done", &JsonTexts::done);
    m.def(
        "flat_numbers",
        [](nb::typed<nb::list, nb::object> lists) {
            return run_with_python([&](const Stop& stop) { return flat_numbers(lists, stop); });
        },
        "lists"_a);
    m.def("scan_json_lines", &scan_json_lines, "data"_a, "form"_a, "id"_a, "field"_a, "units"_a);
    m.def("scan_rows", &scan_rows, "data"_a, "form"_a, "delimiter"_a, "text"_a, "coder"_a, "header"_a);
    m.def("scan_number_lines", &scan_number_lines, "data"_a, "form"_a, "named"_a);
    m.def("scan_table", &scan_table, "data"_a, "form"_a, "delimiter"_a, "header"_a, "columns"_a);
}

}  // namespace fencepost
