#include "CPostgres.h"
#include <dlfcn.h>
#include <pthread.h>

// FUNCTION(what it returns, its name, its parameters, their names)
#define FUNCTIONS \
    FUNCTION(PGconn *, PQconnectStartParams, (const char *const *k, const char *const *v, int e), (k, v, e)) \
    FUNCTION(int, PQconnectPoll, (PGconn *c), (c)) \
    FUNCTION(void, PQfinish, (PGconn *c), (c)) \
    FUNCTION(int, PQstatus, (const PGconn *c), (c)) \
    FUNCTION(char *, PQerrorMessage, (const PGconn *c), (c)) \
    FUNCTION(int, PQsetnonblocking, (PGconn *c, int n), (c, n)) \
    FUNCTION(int, PQsocket, (const PGconn *c), (c)) \
    FUNCTION(char *, PQuser, (const PGconn *c), (c)) \
    FUNCTION(int, PQsendQuery, (PGconn *c, const char *s), (c, s)) \
    FUNCTION(int, PQsetSingleRowMode, (PGconn *c), (c)) \
    FUNCTION(int, PQflush, (PGconn *c), (c)) \
    FUNCTION(int, PQconsumeInput, (PGconn *c), (c)) \
    FUNCTION(int, PQisBusy, (PGconn *c), (c)) \
    FUNCTION(PGresult *, PQgetResult, (PGconn *c), (c)) \
    FUNCTION(void, PQclear, (PGresult *r), (r)) \
    FUNCTION(int, PQresultStatus, (const PGresult *r), (r)) \
    FUNCTION(char *, PQresultErrorField, (const PGresult *r, int f), (r, f)) \
    FUNCTION(int, PQntuples, (const PGresult *r), (r)) \
    FUNCTION(int, PQnfields, (const PGresult *r), (r)) \
    FUNCTION(int, PQgetisnull, (const PGresult *r, int i, int j), (r, i, j)) \
    FUNCTION(char *, PQgetvalue, (const PGresult *r, int i, int j), (r, i, j)) \
    FUNCTION(char *, PQencryptPasswordConn, (PGconn *c, const char *p, const char *u, const char *a), (c, p, u, a)) \
    FUNCTION(void, PQfreemem, (void *m), (m))

#define FUNCTION(type, name, parameters, names) static type(*name) parameters;
FUNCTIONS
#undef FUNCTION
static int (*PQsendQueryParams)(
    PGconn *, const char *, int, const unsigned int *, const char *const *, const int *, const int *, int);
// What another program notifies. Only its end is of use here.
static void *(*PQnotifies)(PGconn *);
static void (*(*PQsetNoticeProcessor)(PGconn *, void (*)(void *, const char *), void *))(void *, const char *);

static bool is_loaded;

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    is_loaded = true;
#define FIND(name) is_loaded = (*(void **)&name = dlsym(library, #name)) != NULL && is_loaded;
#define FUNCTION(type, name, parameters, names) FIND(name)
    FUNCTIONS
#undef FUNCTION
    FIND(PQsendQueryParams)
    FIND(PQnotifies)
    FIND(PQsetNoticeProcessor)
}

bool blekeep_load_libpq(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

#define FUNCTION(type, name, parameters, names) type blekeep_##name parameters { return name names; }
FUNCTIONS

int blekeep_PQsendQueryParams(PGconn *connection, const char *statement, int count, const char *const *values) {
    return PQsendQueryParams(connection, statement, count, NULL, values, NULL, NULL, 0);
}

void blekeep_PQdropNotifications(PGconn *connection) {
    for (void *each; (each = PQnotifies(connection)) != NULL;) PQfreemem(each);
}

static void ignore(void *context, const char *message) {}

void blekeep_PQignoreNotices(PGconn *connection) { PQsetNoticeProcessor(connection, ignore, NULL); }
