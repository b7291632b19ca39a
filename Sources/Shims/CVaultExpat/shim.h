#ifndef CVAULT_EXPAT_SHIM_H
#define CVAULT_EXPAT_SHIM_H

#include <expat.h>

#endif
