#include "Build.h"

#ifndef COMMIT
#define COMMIT ""
#endif

const char *const commit_of_build = COMMIT;
