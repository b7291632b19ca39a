#ifndef CVAULT_MBED_CRYPTO_KEYS_H
#define CVAULT_MBED_CRYPTO_KEYS_H

// Keys that sign: RSA and the curves of NIST. Mbed TLS 2.28 and 3 differ in the arguments of these
// functions and in the names of fields, which Swift cannot ask about; so they are called from here.
// Numbers are big-endian. Each function returns 0, or Mbed TLS's error.

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/rsa.h>
#include <mbedtls/version.h>

#ifndef MBEDTLS_PRIVATE
#define MBEDTLS_PRIVATE(member) member
#endif

// Where bytes lie, and how many.
struct cvault_bytes {
  const uint8_t *start;
  size_t count;
};

// The parts of an RSA key; the private ones are empty in a public key.
struct cvault_rsa {
  struct cvault_bytes n, e, d, p, q;
};

// getrandom(2), for blinding and for new keys.
static inline int cvault_random(void *unused, unsigned char *bytes, size_t count) {
  (void)unused;
  while (count > 0) {
    ssize_t made = getrandom(bytes, count, 0);
    if (made < 0) {
      if (errno == EINTR) continue;
      return MBEDTLS_ERR_RSA_RNG_FAILED;
    }
    bytes += made;
    count -= (size_t)made;
  }
  return 0;
}

static inline void cvault_rsa_init(mbedtls_rsa_context *rsa) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
  mbedtls_rsa_init(rsa);
#else
  mbedtls_rsa_init(rsa, MBEDTLS_RSA_PKCS_V15, 0);
#endif
}

static inline int cvault_rsa_load(mbedtls_rsa_context *rsa, const struct cvault_rsa *key) {
  int status = mbedtls_rsa_import_raw(
      rsa, key->n.start, key->n.count, key->p.count ? key->p.start : NULL, key->p.count,
      key->q.count ? key->q.start : NULL, key->q.count, key->d.count ? key->d.start : NULL,
      key->d.count, key->e.start, key->e.count);
  return status != 0 ? status : mbedtls_rsa_complete(rsa);
}

// Whether the parts of a private key belong together.
static inline int cvault_rsa_check(const struct cvault_rsa *key) {
  mbedtls_rsa_context rsa;
  cvault_rsa_init(&rsa);
  int status = cvault_rsa_load(&rsa, key);
  if (status == 0) status = mbedtls_rsa_check_privkey(&rsa);
  mbedtls_rsa_free(&rsa);
  return status;
}

// RSASSA-PKCS1-v1_5, blinded: RFC 8017, section 8.2. `signature` has as many bytes as the modulus.
static inline int cvault_rsa_sign(const struct cvault_rsa *key, int digest, const uint8_t *hash,
                                  unsigned int count, uint8_t *signature) {
  mbedtls_rsa_context rsa;
  cvault_rsa_init(&rsa);
  int status = cvault_rsa_load(&rsa, key);
  if (status == 0) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    status = mbedtls_rsa_pkcs1_sign(&rsa, cvault_random, NULL, (mbedtls_md_type_t)digest, count,
                                    hash, signature);
#else
    status = mbedtls_rsa_pkcs1_sign(&rsa, cvault_random, NULL, MBEDTLS_RSA_PRIVATE,
                                    (mbedtls_md_type_t)digest, count, hash, signature);
#endif
  }
  mbedtls_rsa_free(&rsa);
  return status;
}

static inline int cvault_rsa_verify(const struct cvault_rsa *key, int digest, const uint8_t *hash,
                                    unsigned int count, const uint8_t *signature, size_t length) {
  mbedtls_rsa_context rsa;
  cvault_rsa_init(&rsa);
  int status = cvault_rsa_load(&rsa, key);
  if (status == 0 && mbedtls_rsa_get_len(&rsa) != length) status = MBEDTLS_ERR_RSA_VERIFY_FAILED;
  if (status == 0) {
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    status = mbedtls_rsa_pkcs1_verify(&rsa, (mbedtls_md_type_t)digest, count, hash, signature);
#else
    status = mbedtls_rsa_pkcs1_verify(&rsa, NULL, NULL, MBEDTLS_RSA_PUBLIC,
                                      (mbedtls_md_type_t)digest, count, hash, signature);
#endif
  }
  mbedtls_rsa_free(&rsa);
  return status;
}

// q⁻¹ mod p, which OpenSSH's format has and others have not. As many bytes as `p`.
static inline int cvault_rsa_inverse(const struct cvault_rsa *key, uint8_t *inverse) {
  mbedtls_mpi p, q, result;
  mbedtls_mpi_init(&p);
  mbedtls_mpi_init(&q);
  mbedtls_mpi_init(&result);
  int status = mbedtls_mpi_read_binary(&p, key->p.start, key->p.count);
  if (status == 0) status = mbedtls_mpi_read_binary(&q, key->q.start, key->q.count);
  if (status == 0) status = mbedtls_mpi_inv_mod(&result, &q, &p);
  if (status == 0) status = mbedtls_mpi_write_binary(&result, inverse, key->p.count);
  mbedtls_mpi_free(&p);
  mbedtls_mpi_free(&q);
  mbedtls_mpi_free(&result);
  return status;
}

// A new key with the exponent 65537. `n` and `d` have `bits`/8 bytes, `p` and `q` half of that.
static inline int cvault_rsa_generate(unsigned int bits, uint8_t *n, uint8_t *d, uint8_t *p,
                                      uint8_t *q) {
  mbedtls_rsa_context rsa;
  cvault_rsa_init(&rsa);
  size_t length = bits / 8;
  int status = mbedtls_rsa_gen_key(&rsa, cvault_random, NULL, bits, 65537);
  if (status == 0)
    status = mbedtls_rsa_export_raw(&rsa, n, length, p, length / 2, q, length / 2, d, length, NULL,
                                    0);
  mbedtls_rsa_free(&rsa);
  return status;
}

// The curve by the bits of its numbers: 256, 384 or 521.
static inline int cvault_curve_load(mbedtls_ecp_group *group, int bits) {
  return mbedtls_ecp_group_load(group, bits == 256   ? MBEDTLS_ECP_DP_SECP256R1
                                       : bits == 384 ? MBEDTLS_ECP_DP_SECP384R1
                                                     : MBEDTLS_ECP_DP_SECP521R1);
}

static inline size_t cvault_curve_length(int bits) { return ((size_t)bits + 7) / 8; }

// ECDSA with the numbers of RFC 6979, blinded. `r` and `s` have the length of the curve.
static inline int cvault_ecdsa_sign(int bits, struct cvault_bytes key, int digest,
                                    const uint8_t *hash, size_t count, uint8_t *r, uint8_t *s) {
  mbedtls_ecp_group group;
  mbedtls_mpi d, first, second;
  mbedtls_ecp_group_init(&group);
  mbedtls_mpi_init(&d);
  mbedtls_mpi_init(&first);
  mbedtls_mpi_init(&second);
  int status = cvault_curve_load(&group, bits);
  if (status == 0) status = mbedtls_mpi_read_binary(&d, key.start, key.count);
  if (status == 0) status = mbedtls_ecp_check_privkey(&group, &d);
  if (status == 0)
    status = mbedtls_ecdsa_sign_det_ext(&group, &first, &second, &d, hash, count,
                                        (mbedtls_md_type_t)digest, cvault_random, NULL);
  if (status == 0) status = mbedtls_mpi_write_binary(&first, r, cvault_curve_length(bits));
  if (status == 0) status = mbedtls_mpi_write_binary(&second, s, cvault_curve_length(bits));
  mbedtls_ecp_group_free(&group);
  mbedtls_mpi_free(&d);
  mbedtls_mpi_free(&first);
  mbedtls_mpi_free(&second);
  return status;
}

static inline int cvault_ecdsa_verify(int bits, struct cvault_bytes point, const uint8_t *hash,
                                      size_t count, struct cvault_bytes r, struct cvault_bytes s) {
  mbedtls_ecp_group group;
  mbedtls_ecp_point q;
  mbedtls_mpi first, second;
  mbedtls_ecp_group_init(&group);
  mbedtls_ecp_point_init(&q);
  mbedtls_mpi_init(&first);
  mbedtls_mpi_init(&second);
  int status = cvault_curve_load(&group, bits);
  if (status == 0) status = mbedtls_ecp_point_read_binary(&group, &q, point.start, point.count);
  if (status == 0) status = mbedtls_ecp_check_pubkey(&group, &q);
  if (status == 0) status = mbedtls_mpi_read_binary(&first, r.start, r.count);
  if (status == 0) status = mbedtls_mpi_read_binary(&second, s.start, s.count);
  if (status == 0) status = mbedtls_ecdsa_verify(&group, hash, count, &q, &first, &second);
  mbedtls_ecp_group_free(&group);
  mbedtls_ecp_point_free(&q);
  mbedtls_mpi_free(&first);
  mbedtls_mpi_free(&second);
  return status;
}

// The public point of a private number, uncompressed: 1 byte and twice the length of the curve. A
// new number is made and written to `made` if that is not NULL.
static inline int cvault_ecdsa_public(int bits, struct cvault_bytes key, uint8_t *made,
                                      uint8_t *point) {
  mbedtls_ecp_group group;
  mbedtls_ecp_point q;
  mbedtls_mpi d;
  mbedtls_ecp_group_init(&group);
  mbedtls_ecp_point_init(&q);
  mbedtls_mpi_init(&d);
  size_t length = cvault_curve_length(bits), written = 0;
  int status = cvault_curve_load(&group, bits);
  if (status == 0 && made != NULL) {
    status = mbedtls_ecp_gen_keypair(&group, &d, &q, cvault_random, NULL);
    if (status == 0) status = mbedtls_mpi_write_binary(&d, made, length);
  } else if (status == 0) {
    status = mbedtls_mpi_read_binary(&d, key.start, key.count);
    if (status == 0) status = mbedtls_ecp_check_privkey(&group, &d);
    if (status == 0) status = mbedtls_ecp_mul(&group, &q, &d, &group.G, cvault_random, NULL);
  }
  if (status == 0)
    status = mbedtls_ecp_point_write_binary(&group, &q, MBEDTLS_ECP_PF_UNCOMPRESSED, &written,
                                            point, 2 * length + 1);
  mbedtls_ecp_group_free(&group);
  mbedtls_ecp_point_free(&q);
  mbedtls_mpi_free(&d);
  return status;
}

// What a file in PEM has: the bits of an RSA key as a negative number, those of a curve, or 0 for
// what is neither. `numbers` gets n, e, d, p and q of an RSA key, each with 1024 bytes of room and
// padded on the left, or the private number of a curve.
static inline int cvault_pem_read(const uint8_t *text, size_t count, uint8_t *numbers, int *kind) {
  mbedtls_pk_context key;
  mbedtls_pk_init(&key);
  *kind = 0;
  // The count includes the NUL at the end, which tells PEM from DER.
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
  int status = mbedtls_pk_parse_key(&key, text, count, NULL, 0, cvault_random, NULL);
#else
  int status = mbedtls_pk_parse_key(&key, text, count, NULL, 0);
#endif
  if (status == 0 && mbedtls_pk_get_type(&key) == MBEDTLS_PK_RSA) {
    const mbedtls_rsa_context *rsa = mbedtls_pk_rsa(key);
    size_t length = mbedtls_rsa_get_len(rsa);
    if (length > 1024) status = MBEDTLS_ERR_PK_KEY_INVALID_FORMAT;
    if (status == 0)
      status = mbedtls_rsa_export_raw(rsa, numbers, 1024, numbers + 3072, 1024, numbers + 4096,
                                      1024, numbers + 2048, 1024, numbers + 1024, 1024);
    if (status == 0) *kind = -(int)(8 * length);
  } else if (status == 0 && mbedtls_pk_get_type(&key) == MBEDTLS_PK_ECKEY) {
    const mbedtls_ecp_keypair *pair = mbedtls_pk_ec(key);
    mbedtls_ecp_group_id curve = pair->MBEDTLS_PRIVATE(grp).id;
    int bits = curve == MBEDTLS_ECP_DP_SECP256R1   ? 256
               : curve == MBEDTLS_ECP_DP_SECP384R1 ? 384
               : curve == MBEDTLS_ECP_DP_SECP521R1 ? 521
                                                   : 0;
    if (bits != 0)
      status = mbedtls_mpi_write_binary(&pair->MBEDTLS_PRIVATE(d), numbers,
                                        cvault_curve_length(bits));
    if (status == 0) *kind = bits;
  }
  mbedtls_pk_free(&key);
  return status;
}

#endif
