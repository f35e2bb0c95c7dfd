// SPDX-License-Identifier: Apache-2.0
#include "torch/call_stack.h"

#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <torch/csrc/profiler/unwind/unwind.h>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace graphed::impl {
namespace {

constexpr std::size_t functions_shown = 3;
/// How far before a call that was inlined the statement may begin that has it, in bytes.
constexpr std::ptrdiff_t longest_statement = 128, step = 4;

/// LibTorch's, which remembers how each place in the code is unwound: a third of the time of _Unwind_Backtrace().
std::vector<void*> unwind() {
  try {
    return torch::unwind::unwind();
  } catch (const c10::Error&) {  // on Linux of x86-64 alone
    return {};
  }
}

bool begins_with_any(std::string_view text, c10::ArrayRef<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view each) { return text.substr(0, each.size()) == each; });
}

using code_ranges = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

bool has(const code_ranges& code, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return std::any_of(code.begin(), code.end(), [&](const auto& each) { return each.first <= at && at < each.second; });
}

/// Where the code of the program and of its own libraries is. dladdr() says which file an address is in as well, after a walk through all
/// of that file's symbols: a millisecond in LibTorch's. Thread safety: all members.
class users_code {
 public:
  static std::shared_ptr<const code_ranges> loaded() {
    static users_code& code = *new users_code;  // the report is written while static storage ends
    loads now{};
    dl_iterate_phdr(&count, &now);
    const std::lock_guard lock(code.mutex_);
    if (code.ranges_ == nullptr || now != code.counted_) {
      auto found = std::make_shared<code_ranges>();
      dl_iterate_phdr(&add, found.get());
      code.counted_ = now;
      code.ranges_ = std::move(found);
    }
    return code.ranges_;
  }

 private:
  using loads = std::pair<unsigned long long, unsigned long long>;

  /// How many files were loaded and unloaded so far. Ends at the first file.
  static int count(dl_phdr_info* file, std::size_t, void* to) {
    *static_cast<loads*>(to) = {file->dlpi_adds, file->dlpi_subs};
    return 1;
  }

  static int add(dl_phdr_info* file, std::size_t, void* to) {
    static constexpr std::array<std::string_view, 10> others{"libtorch", "libc10", "libgraphed", "libstdc++", "libc++",
                                                             "libc.",    "libgcc", "libcu",      "ld-",       "linux-vdso"};
    const std::string_view path = file->dlpi_name;
    if (!begins_with_any(path.substr(path.rfind('/') + 1), others)) {
      for (int i = 0; i < file->dlpi_phnum; ++i) {
        if (const ElfW(Phdr) & segment = file->dlpi_phdr[i]; segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
          const std::uintptr_t begin = file->dlpi_addr + segment.p_vaddr;
          static_cast<code_ranges*>(to)->emplace_back(begin, begin + segment.p_memsz);
        }
      }
    }
    return 0;
  }

  std::mutex mutex_;
  loads counted_{};
  std::shared_ptr<const code_ranges> ranges_;
};

// "app::loss" of "at::Tensor app::loss<float>(at::Tensor const&)": without a result, template arguments and parameters; of what is
// inside of a function, that function.
std::string name_of(std::string_view function) {
  constexpr std::string_view unnamed = "(anonymous namespace)", call = "operator()";
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    const bool is_outside = depth == 0;
    if (is_outside && begins_with_any(function.substr(i), {unnamed, call})) {
      const std::string_view taken = c == '(' ? unnamed : call;
      name += taken;
      i += taken.size() - 1;
    } else if (is_outside && c == '(') {
      break;
    } else if (c == '<') {
      ++depth;
    } else if (c == '>') {
      --depth;
    } else if (is_outside && c == ' ') {
      name.clear();
    } else if (is_outside) {
      name += c;
    }
  }
  return name;
}

bool is_users(const std::string& name) {
  return !name.empty() && name != "??" && !begins_with_any(name, {"at::", "c10::", "torch::", "graphed::", "std::", "__gnu_cxx::", "void"});
}

bool is_users_source(const std::string& file) {
  static constexpr std::array<std::string_view, 6> others{"/ATen/", "/c10/", "/include/torch/", "/c++/", "/include/graphed/", ".graphed."};
  return std::none_of(others.begin(), others.end(), [&](std::string_view each) { return file.find(each) != std::string::npos; });
}

// Without debug information it is an offset in a file that is not a source.
bool has_line(const torch::unwind::Frame& frame, void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 && frame.lineno != 0 && frame.filename != "??" && is_users_source(frame.filename) &&
         std::filesystem::path(frame.filename).filename() != std::filesystem::path(found.dli_fname).filename();
}

std::string from_here(const std::string& file) {
  std::error_code unknown;
  const std::string here = std::filesystem::current_path(unknown).string() + "/";
  return file.compare(0, here.size(), here) == 0 ? file.substr(here.size()) : file;
}

// An inlined function of LibTorch has lines in its header: what is before it is the statement that calls it. An inlined function of the
// user's has lines, but no name.
std::optional<source_line> line_of(void* address) {
  std::vector<void*> before;
  for (std::ptrdiff_t back = 0; back < longest_statement; back += step) {
    before.push_back(static_cast<char*>(address) - back);
  }
  const auto frames = torch::unwind::symbolize(before, torch::unwind::Mode::fast);
  source_line found{name_of(frames.front().funcname)};
  if (!is_users(found.function)) {
    found.function.clear();
  }
  for (std::size_t i = 0; i < frames.size() && frames[i].funcname == frames.front().funcname; ++i) {
    if (has_line(frames[i], before[i])) {
      found.file = from_here(frames[i].filename);
      found.line = frames[i].lineno;
      break;
    }
  }
  return found.function.empty() && found.line == 0 ? std::nullopt : std::optional(found);
}

}  // namespace

call_stack call_stack::of_this_thread(std::size_t outer) {
  call_stack stack;
  stack.addresses_ = unwind();
  stack.addresses_.resize(stack.addresses_.size() - std::min(outer, stack.addresses_.size()));
  return stack;
}

std::size_t call_stack::depth() {
  constexpr std::size_t own = 3;  // that of unwind(), this one and its caller's
  const std::size_t all = unwind().size();
  return all - std::min(own, all);
}

void call_stack::begin_reading_symbols() noexcept {
  try {
    torch::unwind::symbolize({reinterpret_cast<void*>(&call_stack::begin_reading_symbols)}, torch::unwind::Mode::fast);
  } catch (const std::exception&) {  // no lines are known then
  }
}

void call_stack::keep_users(std::size_t most) {
  const auto users = users_code::loaded();
  std::vector<void*> kept;
  for (auto each = addresses_.begin(); each != addresses_.end() && kept.size() < most; ++each) {
    if (has(*users, *each)) {
      kept.push_back(*each);
    }
  }
  addresses_ = std::move(kept);
}

std::vector<source_line> call_stack::users_lines(std::size_t most, c10::function_ref<bool(const source_line&)> is_wanted) const {
  const auto users = users_code::loaded();
  std::vector<source_line> lines;
  for (auto each = addresses_.begin(); each != addresses_.end() && lines.size() < most; ++each) {
    try {
      auto found = has(*users, *each) ? line_of(*each) : std::nullopt;
      if (found && is_wanted(*found)) {
        lines.push_back(*std::move(found));
      }
    } catch (const std::exception&) {  // LibTorch reads symbols on Linux of x86-64 alone
      return {};
    }
  }
  return lines;
}

std::string call_stack::users_functions() const {
  std::string all;
  for (const auto& [function, file, line] : users_lines(functions_shown, [](const source_line& each) { return !each.function.empty(); })) {
    all += (all.empty() ? "" : ", called by ") + function + (line == 0 ? "" : " (" + file + ":" + std::to_string(line) + ")");
  }
  return all;
}

}  // namespace graphed::impl
