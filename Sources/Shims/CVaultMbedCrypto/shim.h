#ifndef CVAULT_MBED_CRYPTO_SHIM_H
#define CVAULT_MBED_CRYPTO_SHIM_H

#include <mbedtls/bignum.h>
#include <mbedtls/cipher.h>
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>
#include <mbedtls/version.h>

#include "keys.h"

#endif
