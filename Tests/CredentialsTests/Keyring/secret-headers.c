// Compares the shim's declarations with libsecret's and GLib's own: LibSecretHeadersTests compiles it.
#define SECRET_API_SUBJECT_TO_CHANGE 1
#include "shim.h"

// A function has exactly the type that its member of the table has.
#define SAME(result, name, parameters) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name);
CVAULT_SECRET_FUNCTIONS(SAME)

// The layouts, as the shim has them without the headers.
struct error { uint32_t domain; int code; char *message; };
_Static_assert(sizeof(struct error) == sizeof(GError), "GError");
_Static_assert(offsetof(struct error, code) == offsetof(GError, code), "GError.code");
_Static_assert(offsetof(struct error, message) == offsetof(GError, message), "GError.message");
struct value { size_t type; uint64_t data[2]; };
_Static_assert(sizeof(struct value) == sizeof(GValue), "GValue");
_Static_assert(_Alignof(struct value) == _Alignof(GValue), "GValue's alignment");
struct query { size_t type; const char *name; unsigned int class_size; unsigned int instance_size; };
_Static_assert(sizeof(struct query) == sizeof(GTypeQuery), "GTypeQuery");
_Static_assert(offsetof(struct query, class_size) == offsetof(GTypeQuery, class_size), "GTypeQuery.class_size");
_Static_assert(
  offsetof(struct query, instance_size) == offsetof(GTypeQuery, instance_size), "GTypeQuery.instance_size");
_Static_assert(
  offsetof(struct cvault_object_class, constructor) == offsetof(GObjectClass, constructor), "GObjectClass");
_Static_assert(sizeof(GType) == sizeof(size_t), "GType");

// Enumerations are passed as int.
_Static_assert(sizeof(GDBusConnectionFlags) == 4 && sizeof(GDBusMessageType) == 4, "enumerations");
_Static_assert(sizeof(GTypeFlags) == 4 && sizeof(GLogLevelFlags) == 4, "enumerations");

#define EQUAL(ours, theirs) _Static_assert(ours == theirs, #theirs)
EQUAL(cvault_type_string, G_TYPE_STRING);
EQUAL(cvault_type_object, G_TYPE_OBJECT);
EQUAL(cvault_bus_authentication_client, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
EQUAL(cvault_bus_message_bus_connection, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
EQUAL(cvault_call_no_auto_start, G_DBUS_CALL_FLAGS_NO_AUTO_START);
EQUAL(cvault_proxy_do_not_load_properties, G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES);
EQUAL(cvault_proxy_do_not_connect_signals, G_DBUS_PROXY_FLAGS_DO_NOT_CONNECT_SIGNALS);
EQUAL(cvault_proxy_do_not_auto_start, G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START);
EQUAL(cvault_message_method_call, G_DBUS_MESSAGE_TYPE_METHOD_CALL);
EQUAL(cvault_message_method_return, G_DBUS_MESSAGE_TYPE_METHOD_RETURN);
EQUAL(cvault_message_error, G_DBUS_MESSAGE_TYPE_ERROR);
EQUAL(cvault_message_signal, G_DBUS_MESSAGE_TYPE_SIGNAL);
EQUAL(cvault_io_invalid_argument, G_IO_ERROR_INVALID_ARGUMENT);
EQUAL(cvault_io_closed, G_IO_ERROR_CLOSED);
EQUAL(cvault_io_cancelled, G_IO_ERROR_CANCELLED);
EQUAL(cvault_io_timed_out, G_IO_ERROR_TIMED_OUT);
EQUAL(cvault_io_dbus_error, G_IO_ERROR_DBUS_ERROR);
EQUAL(cvault_io_broken_pipe, G_IO_ERROR_BROKEN_PIPE);
