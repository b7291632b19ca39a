#ifndef CVAULT_CURL_SHIM_H
#define CVAULT_CURL_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

// libcurl is opened at run time, by the helper alone, when an engine needs it: nothing is linked, and its headers are
// not needed. libcurl has kept this interface since 2006 (curl.se/libcurl/abi.html); numbers are those of curl.h.

typedef struct cvault_curl_list cvault_curl_list;
typedef size_t (*cvault_curl_take)(const char *bytes, size_t size, size_t count, void *context);

typedef enum cvault_curl_options {
  cvault_curl_global_all = 3,
  cvault_curl_write_data = 10001,
  cvault_curl_url = 10002,
  cvault_curl_proxy = 10004,
  cvault_curl_error_buffer = 10010,
  cvault_curl_post_fields = 10015,
  cvault_curl_http_header = 10023,
  cvault_curl_ssl_cert = 10025,
  cvault_curl_ca_info = 10065,
  cvault_curl_ssl_key = 10087,
  cvault_curl_ca_path = 10097,
  cvault_curl_write_function = 20011,
  cvault_curl_low_speed_limit = 19,
  cvault_curl_low_speed_time = 20,
  cvault_curl_header = 42,
  cvault_curl_follow_location = 52,
  cvault_curl_post_field_size = 60,
  cvault_curl_verify_peer = 64,
  cvault_curl_http_get = 80,
  cvault_curl_verify_host = 81,
  cvault_curl_http_version = 84,
  cvault_curl_no_signal = 99,
  cvault_curl_connect_timeout_ms = 156,
  cvault_curl_protocols = 181,
  cvault_curl_tcp_keepalive = 213,
  cvault_curl_response_code = 0x200002,
} cvault_curl_options;

#define CVAULT_CURL_FUNCTIONS(X) \
  X(int, curl_global_init, (long)) \
  X(void *, curl_easy_init, (void)) \
  X(int, curl_easy_setopt, (void *, int, ...)) \
  X(int, curl_easy_perform, (void *)) \
  X(int, curl_easy_getinfo, (void *, int, ...)) \
  X(void, curl_easy_cleanup, (void *)) \
  X(cvault_curl_list *, curl_slist_append, (cvault_curl_list *, const char *)) \
  X(void, curl_slist_free_all, (cvault_curl_list *))

struct cvault_curl {
#define CVAULT_CURL_MEMBER(result, name, parameters) result(*name) parameters;
  CVAULT_CURL_FUNCTIONS(CVAULT_CURL_MEMBER)
#undef CVAULT_CURL_MEMBER
};

// Fills the table; 0 if a function is missing.
static inline int cvault_curl_resolve(void *library, struct cvault_curl *functions) {
#define CVAULT_CURL_RESOLVE(result, name, parameters) \
  if (!(functions->name = (result(*) parameters)dlsym(library, #name))) return 0;
  CVAULT_CURL_FUNCTIONS(CVAULT_CURL_RESOLVE)
#undef CVAULT_CURL_RESOLVE
  return 1;
}

// Swift calls no variadic functions.
static inline int cvault_curl_set_number(const struct cvault_curl *curl, void *handle, int option, long value) {
  return curl->curl_easy_setopt(handle, option, value);
}
static inline int cvault_curl_set_pointer(const struct cvault_curl *curl, void *handle, int option, const void *value) {
  return curl->curl_easy_setopt(handle, option, value);
}
static inline int cvault_curl_set_take(const struct cvault_curl *curl, void *handle, cvault_curl_take take) {
  return curl->curl_easy_setopt(handle, cvault_curl_write_function, take);
}
static inline long cvault_curl_status(const struct cvault_curl *curl, void *handle) {
  long status = 0;
  curl->curl_easy_getinfo(handle, cvault_curl_response_code, &status);
  return status;
}

#endif
