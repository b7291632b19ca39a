#ifndef CVAULT_POSTGRES_SHIM_H
#define CVAULT_POSTGRES_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

// libpq is opened at run time, by the helper alone, when an engine needs it: nothing is linked, and its headers are not
// needed. libpq.so.5 has kept this interface since PostgreSQL 9.1; numbers are those of libpq-fe.h.

typedef struct cvault_pg_connection cvault_pg_connection;
typedef struct cvault_pg_result cvault_pg_result;
typedef struct cvault_pg_notice { char *name; int process; char *extra; void *next; } cvault_pg_notice;
typedef void (*cvault_pg_tell)(void *context, const char *message);

enum {
  cvault_pg_connection_ok = 0,
  cvault_pg_command_ok = 1,
  cvault_pg_tuples_ok = 2,
  cvault_pg_field_state = 'C',
  cvault_pg_field_message = 'M',
};

#define CVAULT_PG_FUNCTIONS(X) \
  X(int, PQlibVersion, (void)) \
  X(cvault_pg_connection *, PQconnectdbParams, (const char *const *, const char *const *, int)) \
  X(void, PQfinish, (cvault_pg_connection *)) \
  X(int, PQstatus, (const cvault_pg_connection *)) \
  X(char *, PQerrorMessage, (const cvault_pg_connection *)) \
  X(int, PQsocket, (const cvault_pg_connection *)) \
  X(cvault_pg_tell, PQsetNoticeProcessor, (cvault_pg_connection *, cvault_pg_tell, void *)) \
  X(cvault_pg_result *, PQexecParams, \
    (cvault_pg_connection *, const char *, int, const unsigned int *, const char *const *, const int *, const int *, int)) \
  X(int, PQresultStatus, (const cvault_pg_result *)) \
  X(char *, PQresultErrorField, (const cvault_pg_result *, int)) \
  X(int, PQntuples, (const cvault_pg_result *)) \
  X(int, PQnfields, (const cvault_pg_result *)) \
  X(char *, PQgetvalue, (const cvault_pg_result *, int, int)) \
  X(int, PQgetlength, (const cvault_pg_result *, int, int)) \
  X(int, PQgetisnull, (const cvault_pg_result *, int, int)) \
  X(void, PQclear, (cvault_pg_result *)) \
  X(int, PQconsumeInput, (cvault_pg_connection *)) \
  X(cvault_pg_notice *, PQnotifies, (cvault_pg_connection *)) \
  X(void, PQfreemem, (void *))

struct cvault_pg {
#define CVAULT_PG_MEMBER(result, name, parameters) result(*name) parameters;
  CVAULT_PG_FUNCTIONS(CVAULT_PG_MEMBER)
#undef CVAULT_PG_MEMBER
};

// Fills the table; 0 if a function is missing.
static inline int cvault_pg_resolve(void *library, struct cvault_pg *functions) {
#define CVAULT_PG_RESOLVE(result, name, parameters) \
  if (!(functions->name = (result(*) parameters)dlsym(library, #name))) return 0;
  CVAULT_PG_FUNCTIONS(CVAULT_PG_RESOLVE)
#undef CVAULT_PG_RESOLVE
  return 1;
}

// What the server remarks goes nowhere: libpq writes it to stderr otherwise.
static inline void cvault_pg_say_nothing(void *context, const char *message) { (void)context; (void)message; }
static inline void cvault_pg_silence(const struct cvault_pg *pg, cvault_pg_connection *connection) {
  pg->PQsetNoticeProcessor(connection, cvault_pg_say_nothing, NULL);
}

#endif
