// SPDX-License-Identifier: Apache-2.0
// How indexes look.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/session.hpp"
#include "service/index/build.hpp"
#include "service/index/cache.hpp"

namespace polytrace::cli {

// FILE, the trace, and --index.
struct IndexSubject {
  std::string file{};
  std::string folder{};
};
void add_index_subject(OptionList& list, IndexSubject& subject);

// One line of what the index of a trace is, and where it lies below.
void append_headline(std::string& out, const service::IndexAccount& account);
// All that is known of it.
void append_account(std::string& out, const service::IndexAccount& account, const Look& look);
// Of a cache or of what is gone from it; nothing where there is none.
void append_indexes(std::string& out, std::string title,
                    const std::vector<service::CachedIndex>& indexes, const Look& look);
// What was removed, and what could not be.
void append_dropped(std::string& out, const service::Dropped& dropped, const Look& look);

}  // namespace polytrace::cli
