// SPDX-License-Identifier: Apache-2.0
// What holds for every format's files holds for their indexes: cut anywhere, with wrong bits, and
// written again, an index gives what its source gave, with all that was told of its faults.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/io/sink.hpp"
#include "format/format.hpp"
#include "store/built.hpp"
#include "store/calls/told.hpp"
#include "support/random.hpp"

namespace polytrace::store::indexes {
namespace {

using Bytes = std::vector<std::byte>;
using format::Format;

std::unique_ptr<Told> read_all(const Bytes& bytes) {
  auto opened = format::open(base::memory_source(bytes));
  return opened ? tell(*opened->reader) : nullptr;
}

// Files that the format's writer makes, one for each kind of event that it holds.
std::vector<Bytes> written_files(const Format& format) {
  std::vector<Bytes> files;
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind) {
    if (!format.holds(static_cast<event::Kind>(kind), format.write_versions[0])) continue;
    test::RandomEvents random(kind);
    event::Batch batch;
    for (int i = 0; i < 3; ++i) random.add(batch, static_cast<event::Kind>(kind));
    auto writer = format.create(base::memory_sink(files.emplace_back()), {});
    if (!writer || !(*writer)->write(batch) || !(*writer)->finish()) files.pop_back();
  }
  return files;
}

// Those, and of the recordings the small ones of the format.
std::vector<Bytes> small_files(const Format& format) {
  auto files = written_files(format);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(POLYTRACE_TEST_DATA)) {
    if (!entry.is_regular_file() || entry.file_size() > 20'000) continue;
    auto source = base::open_source(entry.path().string());
    if (!source) continue;
    const auto opened = format::open(std::move(*source));
    if (!opened || opened->format->name != format.name) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(content));
    files.emplace_back(bytes.begin(), bytes.end());
  }
  return files;
}

class store_house : public testing::TestWithParam<const Format*> {};

// A step that meets any place of a longer file, but not all of them.
std::size_t step_of(std::size_t size, int times) {
  return 1 + size / static_cast<std::size_t>(calls::tried(times));
}

TEST_P(store_house, an_index_of_a_cut_file_is_what_was_read_of_it) {
  std::size_t indexed = 0;
  for (const Bytes& file : small_files(*GetParam())) {
    for (std::size_t size = 0; size <= file.size(); size += step_of(file.size(), 60)) {
      const auto told = read_all({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)});
      if (told == nullptr) continue;
      ++indexed;
      SCOPED_TRACE(size);
      expect_identity(*told);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(indexed, 20U);
}

TEST_P(store_house, an_index_of_a_damaged_file_is_what_was_read_of_it) {
  std::size_t indexed = 0, with_notices = 0;
  for (Bytes file : small_files(*GetParam())) {
    for (std::size_t bit = 0; bit < file.size() * 8; bit += step_of(file.size() * 8, 61)) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      file[bit / 8] ^= mask;
      const auto told = read_all(file);
      file[bit / 8] ^= mask;
      if (told == nullptr) continue;
      ++indexed;
      with_notices += told->outcome.notices.empty() ? 0U : 1U;
      SCOPED_TRACE(bit);
      expect_identity(*told);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(indexed, 20U);
  EXPECT_GT(with_notices, 0U);
}

// What the format's writer makes of the index is what it makes of the source.
TEST_P(store_house, an_index_is_written_as_its_source_is) {
  const Format& format = *GetParam();
  for (const Bytes& file : small_files(format)) {
    const auto told = read_all(file);
    if (told == nullptr) continue;
    const event::Batch* const all[]{&told->batch};
    StoreReader reader(index_of(all, {}, told->outcome));
    const auto again = tell(reader);
    Bytes of_source, of_index;
    for (const auto& [batch, to] :
         {std::pair(&told->batch, &of_source), std::pair(&again->batch, &of_index)}) {
      auto writer = format.create(base::memory_sink(*to), {});
      ASSERT_TRUE(writer);
      const auto written = (*writer)->write(*batch);
      const auto finished = written ? (*writer)->finish() : written;
      if (!finished) to->clear();
    }
    EXPECT_TRUE(of_source == of_index);
  }
}

// Those that can be written: of the others there are no small files here.
std::vector<const Format*> writable() {
  std::vector<const Format*> all;
  for (const Format* const format : format::formats())
    if (format->create != nullptr) all.push_back(format);
  return all;
}

INSTANTIATE_TEST_SUITE_P(formats, store_house, testing::ValuesIn(writable()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace polytrace::store::indexes
