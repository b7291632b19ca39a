#ifndef CVAULT_ZLIB_SHIM_H
#define CVAULT_ZLIB_SHIM_H

#include <zlib.h>

#endif
