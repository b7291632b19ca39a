// What the command's work costs without the command: C over libsodium, with the layout and the cipher work of
// Documentation/design/file-format.md: a header, a sealed index of all items, items sealed one by one, each under a key of
// its own. No slots, no history, no undo, no checks beyond the ciphers' own: it is a floor to measure against.
//
// floor make FILE COUNT            a file with COUNT items, and FILE.key
// floor get FILE NAME              header, index and one item are read
// floor list FILE                  all names, sorted
// floor json FILE                  name and times of all items as JSON
// floor set FILE NAME < SECRET     the file is written anew, synced and renamed
// floor import FILE < LINES        NAME,SECRET a line: all into a new file, synced and renamed

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONCE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG crypto_aead_xchacha20poly1305_ietf_ABYTES
#define HEADER 289
#define BLOCK 4096
#define PAD 64

typedef unsigned char byte;
typedef struct { byte *at; size_t length, room; } Buffer;
typedef struct { byte key[32], index[32], item[32]; } Keys;
// A record of the index: where it begins and what is needed of it.
typedef struct { byte *record, *place; const char *name; size_t length; unsigned name_length; } Record;

static void check(int fine, const char *what) {
  if (!fine) { perror(what); exit(1); }
}

static void append(Buffer *to, const void *from, size_t length) {
  if (to->length + length > to->room) {
    to->room = (to->length + length) * 2;
    check((to->at = realloc(to->at, to->room)) != NULL, "memory");
  }
  memcpy(to->at + to->length, from, length);
  to->length += length;
}

static void number(Buffer *to, unsigned long long value, size_t bytes) { append(to, &value, bytes); }

static unsigned long long read_number(const byte *at, size_t bytes) {
  unsigned long long value = 0;
  memcpy(&value, at, bytes);
  return value;
}

static Keys keys_of(const char *path) {
  Keys keys;
  char name[4096];
  snprintf(name, sizeof name, "%s.key", path);
  int file = open(name, O_RDONLY);
  check(file >= 0 && read(file, keys.key, 32) == 32, name);
  close(file);
  crypto_kdf_derive_from_key(keys.index, 32, 2, "VLTkeys1", keys.key);
  crypto_kdf_derive_from_key(keys.item, 32, 3, "VLTkeys1", keys.key);
  return keys;
}

static void read_range(int file, void *into, size_t length, off_t from) {
  check(pread(file, into, length, from) == (ssize_t)length, "read");
}

static void seal(Buffer *to, const byte *plain, size_t length, const byte *key, const byte *with, size_t with_length) {
  byte nonce[NONCE];
  randombytes_buf(nonce, NONCE);
  append(to, nonce, NONCE);
  size_t start = to->length;
  Buffer room = {calloc(1, length + TAG), length + TAG, length + TAG};
  append(to, room.at, room.length);
  free(room.at);
  crypto_aead_xchacha20poly1305_ietf_encrypt(to->at + start, NULL, plain, length, with, with_length, NULL, nonce, key);
}

// Opens the index in place; the buffer holds header and index afterwards.
static Buffer open_index(int file, const Keys *keys, Record **records, unsigned *count, off_t *items) {
  byte header[HEADER];
  read_range(file, header, HEADER, 0);
  size_t sealed = read_number(header + 52, 4);
  Buffer index = {sodium_malloc(sealed), sealed, sealed};
  check(index.at != NULL, "memory");
  read_range(file, index.at, sealed, HEADER);
  check(crypto_aead_xchacha20poly1305_ietf_decrypt(
          index.at + NONCE, NULL, NULL, index.at + NONCE, sealed - NONCE, header, HEADER, index.at, keys->index) == 0,
        "open");
  index.at += NONCE;
  *count = read_number(index.at, 4);
  *records = malloc(sizeof(Record) * (*count + 1));
  byte *at = index.at + 4;
  for (unsigned n = 0; n < *count; n++) {
    size_t length = 4 + read_number(at, 4);
    unsigned name_length = read_number(at + 20, 2);
    (*records)[n] = (Record){at, at + length - 30, (char *)at + 22, length, name_length};
    at += length;
  }
  index.length = at - index.at;
  *items = HEADER + sealed;
  return index;
}

static void append_record(Buffer *index, const byte *id, const char *name, unsigned long long offset,
                          const byte *sealed, unsigned length) {
  byte zeros[64] = {0}, hash[16];
  crypto_generichash(hash, 16, sealed, length, NULL, 0);
  unsigned name_length = strlen(name);
  // id, name, kind, version, device, four times, copy, its hash, note, tags, attributes, place, earlier versions
  number(index, 16 + 2 + name_length + 2 + 8 + 16 + 32 + 1 + 16 + 4 + 2 + 2 + 8 + 4 + 16 + 2, 4);
  append(index, id, 16);
  number(index, name_length, 2);
  append(index, name, name_length);
  append(index, zeros, 2 + 8 + 16);
  number(index, 1700000000000, 8);
  number(index, 1700000000000, 8);
  append(index, zeros, 16 + 1 + 16 + 4 + 2 + 2);
  number(index, offset, 8);
  number(index, length, 4);
  append(index, hash, 16);
  append(index, zeros, 2);
}

static void seal_item(Buffer *items, const Keys *keys, const byte *id, const byte *secret, size_t length) {
  byte key[32];
  size_t padded = (length + PAD) / PAD * PAD;
  byte *plain = calloc(1, padded);
  memcpy(plain, secret, length);
  plain[length] = 0x80;
  crypto_generichash(key, 32, id, 16, keys->item, 32);
  seal(items, plain, padded, key, id, 16);
  free(plain);
}

// Header, index and items beside the file, synced, renamed, and the folder synced.
static void write_file(const char *path, const Keys *keys, Buffer *index, const Buffer *items) {
  static const byte zeros[BLOCK];
  append(index, zeros, BLOCK - index->length % BLOCK);
  byte header[HEADER] = {0};
  unsigned sealed = NONCE + index->length + TAG;
  memcpy(header + 52, &sealed, 4);
  crypto_generichash(header + HEADER - 32, 32, header, HEADER - 32, NULL, 0);
  Buffer file = {malloc(HEADER + sealed + items->length), 0, HEADER + sealed + items->length};
  append(&file, header, HEADER);
  seal(&file, index->at, index->length, keys->index, header, HEADER);
  append(&file, items->at, items->length);
  char beside[4096];
  snprintf(beside, sizeof beside, "%s.new", path);
  int out = open(beside, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  check(out >= 0 && write(out, file.at, file.length) == (ssize_t)file.length && fsync(out) == 0, "write");
  close(out);
  check(rename(beside, path) == 0, "rename");
  char *slash = strrchr(beside, '/');
  if (slash) *slash = 0;
  int folder = open(slash ? beside : ".", O_RDONLY | O_DIRECTORY);
  check(folder >= 0 && fsync(folder) == 0, "folder");
}

static void make(const char *path, unsigned count, FILE *lines) {
  Keys keys;
  if (lines == NULL) {
    char name[4096];
    snprintf(name, sizeof name, "%s.key", path);
    crypto_kdf_keygen(keys.key);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(file >= 0 && write(file, keys.key, 32) == 32, name);
    close(file);
  }
  keys = keys_of(path);
  Buffer index = {0}, items = {0};
  number(&index, 0, 4);
  char *line = NULL, name[1024];
  size_t room = 0;
  unsigned made = 0;
  for (;; made++) {
    byte id[16];
    char secret[64], *text = secret;
    if (lines == NULL) {
      if (made == count) break;
      snprintf(name, sizeof name, "item%u", made);
      snprintf(secret, sizeof secret, "secret %u", made);
    } else {
      if (getline(&line, &room, lines) < 0) break;
      line[strcspn(line, "\n")] = 0;
      text = strchr(line, ',');
      check(text != NULL, "line");
      *text++ = 0;
      snprintf(name, sizeof name, "%s", line);
    }
    randombytes_buf(id, 16);
    size_t start = items.length;
    seal_item(&items, &keys, id, (byte *)text, strlen(text));
    append_record(&index, id, name, start, items.at + start, items.length - start);
  }
  memcpy(index.at, &made, 4);
  write_file(path, &keys, &index, &items);
}

static void get(const char *path, const char *name) {
  Keys keys = keys_of(path);
  Record *records;
  unsigned count;
  off_t items;
  int file = open(path, O_RDONLY);
  check(file >= 0, path);
  open_index(file, &keys, &records, &count, &items);
  for (unsigned n = 0; n < count; n++) {
    if (records[n].name_length != strlen(name) || memcmp(records[n].name, name, records[n].name_length)) continue;
    unsigned length = read_number(records[n].place + 8, 4);
    byte *sealed = sodium_malloc(length), key[32];
    read_range(file, sealed, length, items + (off_t)read_number(records[n].place, 8));
    crypto_generichash(key, 32, records[n].record + 4, 16, keys.item, 32);
    check(crypto_aead_xchacha20poly1305_ietf_decrypt(
            sealed + NONCE, NULL, NULL, sealed + NONCE, length - NONCE, records[n].record + 4, 16, sealed, key) == 0,
          "item");
    size_t end = length - NONCE - TAG;
    while (end > 0 && sealed[NONCE + --end] == 0) {}
    check(write(1, sealed + NONCE, end) == (ssize_t)end, "write");
    return;
  }
  exit(66);
}

static int by_name(const void *a, const void *b) {
  const Record *left = a, *right = b;
  unsigned both = left->name_length < right->name_length ? left->name_length : right->name_length;
  int order = memcmp(left->name, right->name, both);
  return order ? order : (int)left->name_length - (int)right->name_length;
}

static void list(const char *path, int json) {
  Keys keys = keys_of(path);
  Record *records;
  unsigned count;
  off_t items;
  int file = open(path, O_RDONLY);
  check(file >= 0, path);
  open_index(file, &keys, &records, &count, &items);
  qsort(records, count, sizeof *records, by_name);
  static char room[1 << 16];
  setvbuf(stdout, room, _IOFBF, sizeof room);
  for (unsigned n = 0; n < count; n++) {
    if (json) {
      const byte *times = (byte *)records[n].name + records[n].name_length + 26;
      printf("{\"name\":\"%.*s\",\"created\":%lld,\"modified\":%lld}\n", (int)records[n].name_length,
             records[n].name, (long long)read_number(times, 8), (long long)read_number(times + 8, 8));
    } else {
      fwrite(records[n].name, 1, records[n].name_length, stdout);
      putchar('\n');
    }
  }
  fflush(stdout);
}

static void set(const char *path, const char *name) {
  Keys keys = keys_of(path);
  Record *records;
  unsigned count;
  off_t start;
  byte secret[65536];
  ssize_t secret_length = read(0, secret, sizeof secret);
  check(secret_length >= 0, "stdin");
  int file = open(path, O_RDONLY);
  struct stat status;
  check(file >= 0 && fstat(file, &status) == 0, path);
  Buffer index = open_index(file, &keys, &records, &count, &start), new_index = {0}, items = {0}, sealed = {0};
  byte *old = malloc(status.st_size - start);
  read_range(file, old, status.st_size - start, start);
  append(&new_index, index.at, index.length);
  for (unsigned n = 0; n < count; n++) {
    if (records[n].name_length != strlen(name) || memcmp(records[n].name, name, records[n].name_length)) continue;
    unsigned long long offset = read_number(records[n].place, 8);
    unsigned length = read_number(records[n].place + 8, 4), new_length;
    seal_item(&sealed, &keys, records[n].record + 4, secret, secret_length);
    new_length = sealed.length;
    append(&items, old, offset);
    append(&items, sealed.at, sealed.length);
    append(&items, old + offset + length, status.st_size - start - offset - length);
    byte *place = new_index.at + (records[n].place - index.at);
    memcpy(place + 8, &new_length, 4);
    crypto_generichash(place + 12, 16, sealed.at, sealed.length, NULL, 0);
    for (unsigned later = n + 1; later < count; later++) {
      byte *at = new_index.at + (records[later].place - index.at);
      unsigned long long moved = read_number(at, 8) + new_length - length;
      memcpy(at, &moved, 8);
    }
    write_file(path, &keys, &new_index, &items);
    return;
  }
  exit(66);
}

int main(int count, char **words) {
  check(sodium_init() >= 0, "libsodium");
  const char *verb = count > 2 ? words[1] : "";
  if (!strcmp(verb, "make") && count == 4) make(words[2], atoi(words[3]), NULL);
  else if (!strcmp(verb, "get") && count == 4) get(words[2], words[3]);
  else if (!strcmp(verb, "list")) list(words[2], 0);
  else if (!strcmp(verb, "json")) list(words[2], 1);
  else if (!strcmp(verb, "set") && count == 4) set(words[2], words[3]);
  else if (!strcmp(verb, "import")) make(words[2], 0, stdin);
  else return 64;
  return 0;
}
