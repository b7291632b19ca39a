#ifndef CVAULT_SECRET_SHIM_H
#define CVAULT_SECRET_SHIM_H

// Types and prototypes only: the library itself is opened at run time (dlopen).
#include <libsecret/secret.h>

#endif
