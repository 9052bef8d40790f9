// SPDX-License-Identifier: Apache-2.0
// What TLS needs besides a socket: certificates and keys, and who the other side is. The
// library is OpenSSL, through Boost.Asio. Any thread.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "http/listener.hpp"

namespace boost::asio::ssl {
class context;
}

namespace polytrace::http {

// TLS 1.3 and nothing older. No session is resumed: each connection shows its certificate anew.
// Errors: open_failed, with the file and what is wrong with it.
base::result<std::shared_ptr<boost::asio::ssl::context>> server_context(const TlsFiles& files);

// The same of who dials: shows the certificate where there is one, and believes `ca`, else whom the
// system believes.
base::result<std::shared_ptr<boost::asio::ssl::context>> client_context(const TlsFiles& files);

// The URIs of the certificate that the other side showed and that was found good; none: it showed
// none.
std::vector<std::string> names_of_peer(SSL* connection);
// Why a handshake failed, in words: what is wrong with the certificate, where that is it.
std::string handshake_fault(SSL* connection, const std::string& otherwise);

}  // namespace polytrace::http
