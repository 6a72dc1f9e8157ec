#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#include <stddef.h>
#include "CurlNumbers.h"

#define EQUAL(name, value) _Static_assert(name == value, #name);
CURL_CODES(EQUAL)
CURL_OPTIONS(EQUAL)
CURL_INFOS(EQUAL)
CURL_CONSTANTS(EQUAL)
_Static_assert(sizeof(CURLcode) == sizeof(int) && sizeof(CURLoption) == sizeof(int), "an enumeration is an int");
_Static_assert(sizeof(curl_socket_t) == sizeof(int) && sizeof(curl_off_t) == sizeof(long long), "types");
_Static_assert(sizeof(struct CURLMsg) == sizeof(struct blekeep_message), "message");
_Static_assert(offsetof(struct CURLMsg, msg) == offsetof(struct blekeep_message, kind), "its kind");
_Static_assert(offsetof(struct CURLMsg, easy_handle) == offsetof(struct blekeep_message, easy), "its transfer");
_Static_assert(offsetof(struct CURLMsg, data.result) == offsetof(struct blekeep_message, result), "its result");
#endif
