#include "Postgres.h"
#include "Loading.h"

#define FUNCTIONS(EACH) \
    EACH(PGconn *, PQconnectStartParams, (const char *const *k, const char *const *v, int e), (k, v, e)) \
    EACH(int, PQconnectPoll, (PGconn *c), (c)) \
    EACH(void, PQfinish, (PGconn *c), (c)) \
    EACH(int, PQstatus, (const PGconn *c), (c)) \
    EACH(char *, PQerrorMessage, (const PGconn *c), (c)) \
    EACH(int, PQsetnonblocking, (PGconn *c, int n), (c, n)) \
    EACH(int, PQsocket, (const PGconn *c), (c)) \
    EACH(char *, PQuser, (const PGconn *c), (c)) \
    EACH(int, PQsendQuery, (PGconn *c, const char *s), (c, s)) \
    EACH(int, PQsetSingleRowMode, (PGconn *c), (c)) \
    EACH(int, PQflush, (PGconn *c), (c)) \
    EACH(int, PQconsumeInput, (PGconn *c), (c)) \
    EACH(int, PQisBusy, (PGconn *c), (c)) \
    EACH(PGresult *, PQgetResult, (PGconn *c), (c)) \
    EACH(void, PQclear, (PGresult *r), (r)) \
    EACH(int, PQresultStatus, (const PGresult *r), (r)) \
    EACH(char *, PQresultErrorField, (const PGresult *r, int f), (r, f)) \
    EACH(int, PQntuples, (const PGresult *r), (r)) \
    EACH(int, PQnfields, (const PGresult *r), (r)) \
    EACH(int, PQgetisnull, (const PGresult *r, int i, int j), (r, i, j)) \
    EACH(char *, PQgetvalue, (const PGresult *r, int i, int j), (r, i, j)) \
    EACH(char *, PQencryptPasswordConn, (PGconn *c, const char *p, const char *u, const char *a), (c, p, u, a)) \
    EACH(void, PQfreemem, (void *m), (m))

FUNCTIONS(POINTER)
static int (*PQsendQueryParams)(
    PGconn *, const char *, int, const unsigned int *, const char *const *, const int *, const int *, int);
// What another program notifies. Only its end is of use here.
static void *(*PQnotifies)(PGconn *);
static void (*(*PQsetNoticeProcessor)(PGconn *, void (*)(void *, const char *), void *))(void *, const char *);

bool blekeep_load_libpq(void) {
    static const struct blekeep_entry entries[] = {
        FUNCTIONS(ENTRY) FIND(PQsendQueryParams) FIND(PQnotifies) FIND(PQsetNoticeProcessor){NULL, NULL}};
    static bool is_loaded;
    return blekeep_load("libpq.so.5", entries, &is_loaded);
}

FUNCTIONS(CALL)

int blekeep_PQsendQueryParams(PGconn *connection, const char *statement, int count, const char *const *values) {
    return PQsendQueryParams(connection, statement, count, NULL, values, NULL, NULL, 0);
}

void blekeep_PQdropNotifications(PGconn *connection) {
    for (void *each; (each = PQnotifies(connection)) != NULL;) PQfreemem(each);
}

static void ignore(void *context, const char *message) {}

void blekeep_PQignoreNotices(PGconn *connection) { PQsetNoticeProcessor(connection, ignore, NULL); }
