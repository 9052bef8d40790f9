// SPDX-License-Identifier: Apache-2.0
#include "store/ask/events/row_scan.hpp"

#include <algorithm>
#include <numeric>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;
using base::Unexpected;

constexpr u64 kNotTold = ~u64{0};

// The field with the stack of a kind.
std::optional<u16> stack_field(event::Kind kind) {
  const auto fields = fields_of(kind);
  for (u16 i = 0; i < fields.size(); ++i)
    if (fields[i].type == ColumnType::path) return i;
  return std::nullopt;
}

}  // namespace

u64 none_of(event::Kind kind, u16 field) {
  if (field == kMovedField) return 0;
  const auto fields = fields_of(kind);
  return field < fields.size() ? fields[field].none : kNotTold;
}

RowScan::RowScan(const IndexFrames& frames, event::Kind kind, Range range, std::vector<u16> fields)
    : frames_(frames),
      kind_(kind),
      range_(std::move(range)),
      fields_(std::move(fields)),
      columns_(fields_.size()),
      made_(fields_.size()),
      gathered_(fields_.size()) {
  std::ranges::sort(range_.threads);
  page_.columns.resize(fields_.size());
}

base::result<const RowPage*> RowScan::next() {
  while (done_ == chosen_.size()) {
    const auto found = next_segment();
    if (!found) return Unexpected(found.error());
    if (!*found) return nullptr;
    choose();
    if (chosen_.empty()) continue;
    if (auto read = read_columns(); !read) return Unexpected(read.error());
  }
  fill_page();
  return &page_;
}

// Opens the next segment that the range meets; false: there is none.
base::result<bool> RowScan::next_segment() {
  const auto segments = frames_.segments(kind_);
  for (; next_ < segments.size(); ++next_) {
    if (range_.stop != nullptr && *range_.stop) return fail(Code::limit_exceeded, "stopped");
    const Entry& entry = frames_.view().entries()[segments[next_].entry];
    if (entry.least < range_.to && entry.greatest >= range_.from) break;
  }
  if (next_ == segments.size()) return false;
  const IndexFrames::Segment& segment = segments[next_++];
  const auto bytes = frames_.view().payload(segment.entry);
  if (!bytes) return Unexpected(bytes.error());
  auto view = RowView::open(*bytes);
  if (!view) return Unexpected(view.error());
  if (view->kind() != kind_ || view->first_row() != segment.first_row ||
      view->rows() != segment.rows)
    return fail(Code::value_unexpected, "another segment than the directory says",
                {.frame = "ROWS"});
  view_ = std::move(*view);
  if (const auto times = view_->numbers(kTimeField); !times) return Unexpected(times.error());
  const auto threads = view_->numbers(kThreadField);
  if (!threads) return Unexpected(threads.error());
  const std::size_t most = frames_.entities().count(EntitySort::thread);
  if (std::ranges::any_of(*threads, [most](u64 thread) { return thread >= most; }))
    return fail(Code::value_unexpected, "no such thread", {.frame = "ROWS"});
  return true;
}

void RowScan::choose() {
  const auto times = *view_->numbers(kTimeField), threads = *view_->numbers(kThreadField);
  done_ = 0;
  chosen_.resize(view_->rows());
  std::iota(chosen_.begin(), chosen_.end(), u32{0});
  const bool is_inside = view_->least() >= range_.from && view_->greatest() < range_.to;
  if (is_inside && range_.threads.empty()) return;
  std::erase_if(chosen_, [&](u32 row) {
    const auto time = static_cast<base::Time>(times[row]);
    if (time < range_.from || time >= range_.to) return true;
    return !range_.threads.empty() && !std::ranges::binary_search(range_.threads, threads[row]);
  });
}

base::result<void> RowScan::read_columns() {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const auto read = fields_[i] == kPathField ? path_column() : column(fields_[i]);
    if (!read) return Unexpected(read.error());
    columns_[i] = *read;
    if (!read->empty()) continue;
    made_[i].assign(view_->rows(), none_of(kind_, fields_[i]));
    columns_[i] = made_[i];
  }
  return {};
}

std::size_t RowScan::place_of(u16 field) const {
  return static_cast<std::size_t>(std::ranges::find(fields_, field) - fields_.begin());
}

base::result<std::span<const u64>> RowScan::column(u16 field) {
  const auto fields = fields_of(kind_);
  const ColumnType type = field < fields.size() ? fields[field].type : ColumnType::plain;
  if (type == ColumnType::list) return fail(Code::value_unexpected, "a column of lists");
  if (type == ColumnType::path || field == kOpenPathField) return told_path(field);
  if (field == kSubjectField) return subject_column();
  return view_->numbers(field);
}

base::result<std::span<const u64>> RowScan::told_path(u16 field) {
  const auto paths = view_->numbers(field);
  if (!paths) return paths;
  const u64 most = frames_.paths().size();
  const bool are_paths =
      std::ranges::all_of(*paths, [&](u64 path) { return path < most || path == kNotTold; });
  if (!are_paths) return fail(Code::value_unexpected, "no such path", {.frame = "ROWS"});
  return paths;
}

// An index is given to whatever events are about, to no id, too.
base::result<std::span<const u64>> RowScan::subject_column() {
  const auto told = view_->numbers(kSubjectField);
  if (!told || subject_sort(kind_) == EntitySort::none) return told;
  const auto is_none = [&](u64 subject) { return frames_.subject(kind_, subject) == base::kNoId; };
  if (std::ranges::none_of(*told, is_none)) return told;
  std::vector<u64>& subjects = made_[place_of(kSubjectField)];
  subjects.assign(told->begin(), told->end());
  std::ranges::replace_if(subjects, is_none, kNotTold);
  return std::span<const u64>(subjects);
}

base::result<std::span<const u64>> RowScan::path_column() {
  const auto stack = stack_field(kind_);
  const auto told = stack ? told_path(*stack) : std::span<const u64>();
  if (!told) return told;
  const auto open = told_path(kOpenPathField);
  if (!open || told->empty()) return open;
  if (open->empty()) return told;
  std::vector<u64>& paths = made_[place_of(kPathField)];
  paths.assign(told->begin(), told->end());
  for (std::size_t row = 0; row < paths.size(); ++row)
    if (paths[row] == kNotTold) paths[row] = (*open)[row];
  return std::span<const u64>(paths);
}

void RowScan::fill_page() {
  const std::size_t count = std::min(kPageRows, chosen_.size() - done_);
  const std::span rows(chosen_.data() + done_, count);
  const bool is_run = rows.back() - rows.front() == count - 1;
  numbers_.clear();
  for (const u32 row : rows) numbers_.push_back(view_->first_row() + row);
  page_.rows = numbers_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (is_run) {
      page_.columns[i] = columns_[i].subspan(rows.front(), count);
      continue;
    }
    gathered_[i].clear();
    for (const u32 row : rows) gathered_[i].push_back(columns_[i][row]);
    page_.columns[i] = gathered_[i];
  }
  done_ += count;
}

base::result<void> scan_rows(const IndexFrames& frames, event::Kind kind, const Range& range,
                             std::vector<u16> fields, const RowVisitor& visit) {
  RowScan scan(frames, kind, range, std::move(fields));
  for (;;) {
    const auto page = scan.next();
    if (!page) return Unexpected(page.error());
    if (*page == nullptr) return {};
    visit(**page);
  }
}

}  // namespace polytrace::store
