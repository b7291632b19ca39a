#ifndef CVAULT_MBED_CRYPTO_SHIM_H
#define CVAULT_MBED_CRYPTO_SHIM_H

#include <mbedtls/md.h>
#include <mbedtls/version.h>

#endif
