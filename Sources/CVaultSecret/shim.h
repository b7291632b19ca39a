#ifndef CVAULT_SECRET_SHIM_H
#define CVAULT_SECRET_SHIM_H

#include <dlfcn.h>
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include <libsecret/secret.h>

// libsecret is opened at run time, when a keyring is first needed: a program that links it does not
// start where it is not installed. Only types and prototypes come from the headers. Every call goes
// through this table, whose members have the prototypes' own types, so the linker does not need it.
#define CVAULT_SECRET_FUNCTIONS(X) \
  X(g_error_free) X(g_quark_to_string) X(g_free) \
  X(g_log_set_default_handler) X(g_log_set_handler) \
  X(g_variant_ref_sink) X(g_variant_take_ref) X(g_variant_unref) X(g_variant_get_type_string) \
  X(g_variant_new_string) X(g_variant_new_object_path) X(g_variant_new_boolean) X(g_variant_new_uint32) \
  X(g_variant_new_variant) X(g_variant_new_dict_entry) X(g_variant_new_array) \
  X(g_variant_new_tuple) X(g_variant_n_children) X(g_variant_get_child_value) \
  X(g_variant_get_string) X(g_variant_get_boolean) X(g_variant_get_uint32) \
  X(g_variant_get_uint64) X(g_variant_get_fixed_array) \
  X(g_variant_is_object_path) X(g_variant_type_new) X(g_variant_type_free) \
  X(g_type_register_static_simple) X(g_type_class_ref) X(g_type_from_name) X(g_object_unref) X(g_object_new_with_properties) \
  X(g_value_init) X(g_value_unset) X(g_value_set_object) X(g_value_set_string) X(g_value_set_flags) \
  X(g_cancellable_new) X(g_cancellable_cancel) X(g_initable_init) \
  X(g_dbus_connection_get_type) X(g_dbus_proxy_flags_get_type) \
  X(g_dbus_connection_new_for_address_sync) X(g_dbus_connection_set_exit_on_close) \
  X(g_dbus_connection_call_sync) X(g_dbus_connection_is_closed) X(g_dbus_connection_add_filter) \
  X(g_dbus_error_get_remote_error) \
  X(g_dbus_message_get_message_type) X(g_dbus_message_set_message_type) \
  X(g_dbus_message_get_serial) X(g_dbus_message_get_reply_serial) \
  X(g_dbus_message_get_interface) X(g_dbus_message_get_member) X(g_dbus_message_get_path) \
  X(g_dbus_message_get_sender) X(g_dbus_message_get_body) X(g_dbus_message_set_body) \
  X(g_dbus_message_set_error_name) X(g_dbus_message_copy) \
  X(secret_service_get_type) X(secret_service_ensure_session_sync) \
  X(secret_service_get_session_algorithms) X(secret_service_get_session_dbus_path) \
  X(secret_service_encode_dbus_secret) \
  X(secret_service_decode_dbus_secret) \
  X(secret_value_new) X(secret_value_get) X(secret_value_unref)

struct cvault_secret {
#define CVAULT_SECRET_MEMBER(name) __typeof__(&name) name;
  CVAULT_SECRET_FUNCTIONS(CVAULT_SECRET_MEMBER)
#undef CVAULT_SECRET_MEMBER
};

// Fills the table; 0 if a function is missing. A library's handle also finds the symbols of the
// libraries that it is linked with: dlsym(3).
static inline int cvault_secret_resolve(void *library, struct cvault_secret *functions) {
#define CVAULT_SECRET_RESOLVE(name) \
  if (!(functions->name = (__typeof__(&name))dlsym(library, #name))) return 0;
  CVAULT_SECRET_FUNCTIONS(CVAULT_SECRET_RESOLVE)
#undef CVAULT_SECRET_RESOLVE
  return 1;
}

// GLib's fundamental type numbers are macros with casts, which Swift does not import.
static const GType cvault_type_string = G_TYPE_STRING;
static const GType cvault_type_object = G_TYPE_OBJECT;

#endif
