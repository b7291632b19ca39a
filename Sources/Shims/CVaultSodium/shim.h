#ifndef CVAULT_SODIUM_SHIM_H
#define CVAULT_SODIUM_SHIM_H

#include <sodium.h>

#endif
