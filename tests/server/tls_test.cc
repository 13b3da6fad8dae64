// SPDX-License-Identifier: Apache-2.0
// TLS: a certificate made here, a request over it, and what is said of bad files.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "server/http_server.h"
#include "server/raw_client.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.port = 0;
    options_.tls_cert = directory_.file("cert.pem");
    options_.tls_key = directory_.file("key.pem");
    write_certificate();
  }

  void write_certificate() const {
    EVP_PKEY* key = EVP_RSA_gen(2048);
    X509* certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* file = std::fopen(options_.tls_cert.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(options_.tls_key.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  static Result<std::unique_ptr<HttpServer>> listen(const HttpServerOptions& options) {
    return HttpServer::listen(options, [](HttpRequest request, auto reply) {
      reply->send({200, "text/plain", "secret " + request.path, {}});
    });
  }

  TemporaryDirectory directory_;
  HttpServerOptions options_;
};

TEST_F(TlsTest, AnswersAndEndsCleanly) {
  auto server = listen(options_);
  ASSERT_TRUE(server.ok()) << server.error().message;
  (*server)->start();
  RawClient client((*server)->port());
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* tls = SSL_new(context);
  SSL_set_fd(tls, client.descriptor());
  ASSERT_EQ(SSL_connect(tls), 1);
  const std::string request = get_request("/a", "Connection: close\r\n");
  ASSERT_GT(SSL_write(tls, request.data(), static_cast<int>(request.size())), 0);
  std::string all;
  char bytes[4096];
  int read = 0;
  while ((read = SSL_read(tls, bytes, sizeof bytes)) > 0)
    all.append(bytes, static_cast<size_t>(read));
  EXPECT_TRUE(all.ends_with("secret /a")) << all;
  EXPECT_EQ(SSL_get_error(tls, read), SSL_ERROR_ZERO_RETURN);  // the end was said, not cut
  SSL_free(tls);
  SSL_CTX_free(context);
}

TEST_F(TlsTest, SaysNothingToWhoSpeaksPlainly) {
  auto server = listen(options_);
  ASSERT_TRUE(server.ok());
  (*server)->start();
  RawClient client((*server)->port());
  client.send(get_request("/a"));
  EXPECT_EQ(client.read_all().find("secret"), std::string::npos);
}

TEST_F(TlsTest, NamesTheBadFile) {
  HttpServerOptions half = options_;
  half.tls_key.clear();
  EXPECT_EQ(listen(half).error().param, "tls_key");
  HttpServerOptions absent = options_;
  absent.tls_cert = directory_.file("none");
  EXPECT_EQ(listen(absent).error().param, "tls_cert");
  HttpServerOptions swapped = options_;
  std::swap(swapped.tls_key, swapped.tls_cert);
  EXPECT_FALSE(listen(swapped).ok());
}

}  // namespace
}  // namespace seqgpt
