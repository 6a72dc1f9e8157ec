// The only C header that knows zlib. Macros that Swift cannot import get a name here.
#include <zlib.h>

// 15 bits of window, and 16 for a gzip header.
static inline int blekeep_gzip_begin(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
