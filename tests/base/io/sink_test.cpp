// SPDX-License-Identifier: Apache-2.0
#include "base/io/sink.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "base/codes.hpp"
#include "base/io/source.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::base {
namespace {

using test::TemporaryFolder;

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(sink, file_appears_whole_with_commit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  const auto sink = create_sink(path, false);
  ASSERT_TRUE(sink);
  ASSERT_TRUE((*sink)->write(bytes_of("hello ")));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE((*sink)->write(bytes_of("world")));
  ASSERT_TRUE((*sink)->commit());
  EXPECT_EQ(test::content_of(path), "hello world");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(sink, file_gets_the_mode_that_the_umask_leaves) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  {
    const auto sink = create_sink(folder.file("out"), false);
    ASSERT_TRUE((*sink)->commit());
  }
  umask(before);
  struct stat status{};
  ASSERT_EQ(stat(folder.file("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(sink, nothing_is_left_behind_without_commit) {
  const TemporaryFolder folder;
  {
    const auto sink = create_sink(folder.file("out"), false);
    ASSERT_TRUE((*sink)->write(bytes_of("half")));
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(sink, nothing_is_left_behind_by_a_killed_program) {
  const TemporaryFolder folder;
  EXPECT_EXIT(
      {
        const auto sink = create_sink(folder.file("out"), false);
        static_cast<void>((*sink)->write(bytes_of("half")));
        kill(getpid(), SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(sink, link_that_leads_nowhere_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  std::filesystem::create_symlink("missing", path);
  const auto sink = create_sink(path, false);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, Code::output_exists);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  ASSERT_TRUE((*create_sink(path, true))->commit());
  EXPECT_FALSE(std::filesystem::is_symlink(path));
}

TEST(sink, existing_file_is_refused) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  const auto sink = create_sink(path, false);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, Code::output_exists);
  EXPECT_EQ(test::content_of(path), "old");
}

TEST(sink, existing_file_stays_until_its_replacement_is_committed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  {
    ASSERT_TRUE((*create_sink(path, true))->write(bytes_of("half")));
  }
  EXPECT_EQ(test::content_of(path), "old");
  EXPECT_EQ(folder.entries(), 1U);
  const auto sink = create_sink(path, true);
  ASSERT_TRUE((*sink)->write(bytes_of("new")));
  ASSERT_TRUE((*sink)->commit());
  EXPECT_EQ(test::content_of(path), "new");
}

TEST(sink, folder_that_is_not_there_is_write_failed) {
  const TemporaryFolder folder;
  const auto sink = create_sink(folder.file("missing/out"), false);
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, Code::write_failed);
}

TEST(sink, full_medium_is_write_failed) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const auto sink = create_sink("/dev/full", false);
  ASSERT_TRUE(sink);
  const auto written = (*sink)->write(bytes_of("x"));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::write_failed);
}

using Compressor = std::unique_ptr<Sink> (*)(std::unique_ptr<Sink>);
class compressing : public testing::TestWithParam<Compressor> {};
INSTANTIATE_TEST_SUITE_P(sink, compressing, testing::Values(gzip_sink, zstd_sink));

TEST_P(compressing, hands_a_failure_on) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const auto sink = GetParam()(*create_sink("/dev/full", false));
  static_cast<void>(sink->write(bytes_of("x")));
  const auto done = sink->commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Code::write_failed);
}

TEST_P(compressing, reads_back) {
  std::vector<std::byte> content;
  for (std::size_t i = 0; i < 300'000; ++i) content.push_back(static_cast<std::byte>(i * i >> 7));
  std::vector<std::byte> packed;
  const auto sink = GetParam()(memory_sink(packed));
  ASSERT_TRUE(sink->write(Bytes(content).first(1)));
  ASSERT_TRUE(sink->write(Bytes(content).subspan(1)));
  ASSERT_TRUE(sink->commit());
  EXPECT_LT(packed.size(), content.size());
  const auto source = unwrap(memory_source(packed));
  std::vector<std::byte> buffer(content.size() + 1);
  ASSERT_EQ(*read_fully(**source, buffer), content.size());
  buffer.pop_back();
  EXPECT_EQ(buffer, content);
}

TEST_P(compressing, nothing_is_an_empty_stream) {
  std::vector<std::byte> packed;
  ASSERT_TRUE(GetParam()(memory_sink(packed))->commit());
  const auto source = unwrap(memory_source(packed));
  std::vector<std::byte> buffer(10);
  EXPECT_EQ(*(*source)->read(buffer), 0U);
  EXPECT_FALSE((*source)->end_fault());
}

}  // namespace
}  // namespace polytrace::base
