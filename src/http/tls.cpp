// SPDX-License-Identifier: Apache-2.0
#include "http/tls.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <boost/asio/ssl/context.hpp>

#include "base/codes.hpp"

namespace polytrace::http {
namespace {

namespace ssl = boost::asio::ssl;

base::Unexpected tls_fault(const std::string& file, const boost::system::error_code& fault) {
  return base::fail(base::Code::open_failed, file + ": " + fault.message());
}

// OpenSSL says of a key of another certificate only that values mismatch.
base::result<void> load(ssl::context& context, const TlsFiles& files) {
  boost::system::error_code fault;
  context.use_certificate_chain_file(files.certificate, fault);
  if (fault) return tls_fault(files.certificate, fault);
  // Nobody sits at a terminal to be asked for it.
  context.set_password_callback([](auto...) { return std::string(); }, fault);
  context.use_private_key_file(files.key, ssl::context::pem, fault);
  if (fault) return tls_fault(files.key, fault);
  if (files.ca.empty()) return {};
  context.load_verify_file(files.ca, fault);
  if (fault) return tls_fault(files.ca, fault);
  context.set_verify_mode(ssl::verify_peer, fault);
  return {};
}

}  // namespace

base::result<std::shared_ptr<ssl::context>> server_context(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tlsv13_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  if (auto loaded = load(*context, files); !loaded) return base::Unexpected(loaded.error());
  return context;
}

base::result<std::shared_ptr<ssl::context>> client_context(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tlsv13_client);
  boost::system::error_code fault;
  if (files.ca.empty()) context->set_default_verify_paths(fault);
  context->set_verify_mode(ssl::verify_peer, fault);
  if (!files.certificate.empty()) {
    if (auto loaded = load(*context, files); !loaded) return base::Unexpected(loaded.error());
  } else if (!files.ca.empty()) {
    context->load_verify_file(files.ca, fault);
    if (fault) return tls_fault(files.ca, fault);
  }
  return context;
}

std::vector<std::string> names_of_peer(SSL* connection) {
  std::vector<std::string> names;
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      SSL_get1_peer_certificate(connection), &X509_free);
  if (!certificate || SSL_get_verify_result(connection) != X509_V_OK) return names;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  for (int i = 0; all && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type != GEN_URI) continue;
    const ASN1_IA5STRING* const text = name->d.uniformResourceIdentifier;
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<std::size_t>(ASN1_STRING_length(text)));
  }
  return names;
}

std::string handshake_fault(SSL* connection, const std::string& otherwise) {
  const long found = SSL_get_verify_result(connection);
  if (found == X509_V_OK) return otherwise;
  return std::string("its certificate: ") + X509_verify_cert_error_string(found);
}

}  // namespace polytrace::http
