#include "Loading.h"
#include <dlfcn.h>
#include <pthread.h>

bool blekeep_load(const char *library, const struct blekeep_entry *entries, bool *is_loaded) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!*is_loaded) {
        void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        bool has_all = handle != NULL;
        for (; has_all && entries->name != NULL; entries++) {
            has_all = (*entries->pointer = dlsym(handle, entries->name)) != NULL;
        }
        if (handle != NULL && !has_all) dlclose(handle);
        *is_loaded = has_all;
    }
    const bool result = *is_loaded;
    pthread_mutex_unlock(&lock);
    return result;
}
