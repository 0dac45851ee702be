#ifndef KURA_CZLIB_SHIM_H
#define KURA_CZLIB_SHIM_H

#include <zlib.h>

/* zlib.h makes this a macro, which Swift does not see: 15 bits of window, and 32 for either header. */
static inline int kura_inflate_init(z_streamp stream) { return inflateInit2(stream, 15 + 32); }

#endif
