// Programs in packages have this in place of ICU's data, which Foundation brings along: 32 MB of texts in all languages
// that blekeep doesn't use. The format is that of ICU's stubdata.cpp; the number is the version of ICU in Foundation.
#include "no-icu-data.h"

#define EMPTY {32, {0xda, 0x27}, 20, 0, 0, 0, 2, 0, {'T', 'o', 'C', 'P'}, {1}, {0}, {0}, 0, 0}

_Alignas(16) const struct icu_data __wrap_icudt74_dat = EMPTY;
_Alignas(16) const struct icu_data __wrap_icudt76_dat = EMPTY;
