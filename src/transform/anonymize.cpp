// SPDX-License-Identifier: Apache-2.0
#include "transform/anonymize.hpp"

#include "event/copy.hpp"
#include "event/visit.hpp"

namespace polytrace::transform {
namespace {

using event::Batch;
using event::Event;
using event::Tag;

struct Replacer {
  const Tokens& tokens;
  Batch& batch;
  event::Kind kind;

  template <Tag tag, class T>
  void field(std::string_view name, T& value) const {
    if constexpr (tag == Tag::kText) {
      const Treatment treatment = find_rule(kind, name)->treatment;
      if (treatment != Treatment::keep && !value.empty())
        value = batch.keep(tokens.text(value, treatment));
    }
  }
};

}  // namespace

base::result<void> Anonymizer::write(const Batch& batch) {
  out_.clear();
  for (const Event& event : batch.events) {
    event::copy_event(batch, event, out_);
    if (event.detail == event::kAbsent) continue;
    event::with_kind(event.kind, [&](auto none) {
      Replacer replacer{tokens_, out_, event.kind};
      visit_fields(replacer, out_.column<decltype(none)>().back());
    });
  }
  return to_->write(out_);
}

}  // namespace polytrace::transform
