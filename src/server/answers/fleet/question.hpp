// SPDX-License-Identifier: Apache-2.0
// What answers about a fleet have in common: the question as a request has it, and the store, as
// long as somebody waits. Any thread.
#pragma once

#include "fleet/question.hpp"
#include "fleet/store.hpp"
#include "server/answers/ask.hpp"

namespace polytrace::server {

template <class T>
using OrReply = tl::expected<T, Reply>;

// A condition and a range as every question has them: "where", "last", "from", "to", "resolution",
// "exact". What is wrong with their types is the body's fault.
fleet::QuestionWords read_words(Members& members);

// Refusals: what the words are wrong about.
OrReply<fleet::Question> question_of(const fleet::QuestionWords& words);
// The same as it was before, where `base` chooses others.
OrReply<fleet::Question> earlier_of(const fleet::Question& question, const std::string& base,
                                    const std::string& offset);

// Connected anew for each question: a connection serves one thread. Refusals: there is no store
// here, or it does not answer.
OrReply<fleet::Store> open_store(const Ask& ask);

}  // namespace polytrace::server
