// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/doctype.hpp"

#include <expat.h>

#include <memory>
#include <type_traits>

namespace polytrace::format::tptp::xml {
namespace {

struct Free {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using ExpatParser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free>;

void XMLCALL refuse(void* parser, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                    const XML_Char*, const XML_Char*, const XML_Char*) {
  XML_StopParser(static_cast<XML_Parser>(parser), XML_FALSE);
}

bool accepts(XML_Parser parser, std::string_view text, bool last) {
  return XML_Parse(parser, text.data(), static_cast<int>(text.size()),
                   last ? XML_TRUE : XML_FALSE) == XML_STATUS_OK;
}

}  // namespace

bool is_harmless_doctype(std::string_view doctype) {
  const ExpatParser parser(XML_ParserCreate("UTF-8"));
  if (parser == nullptr) return false;
  XML_UseParserAsHandlerArg(parser.get());
  XML_SetEntityDeclHandler(parser.get(), refuse);
  return accepts(parser.get(), doctype, false) && accepts(parser.get(), "<x/>", true);
}

}  // namespace polytrace::format::tptp::xml
