#include "Curl.h"
#include "Loading.h"

#define FUNCTIONS(EACH) \
    EACH(CURLcode, curl_global_init, (long f), (f)) \
    EACH(void *, curl_easy_init, (void), ()) \
    EACH(void, curl_easy_cleanup, (void *e), (e)) \
    EACH(const char *, curl_easy_strerror, (CURLcode c), (c)) \
    EACH(struct curl_slist *, curl_slist_append, (struct curl_slist *l, const char *t), (l, t)) \
    EACH(void, curl_slist_free_all, (struct curl_slist *l), (l)) \
    EACH(void *, curl_multi_init, (void), ()) \
    EACH(int, curl_multi_cleanup, (void *m), (m)) \
    EACH(int, curl_multi_add_handle, (void *m, void *e), (m, e)) \
    EACH(int, curl_multi_remove_handle, (void *m, void *e), (m, e)) \
    EACH(int, curl_multi_socket_action, (void *m, int s, int b, int *r), (m, s, b, r)) \
    EACH(int, curl_multi_timeout, (void *m, long *t), (m, t))

FUNCTIONS(POINTER)
static CURLcode (*curl_easy_setopt)(void *, CURLoption, ...);
static CURLcode (*curl_easy_getinfo)(void *, CURLINFO, ...);
static int (*curl_multi_setopt)(void *, int, ...);
static struct blekeep_message *(*curl_multi_info_read)(void *, int *);

bool blekeep_load_libcurl(void) {
    static const struct blekeep_entry entries[] = {
        FUNCTIONS(ENTRY) FIND(curl_easy_setopt) FIND(curl_easy_getinfo) FIND(curl_multi_setopt)
            FIND(curl_multi_info_read){NULL, NULL}};
    static bool is_loaded;
    return blekeep_load("libcurl.so.4", entries, &is_loaded);
}

FUNCTIONS(CALL)

CURLcode blekeep_set_number(void *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode blekeep_set_text(void *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode blekeep_set_list(void *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode blekeep_set_body(void *easy, const void *bytes, long count) {
    const CURLcode result = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, count);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

CURLcode blekeep_set_writer(void *easy, curl_write_callback writer, void *context) {
    const CURLcode result = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, writer);
    return result != CURLE_OK ? result : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode blekeep_set_error_buffer(void *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

long blekeep_get_number(void *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

long long blekeep_get_offset(void *easy, CURLINFO info) {
    long long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

void blekeep_set_callbacks(
    void *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 1L);
}

void *blekeep_next_ended(void *multi, CURLcode *result) {
    int left = 0;
    for (struct blekeep_message *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        if (message->kind != CURLMSG_DONE) continue;
        *result = (CURLcode)message->result;
        return message->easy;
    }
    return NULL;
}
