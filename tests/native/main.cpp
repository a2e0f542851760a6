// main.cpp -- Runs targets without a fuzzer: on random bytes from a seed, and on files that were kept.
//
//   native [--runs N] [--seed S] [--files FOLDER] [TARGET ...]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/random.hpp"
#include "native.hpp"

namespace native {
namespace {

const char* target_name = "";
std::string source;

std::vector<std::uint8_t> random_bytes(std::uint64_t key) {
    Stream stream(key);
    static constexpr std::uint64_t sizes[] = {16, 64, 200, 600};
    std::vector<std::uint8_t> bytes(stream.below(sizes[stream.below(4)]));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(stream.below(256));
    return bytes;
}

std::vector<std::uint8_t> read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t replay(const Target& target, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
    for (const auto& file : files) {
        source = file.string();
        target.check(Draws(read(file)));
    }
    return files.size();
}

struct Options {
    std::uint64_t runs = 2000, seed = 1;
    std::string files;
    std::vector<std::string> names;
};

Options options_of(int count, char** arguments) {
    Options o;
    for (int i = 1; i < count; ++i) {
        const std::string one = arguments[i];
        const bool has_value = one == "--runs" || one == "--seed" || one == "--files";
        if (has_value && i + 1 == count) fail(__FILE__, __LINE__, one + " needs a value");
        if (one == "--runs") o.runs = std::strtoull(arguments[++i], nullptr, 10);
        else if (one == "--seed") o.seed = std::strtoull(arguments[++i], nullptr, 10);
        else if (one == "--files") o.files = arguments[++i];
        else o.names.push_back(one);
    }
    return o;
}

}  // namespace

void fail(const char* file, int line, const std::string& what) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s:%d: %s\n  target %s, %s\n", file, line, what.c_str(), target_name, source.c_str());
    std::abort();
}

}  // namespace native

int main(int count, char** arguments) {
    using namespace native;
    const Options o = options_of(count, arguments);
    std::size_t ran = 0;
    for (const Target& target : targets()) {
        if (!o.names.empty() && std::find(o.names.begin(), o.names.end(), target.name) == o.names.end()) continue;
        ++ran;
        target_name = target.name;
        const std::size_t files = o.files.empty() ? 0 : replay(target, std::filesystem::path(o.files) / target.name);
        for (std::uint64_t run = 0; run < o.runs; ++run) {
            source = "--seed " + std::to_string(o.seed + run) + " --runs 1";
            const auto bytes = random_bytes(o.seed + run);
            target.check(Draws(bytes));
        }
        std::printf("%-12s %zu files, %llu random inputs\n", target.name, files, static_cast<unsigned long long>(o.runs));
        std::fflush(stdout);
    }
    if (ran == 0 || (!o.names.empty() && ran != o.names.size())) {
        std::fprintf(stderr, "no such target; there are:");
        for (const Target& target : targets()) std::fprintf(stderr, " %s", target.name);
        std::fprintf(stderr, "\n");
        return 2;
    }
    return 0;
}
