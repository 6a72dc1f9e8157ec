// Functions of libraries that are loaded when a sink needs them. A library's file has a list of them,
//     #define FUNCTIONS(EACH) EACH(what it returns, its name, its parameters, their names) …
// and makes of each a pointer, an entry to find it, and a function `blekeep_…` that calls it.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct blekeep_entry {
    const char *name;
    void **pointer;
};

#define POINTER(type, name, parameters, names) static type(*name) parameters;
#define FIND(name) {#name, (void **)&name},
#define ENTRY(type, name, parameters, names) FIND(name)
#define CALL(type, name, parameters, names) type blekeep_##name parameters { return name names; }

// Loads a library, unless `is_loaded`, and finds its functions; the last entry has no name. A library that is missing is looked
// for again by the next call: the user may have installed it.
bool blekeep_load(const char *library, const struct blekeep_entry *entries, bool *is_loaded);
