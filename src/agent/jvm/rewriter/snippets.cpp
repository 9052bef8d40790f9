// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/snippets.hpp"

#include "agent/jvm/rewriter/classfile/instructions.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm::rewriter {

void Snippets::push(Snippet& snippet, std::uint32_t id) {
  if (id <= 5) return snippet.u1(kIconst0 + id);
  if (id <= INT8_MAX) {
    snippet.u1(kBipush);
    return snippet.u1(id);
  }
  if (id <= INT16_MAX) {
    snippet.u1(kSipush);
    return snippet.u2(id);
  }
  if (integer_ == 0 || integer_value_ != id) {
    integer_ = constants_.add_integer(id);
    integer_value_ = id;
  }
  snippet.u1(kLdcWide);
  snippet.u2(integer_);
}

void Snippets::invoke(Snippet& snippet, std::uint16_t& method, std::string_view name,
                      std::string_view descriptor) {
  if (probe_ == 0) probe_ = constants_.add_class(kProbeClass);
  if (method == 0) method = constants_.add_method(probe_, name, descriptor);
  snippet.u1(kInvokeStatic);
  snippet.u2(method);
}

Snippet Snippets::call(std::uint32_t id, std::uint16_t& method, std::string_view name,
                       std::string_view descriptor) {
  Snippet snippet;
  push(snippet, id);
  invoke(snippet, method, name, descriptor);
  return snippet;
}

Snippet Snippets::array(std::uint32_t id) {
  Snippet snippet;
  snippet.u1(kDup);
  snippet.u1(kArrayLength);
  push(snippet, id);
  invoke(snippet, array_, "array", "(II)V");
  return snippet;
}

Snippet Snippets::grid(std::uint32_t id) {
  Snippet snippet;
  snippet.u1(kDup);
  push(snippet, id);
  invoke(snippet, grid_, "grid", "(Ljava/lang/Object;I)V");
  return snippet;
}

std::uint16_t Snippets::throwable() {
  if (throwable_ == 0) throwable_ = constants_.add_class("java/lang/Throwable");
  return throwable_;
}

}  // namespace polytrace::agent::jvm::rewriter
