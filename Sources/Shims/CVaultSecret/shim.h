#ifndef CVAULT_SECRET_SHIM_H
#define CVAULT_SECRET_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// libsecret is opened at run time, when a keyring is first needed: a program that links us starts where it is not
// installed, and builds where its headers are not. So everything of it that we use is declared here, under names of our
// own, since the program may import GLib itself. GLib promises not to change any of it within GLib 2.
//
// With CVAULT_SECRET_CHECK the types are those of the real headers: a test compiles check.h, which compares each
// declaration with theirs.
#ifdef CVAULT_SECRET_CHECK
#include <libsecret/secret.h>
typedef GType cvault_gtype;
typedef GError cvault_error;
typedef GValue cvault_value;
typedef GVariant cvault_variant;
typedef GVariantType cvault_variant_type;
typedef GObject cvault_object;
typedef GCancellable cvault_cancellable;
typedef GInitable cvault_initable;
typedef GDBusConnection cvault_bus;
typedef GDBusMessage cvault_message;
typedef GDBusAuthObserver cvault_auth_observer;
typedef GDBusMessageFilterFunction cvault_message_filter;
typedef GDestroyNotify cvault_destroy;
typedef GTypeClass cvault_type_class_head;
typedef GInstanceInitFunc cvault_instance_init;
typedef GClassInitFunc cvault_class_init;
typedef GTypeQuery cvault_type_query;
typedef GLogFunc cvault_log;
typedef SecretService cvault_service;
typedef SecretValue cvault_secret_value;
typedef GTypeFlags cvault_type_flags;
typedef GLogLevelFlags cvault_log_levels;
typedef GDBusConnectionFlags cvault_bus_flags;
typedef GDBusCallFlags cvault_call_flags;
typedef GDBusMessageType cvault_message_type;
typedef GDBusCapabilityFlags cvault_bus_capabilities;
#else
typedef size_t cvault_gtype;
typedef struct { uint32_t domain; int code; char *message; } cvault_error;
typedef struct { cvault_gtype type; uint64_t data[2]; } cvault_value;
typedef struct { cvault_gtype type; const char *name; unsigned int class_size; unsigned int instance_size; }
  cvault_type_query;
typedef struct cvault_variant cvault_variant;
typedef struct cvault_variant_type cvault_variant_type;
typedef struct cvault_object cvault_object;
typedef struct cvault_cancellable cvault_cancellable;
typedef struct cvault_initable cvault_initable;
typedef struct cvault_bus cvault_bus;
typedef struct cvault_message cvault_message;
typedef struct cvault_auth_observer cvault_auth_observer;
typedef struct cvault_service cvault_service;
typedef struct cvault_secret_value cvault_secret_value;
typedef void (*cvault_destroy)(void *);
typedef cvault_message *(*cvault_message_filter)(cvault_bus *, cvault_message *, int is_incoming, void *);
typedef void (*cvault_instance_init)(void *, void *);
typedef void (*cvault_class_init)(void *, void *);
typedef unsigned int cvault_type_flags;
typedef int cvault_log_levels;
typedef unsigned int cvault_bus_flags;
typedef unsigned int cvault_call_flags;
typedef unsigned int cvault_message_type;
typedef void (*cvault_log)(const char *domain, cvault_log_levels, const char *message, void *);
#endif

// The beginning of GObjectClass.
struct cvault_object_class {
  cvault_gtype type;
  void *construct_properties;
  void *constructor;
};

enum {
  cvault_type_string = 16 << 2,
  cvault_type_object = 20 << 2,
  cvault_bus_authentication_client = 1 << 0,
  cvault_bus_message_bus_connection = 1 << 3,
  cvault_call_no_auto_start = 1 << 0,
  cvault_proxy_do_not_load_properties = 1 << 0,
  cvault_proxy_do_not_connect_signals = 1 << 1,
  cvault_proxy_do_not_auto_start = 1 << 2,
  cvault_message_method_call = 1,
  cvault_message_method_return = 2,
  cvault_message_error = 3,
  cvault_message_signal = 4,
  cvault_io_invalid_argument = 13,
  cvault_io_closed = 18,
  cvault_io_cancelled = 19,
  cvault_io_timed_out = 24,
  cvault_io_dbus_error = 36,
  cvault_io_broken_pipe = 44,
};

// Every call goes through this table, so the linker needs none of the functions.
#define CVAULT_SECRET_FUNCTIONS(X) \
  X(void, g_error_free, (cvault_error *)) \
  X(const char *, g_quark_to_string, (uint32_t)) \
  X(void, g_free, (void *)) \
  X(cvault_log, g_log_set_default_handler, (cvault_log, void *)) \
  X(unsigned int, g_log_set_handler, (const char *, cvault_log_levels, cvault_log, void *)) \
  X(cvault_variant *, g_variant_ref_sink, (cvault_variant *)) \
  X(cvault_variant *, g_variant_take_ref, (cvault_variant *)) \
  X(void, g_variant_unref, (cvault_variant *)) \
  X(const char *, g_variant_get_type_string, (cvault_variant *)) \
  X(cvault_variant *, g_variant_new_string, (const char *)) \
  X(cvault_variant *, g_variant_new_object_path, (const char *)) \
  X(cvault_variant *, g_variant_new_boolean, (int)) \
  X(cvault_variant *, g_variant_new_uint32, (uint32_t)) \
  X(cvault_variant *, g_variant_new_variant, (cvault_variant *)) \
  X(cvault_variant *, g_variant_new_dict_entry, (cvault_variant *, cvault_variant *)) \
  X(cvault_variant *, g_variant_new_array, (const cvault_variant_type *, cvault_variant *const *, size_t)) \
  X(cvault_variant *, g_variant_new_tuple, (cvault_variant *const *, size_t)) \
  X(size_t, g_variant_n_children, (cvault_variant *)) \
  X(cvault_variant *, g_variant_get_child_value, (cvault_variant *, size_t)) \
  X(const char *, g_variant_get_string, (cvault_variant *, size_t *)) \
  X(int, g_variant_get_boolean, (cvault_variant *)) \
  X(uint32_t, g_variant_get_uint32, (cvault_variant *)) \
  X(uint64_t, g_variant_get_uint64, (cvault_variant *)) \
  X(const void *, g_variant_get_fixed_array, (cvault_variant *, size_t *, size_t)) \
  X(int, g_variant_is_object_path, (const char *)) \
  X(cvault_variant_type *, g_variant_type_new, (const char *)) \
  X(void, g_variant_type_free, (cvault_variant_type *)) \
  X(cvault_gtype, g_type_register_static_simple, \
    (cvault_gtype, const char *, unsigned int, cvault_class_init, unsigned int, cvault_instance_init, \
     cvault_type_flags)) \
  X(void *, g_type_class_ref, (cvault_gtype)) \
  X(cvault_gtype, g_type_from_name, (const char *)) \
  X(void, g_type_query, (cvault_gtype, cvault_type_query *)) \
  X(void, g_object_unref, (void *)) \
  X(cvault_object *, g_object_new_with_properties, \
    (cvault_gtype, unsigned int, const char *[], const cvault_value[])) \
  X(cvault_value *, g_value_init, (cvault_value *, cvault_gtype)) \
  X(void, g_value_unset, (cvault_value *)) \
  X(void, g_value_set_object, (cvault_value *, void *)) \
  X(void, g_value_set_string, (cvault_value *, const char *)) \
  X(void, g_value_set_flags, (cvault_value *, unsigned int)) \
  X(cvault_cancellable *, g_cancellable_new, (void)) \
  X(void, g_cancellable_cancel, (cvault_cancellable *)) \
  X(int, g_initable_init, (cvault_initable *, cvault_cancellable *, cvault_error **)) \
  X(cvault_gtype, g_dbus_connection_get_type, (void)) \
  X(cvault_gtype, g_dbus_proxy_flags_get_type, (void)) \
  X(cvault_bus *, g_dbus_connection_new_for_address_sync, \
    (const char *, cvault_bus_flags, cvault_auth_observer *, cvault_cancellable *, cvault_error **)) \
  X(void, g_dbus_connection_set_exit_on_close, (cvault_bus *, int)) \
  X(cvault_variant *, g_dbus_connection_call_sync, \
    (cvault_bus *, const char *, const char *, const char *, const char *, cvault_variant *, \
     const cvault_variant_type *, cvault_call_flags, int, cvault_cancellable *, cvault_error **)) \
  X(int, g_dbus_connection_is_closed, (cvault_bus *)) \
  X(unsigned int, g_dbus_connection_add_filter, (cvault_bus *, cvault_message_filter, void *, cvault_destroy)) \
  X(char *, g_dbus_error_get_remote_error, (const cvault_error *)) \
  X(cvault_message_type, g_dbus_message_get_message_type, (cvault_message *)) \
  X(void, g_dbus_message_set_message_type, (cvault_message *, cvault_message_type)) \
  X(uint32_t, g_dbus_message_get_serial, (cvault_message *)) \
  X(uint32_t, g_dbus_message_get_reply_serial, (cvault_message *)) \
  X(const char *, g_dbus_message_get_member, (cvault_message *)) \
  X(const char *, g_dbus_message_get_path, (cvault_message *)) \
  X(cvault_variant *, g_dbus_message_get_body, (cvault_message *)) \
  X(void, g_dbus_message_set_body, (cvault_message *, cvault_variant *)) \
  X(void, g_dbus_message_set_error_name, (cvault_message *, const char *)) \
  X(cvault_message *, g_dbus_message_copy, (cvault_message *, cvault_error **)) \
  X(cvault_gtype, secret_service_get_type, (void)) \
  X(int, secret_service_ensure_session_sync, (cvault_service *, cvault_cancellable *, cvault_error **)) \
  X(const char *, secret_service_get_session_algorithms, (cvault_service *)) \
  X(const char *, secret_service_get_session_dbus_path, (cvault_service *)) \
  X(cvault_variant *, secret_service_encode_dbus_secret, (cvault_service *, cvault_secret_value *)) \
  X(cvault_secret_value *, secret_service_decode_dbus_secret, (cvault_service *, cvault_variant *)) \
  X(cvault_secret_value *, secret_value_new, (const char *, ptrdiff_t, const char *)) \
  X(const char *, secret_value_get, (cvault_secret_value *, size_t *)) \
  X(void, secret_value_unref, (void *))

struct cvault_secret {
#define CVAULT_SECRET_MEMBER(result, name, parameters) result(*name) parameters;
  CVAULT_SECRET_FUNCTIONS(CVAULT_SECRET_MEMBER)
#undef CVAULT_SECRET_MEMBER
};

// Fills the table; 0 if a function is missing. A library's handle also finds the symbols of the
// libraries that it is linked with: dlsym(3).
static inline int cvault_secret_resolve(void *library, struct cvault_secret *functions) {
#define CVAULT_SECRET_RESOLVE(result, name, parameters) \
  if (!(functions->name = (result(*) parameters)dlsym(library, #name))) return 0;
  CVAULT_SECRET_FUNCTIONS(CVAULT_SECRET_RESOLVE)
#undef CVAULT_SECRET_RESOLVE
  return 1;
}

#endif
