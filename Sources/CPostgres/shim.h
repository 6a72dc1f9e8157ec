// The only C header that knows libpq. Macros that Swift cannot import get a name here.
#include <libpq-fe.h>

static const int blekeep_sql_state = PG_DIAG_SQLSTATE;
static const int blekeep_message = PG_DIAG_MESSAGE_PRIMARY;
static const int blekeep_detail = PG_DIAG_MESSAGE_DETAIL;
