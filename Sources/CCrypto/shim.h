// The only C header that knows OpenSSL's ciphers.
#include <openssl/err.h>
#include <openssl/evp.h>
