// The only C that knows libpq. It is loaded when the first connection needs it: gateways without a database need neither
// libpq nor what comes with it.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

// ConnStatusType, as far as it is of use here: the startup packet, or the request for TLS, is sent.
enum { blekeep_connection_ok = 0, blekeep_connection_bad = 1, blekeep_awaiting_response = 4, blekeep_ssl_startup = 7 };
// PostgresPollingStatusType
enum { blekeep_polling_failed = 0, blekeep_polling_reading = 1, blekeep_polling_writing = 2, blekeep_polling_ok = 3 };
// ExecStatusType
enum {
    blekeep_empty_query = 0,
    blekeep_command_ok = 1,
    blekeep_tuples_ok = 2,
    blekeep_nonfatal_error = 6,
    blekeep_fatal_error = 7,
    blekeep_single_tuple = 9,
};
enum { blekeep_sql_state = 'C', blekeep_message = 'M', blekeep_detail = 'D' };

// Loads libpq.so.5, or says that it is missing. Any thread may call it.
bool blekeep_load_libpq(void);

// libpq's functions, by their names. Only after it is loaded.
PGconn *blekeep_PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname);
int blekeep_PQconnectPoll(PGconn *connection);
void blekeep_PQfinish(PGconn *connection);
int blekeep_PQstatus(const PGconn *connection);
char *blekeep_PQerrorMessage(const PGconn *connection);
int blekeep_PQsetnonblocking(PGconn *connection, int is_nonblocking);
void blekeep_PQignoreNotices(PGconn *connection);
int blekeep_PQsocket(const PGconn *connection);
char *blekeep_PQuser(const PGconn *connection);
int blekeep_PQsendQuery(PGconn *connection, const char *statements);
int blekeep_PQsendQueryParams(PGconn *connection, const char *statement, int count, const char *const *values);
int blekeep_PQsetSingleRowMode(PGconn *connection);
void blekeep_PQdropNotifications(PGconn *connection);
int blekeep_PQflush(PGconn *connection);
int blekeep_PQconsumeInput(PGconn *connection);
int blekeep_PQisBusy(PGconn *connection);
PGresult *blekeep_PQgetResult(PGconn *connection);
void blekeep_PQclear(PGresult *result);
int blekeep_PQresultStatus(const PGresult *result);
char *blekeep_PQresultErrorField(const PGresult *result, int field);
int blekeep_PQntuples(const PGresult *result);
int blekeep_PQnfields(const PGresult *result);
int blekeep_PQgetisnull(const PGresult *result, int row, int column);
char *blekeep_PQgetvalue(const PGresult *result, int row, int column);
char *blekeep_PQencryptPasswordConn(PGconn *connection, const char *password, const char *user, const char *algorithm);
void blekeep_PQfreemem(void *memory);
