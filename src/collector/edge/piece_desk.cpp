// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/piece_desk.hpp"

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

class OwnDesk final : public PieceDesk {
 public:
  OwnDesk(PieceReader& reader, std::string token) : reader_(reader), token_(std::move(token)) {}

  void ask(std::string_view target, std::string_view authorization,
           PieceReader::Take take) override {
    constexpr std::string_view kBearer = "Bearer ";
    if (token_.empty())
      return take({403, "no token is configured here: metrics.token_file says one\n"});
    if (!authorization.starts_with(kBearer) ||
        !agent::control::same_secret(authorization.substr(kBearer.size()), token_))
      return take({401, "the token of metrics.token_file is needed\n"});
    auto order = parse_piece_order(target.substr(kPiecesPath.size()));
    if (!order) return take({400, std::string(kPieceForm)});
    reader_.ask(std::move(*order), std::move(take));
  }

 private:
  PieceReader& reader_;
  const std::string token_;  // empty: nobody may ask
};

}  // namespace

base::result<std::unique_ptr<PieceDesk>> PieceDesk::open(const Config& config,
                                                         PieceReader& reader) {
  std::string token;
  if (!config.token_file.empty()) {
    auto read = agent::control::read_private_token(config.token_file);
    if (!read) return base::fail(base::Code::open_failed, read.error().detail);
    token = std::move(*read);
  }
  return std::make_unique<OwnDesk>(reader, std::move(token));
}

}  // namespace polytrace::collector
