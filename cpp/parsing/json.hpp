// json.hpp -- One JSON object of texts: {"d1": [5, 5], "d2": {"an1": [5, 5], "an2": [4, 6]}}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parsing/jsonl.hpp"

namespace fencepost {

class JsonTextsScanner : JsonScanner {
public:
    // `apart` are names that a text may not have here: the general reader looks for them. With
    // `items`, texts stand in an object of that name, as segeval writes them.
    JsonTextsScanner(const char* begin, const char* end, std::vector<std::string> apart, bool items, Form form)
        : JsonScanner(nullptr), apart_(std::move(apart)), items_(items), form_(form) {
        at_ = begin;
        end_ = end;
    }

    bool done() const { return done_; }

    // Texts until there are so many cuts, or all; false where something is not plain.
    bool next(std::size_t cuts, PlainTexts& out) {
        out.form = form_;
        out_ = &out;
        forget_coders();
        seen_.clear();
        if (!started_) {
            started_ = true;
            if (!take('{') || (items_ && !start_items())) return false;
        } else if (!take(',')) {
            return false;
        }
        do {
            if (!text()) return false;
            skip();
            if (out.cuts.size() + out.units.size() >= cuts && at_ < end_ && *at_ == ',') break;
        } while (take(','));
        form_ = out.form;
        if (at_ < end_ && *at_ == ',') return true;
        done_ = true;
        return take('}') && (!items_ || end_items()) && (skip(), at_ == end_);
    }

private:
    std::vector<std::string> apart_;
    bool items_, started_ = false, done_ = false, has_type_ = false, has_id_ = false;
    bool has_texts_ = false, by_coder_ = false;
    Form form_;
    std::vector<std::size_t> seen_;  // by which text each coder was last met, from 1

    bool text() {
        std::string_view name, by;
        if (!key(name) || !is_name(name)) return false;
        if (std::find(apart_.begin(), apart_.end(), name) != apart_.end()) return false;
        out_->hashes.push_back(hash(name));
        skip();
        const bool by_coder = at_ < end_ && *at_ == '{';
        if (has_texts_ && by_coder != by_coder_) return false;  // all texts name coders, or none does
        has_texts_ = true;
        by_coder_ = by_coder;
        if (!by_coder) return value(name, -1);
        ++at_;
        do {
            if (!key(by) || !is_name(by)) return false;
            const std::int64_t number = coder(by);
            seen_.resize(out_->coders.size());
            if (seen_[static_cast<std::size_t>(number)] == out_->hashes.size()) return false;  // twice
            seen_[static_cast<std::size_t>(number)] = out_->hashes.size();
            if (!value(name, number)) return false;
        } while (take(','));
        return take('}');
    }

    bool value(std::string_view name, std::int64_t by) {
        if (!text_value() || !finish(-1)) return false;
        add_name(name);
        ++out_->named;
        out_->coder_of.push_back(by);
        return true;
    }

    // What may stand beside the items: their type, which is linear, and an id.
    bool beside(std::string_view name) {
        std::string_view type;
        bool& has = name == "id" ? has_id_ : has_type_;
        if ((name != "id" && name != "segmentation_type") || has) return false;
        has = true;
        return name == "id" ? other() : string(type) && type == "linear";
    }

    bool start_items() {
        std::string_view name;
        while (key(name)) {
            if (name == "items") return take('{');
            if (!beside(name) || !take(',')) return false;
        }
        return false;
    }

    bool end_items() {
        std::string_view name;
        while (take(','))
            if (!key(name) || !beside(name)) return false;
        return take('}');
    }
};

}  // namespace fencepost
