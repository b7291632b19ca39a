#ifndef CVAULT_SQLITE_SHIM_H
#define CVAULT_SQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import.
static inline int cvault_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes,
                                          int length) {
  return sqlite3_bind_text(statement, index, bytes, length, SQLITE_TRANSIENT);
}

static inline int cvault_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                          int length) {
  return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)length, SQLITE_TRANSIENT);
}

static inline void cvault_sqlite_result_text(sqlite3_context *context, const char *bytes,
                                             int length) {
  sqlite3_result_text(context, bytes, length, SQLITE_TRANSIENT);
}

static inline void cvault_sqlite_result_blob(sqlite3_context *context, const void *bytes,
                                             int length) {
  sqlite3_result_blob(context, bytes, length, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int cvault_sqlite_db_config_flag(sqlite3 *database, int option, int value) {
  return sqlite3_db_config(database, option, value, (int *)0);
}

// The methods of a file are function pointers behind a pointer; the log is the "journal" of a
// database in WAL mode (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
static inline int cvault_sqlite_sync_log(sqlite3 *database) {
  sqlite3_file *log = 0;
  int status = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (status != SQLITE_OK || !log || !log->pMethods) return status;
  return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}

#endif
