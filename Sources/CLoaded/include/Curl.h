// The only C that knows libcurl. It is loaded when the first HTTP client needs it: gateways without an HTTP sink need neither
// libcurl nor the 25 packages that come with it.
#pragma once
#include "CurlNumbers.h"
#include <stdbool.h>
#include <stddef.h>

#define NUMBER(name, value) name = value,
typedef enum { CURL_CODES(NUMBER) } CURLcode;
typedef enum { CURL_OPTIONS(NUMBER) } CURLoption;
typedef enum { CURL_INFOS(NUMBER) } CURLINFO;
#undef NUMBER
#define NUMBER(name, value) static const int name = value;
CURL_CONSTANTS(NUMBER)
#undef NUMBER

struct curl_slist;
typedef size_t (*curl_write_callback)(char *data, size_t size, size_t count, void *context);
typedef int (*curl_socket_callback)(void *easy, int socket, int action, void *context, void *socket_context);
typedef int (*curl_multi_timer_callback)(void *multi, long milliseconds, void *context);

// Loads libcurl.so.4, or says that it is missing. Any thread may call it.
bool blekeep_load_libcurl(void);

// libcurl's functions, by their names. Only after it is loaded.
CURLcode blekeep_curl_global_init(long flags);
void *blekeep_curl_easy_init(void);
void blekeep_curl_easy_cleanup(void *easy);
const char *blekeep_curl_easy_strerror(CURLcode code);
struct curl_slist *blekeep_curl_slist_append(struct curl_slist *list, const char *text);
void blekeep_curl_slist_free_all(struct curl_slist *list);
void *blekeep_curl_multi_init(void);
int blekeep_curl_multi_cleanup(void *multi);
int blekeep_curl_multi_add_handle(void *multi, void *easy);
int blekeep_curl_multi_remove_handle(void *multi, void *easy);
int blekeep_curl_multi_socket_action(void *multi, int socket, int bits, int *running);
int blekeep_curl_multi_timeout(void *multi, long *milliseconds);

// Swift can't call functions with variable arguments: each type gets a name here.
CURLcode blekeep_set_number(void *easy, CURLoption option, long value);
CURLcode blekeep_set_text(void *easy, CURLoption option, const char *value);
CURLcode blekeep_set_list(void *easy, CURLoption option, struct curl_slist *value);
CURLcode blekeep_set_body(void *easy, const void *bytes, long count);
CURLcode blekeep_set_writer(void *easy, curl_write_callback writer, void *context);
CURLcode blekeep_set_error_buffer(void *easy, char *buffer);
long blekeep_get_number(void *easy, CURLINFO info);
long long blekeep_get_offset(void *easy, CURLINFO info);
void blekeep_set_callbacks(
    void *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context);

// The next transfer that ended, and how; NULL when there is none.
void *blekeep_next_ended(void *multi, CURLcode *result);
