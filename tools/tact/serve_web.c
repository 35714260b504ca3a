#ifdef TACT_HAVE_NNG

#include "serve_web.h"

#include <stdio.h>
#include <string.h>

#include "base64.h"

/* Kinds of frames, and the largest one of control. */
enum { OP_CONTINUATION = 0, OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };
#define CONTROL_SIZE 125

/* What a key is joined with before its hash (RFC 6455, 1.3). */
static const char key_suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/* ---- SHA-1 (RFC 3174), of short texts ---- */

static uint32_t rotate(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static void block_add(uint32_t hash[5], const unsigned char block[64])
{
    uint32_t w[80], h[5];
    memcpy(h, hash, sizeof h);
    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (size_t i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (size_t i = 0; i < 80; i++) {
        const uint32_t f = i < 20   ? ((h[1] & h[2]) | (~h[1] & h[3])) + 0x5A827999u
                           : i < 40 ? (h[1] ^ h[2] ^ h[3]) + 0x6ED9EBA1u
                           : i < 60 ? ((h[1] & h[2]) | (h[1] & h[3]) | (h[2] & h[3])) + 0x8F1BBCDCu
                                    : (h[1] ^ h[2] ^ h[3]) + 0xCA62C1D6u;
        const uint32_t next = rotate(h[0], 5) + f + h[4] + w[i];
        h[4] = h[3];
        h[3] = h[2];
        h[2] = rotate(h[1], 30);
        h[1] = h[0];
        h[0] = next;
    }
    for (size_t i = 0; i < 5; i++)
        hash[i] += h[i];
}

/* The hash of at most 3 blocks. */
static void sha1(const char *text, size_t length, unsigned char digest[20])
{
    unsigned char blocks[4 * 64] = {0};
    uint32_t hash[5] = {0x67452301u, 0xEFCDAB89u, 0x98BADCFEu, 0x10325476u, 0xC3D2E1F0u};
    memcpy(blocks, text, length);
    blocks[length] = 0x80;
    const size_t count = (length + 8) / 64 + 1;
    blocks[64 * count - 2] = (unsigned char)(length >> 5);
    blocks[64 * count - 1] = (unsigned char)(length << 3);
    for (size_t i = 0; i < count; i++)
        block_add(hash, blocks + 64 * i);
    for (size_t i = 0; i < 20; i++)
        digest[i] = (unsigned char)(hash[i / 4] >> (24 - 8 * (i % 4)));
}

void tact_web_accept_key(const char *key, char accept[32])
{
    char text[3 * 64];
    unsigned char digest[20];
    const int length = snprintf(text, sizeof text, "%.100s%s", key, key_suffix);
    sha1(text, (size_t)length, digest);
    accept[tact_base64_encode(accept, digest, sizeof digest)] = '\0';
}

/* ---- the handshake ---- */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* True if `text` begins with `word`, which is in lower case. */
static bool begins_with(const char *text, const char *word)
{
    while (*word && lower(*text) == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

/* Copies the value of a header line; empty if there is none. `name` is in lower case, with its colon. */
static void value_copy(const char *header, const char *name, char value[WEB_VALUE])
{
    size_t length = 0;
    for (const char *line = strstr(header, "\r\n"); line && length == 0; line = strstr(line + 2, "\r\n")) {
        if (!begins_with(line + 2, name))
            continue;
        const char *text = line + 2 + strlen(name);
        text += strspn(text, " \t");
        while (length + 1 < WEB_VALUE && text[length] && text[length] != '\r' && text[length] != '\n') {
            value[length] = text[length];
            length++;
        }
    }
    value[length] = '\0';
}

/* Reads up to the empty line. A client sends nothing after it before the answer. */
static bool header_read(wire *w, double seconds, char header[WEB_HEADER])
{
    const double end = tact_wire_clock() + seconds;
    size_t size = 0;
    do {
        size_t got = 0;
        if (size + 1 == WEB_HEADER ||
            tact_wire_read_plain(w, header + size, WEB_HEADER - 1 - size, end - tact_wire_clock(), &got) != WIRE_OPEN)
            return false;
        size += got;
        header[size] = '\0';
    } while (size < 4 || memcmp(header + size - 4, "\r\n\r\n", 4) != 0);
    return strlen(header) == size;
}

static bool contains_word(const char *value, const char *word)
{
    for (; *value; value++)
        if (begins_with(value, word))
            return true;
    return false;
}

bool tact_web_accept(wire *w, double seconds, char origin[WEB_VALUE])
{
    char header[WEB_HEADER], upgrade[WEB_VALUE], connection[WEB_VALUE], version[WEB_VALUE], key[WEB_VALUE], accept[32],
        answer[256];
    if (!header_read(w, seconds, header))
        return false;
    value_copy(header, "upgrade:", upgrade);
    value_copy(header, "connection:", connection);
    value_copy(header, "sec-websocket-version:", version);
    value_copy(header, "sec-websocket-key:", key);
    value_copy(header, "origin:", origin);
    if (strncmp(header, "GET ", 4) != 0 || !contains_word(upgrade, "websocket") ||
        !contains_word(connection, "upgrade") || strcmp(version, "13") != 0 || strlen(key) != 24) {
        static const char refusal[] = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: close\r\n"
                                      "Content-Type: text/plain\r\nContent-Length: 43\r\n\r\n"
                                      "This is tact serve: connect by a websocket\n";
        (void)tact_wire_write_plain(w, refusal, sizeof refusal - 1, seconds);
        return false;
    }
    tact_web_accept_key(key, accept);
    const int length = snprintf(answer, sizeof answer,
                                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Accept: %s\r\n\r\n",
                                accept);
    return tact_wire_write_plain(w, answer, (size_t)length, seconds);
}

/* ---- frames ---- */

static wire_state all_read(wire *w, void *bytes, size_t size, double end)
{
    char *to = bytes;
    wire_state state = WIRE_OPEN;
    while (size > 0 && state == WIRE_OPEN) {
        size_t got = 0;
        state = tact_wire_read_plain(w, to, size, end - tact_wire_clock(), &got);
        to += got;
        size -= got;
    }
    return state;
}

static bool frame_write(wire *w, unsigned op, bool final, const void *bytes, size_t size, double seconds)
{
    unsigned char frame[4 + WIRE_CHUNK];
    size_t head = 2;
    frame[0] = (unsigned char)(op | (final ? 0x80u : 0u));
    frame[1] = (unsigned char)(size < 126 ? size : 126);
    if (size >= 126) {
        frame[2] = (unsigned char)(size >> 8);
        frame[3] = (unsigned char)size;
        head = 4;
    }
    if (size > 0)
        memcpy(frame + head, bytes, size);
    return tact_wire_write_plain(w, frame, head + size, seconds);
}

static void unmask(wire *w, char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)((unsigned char)bytes[i] ^ w->mask[w->phase++ & 3]);
}

/* Reads the head of a frame; a control frame is read and answered. */
static wire_state head_read(wire *w, double end)
{
    unsigned char head[2], length[8];
    char control[CONTROL_SIZE];
    wire_state state = all_read(w, head, 2, end);
    if (state != WIRE_OPEN)
        return state;
    const unsigned op = head[0] & 15u;
    uint64_t size = head[1] & 127u;
    const size_t bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
    if ((head[0] & 0x70u) || !(head[1] & 0x80u) || (op > OP_BINARY && op < OP_CLOSE) || op > OP_PONG ||
        (op >= OP_CLOSE && (bytes > 0 || !(head[0] & 0x80u))))
        return WIRE_CLOSED; /* an extension, no mask, or an unknown kind */
    if (bytes > 0) {
        size = 0;
        if ((state = all_read(w, length, bytes, end)) != WIRE_OPEN)
            return state;
        for (size_t i = 0; i < bytes; i++)
            size = size << 8 | length[i];
    }
    if ((state = all_read(w, w->mask, 4, end)) != WIRE_OPEN)
        return state;
    w->phase = 0;
    if (op < OP_CLOSE) {
        w->rest = size;
        return WIRE_OPEN;
    }
    if ((state = all_read(w, control, (size_t)size, end)) != WIRE_OPEN)
        return state;
    unmask(w, control, (size_t)size);
    if (op == OP_PONG)
        return WIRE_OPEN;
    w->close_sent = op == OP_CLOSE;
    const bool sent =
        frame_write(w, op == OP_PING ? OP_PONG : OP_CLOSE, true, control, (size_t)size, end - tact_wire_clock());
    return op == OP_PING && sent ? WIRE_OPEN : WIRE_CLOSED;
}

wire_state tact_web_read(wire *w, char *bytes, size_t size, double seconds, size_t *got)
{
    const double end = tact_wire_clock() + seconds;
    while (w->rest == 0) {
        const wire_state state = head_read(w, end);
        if (state != WIRE_OPEN)
            return state;
    }
    const wire_state state =
        tact_wire_read_plain(w, bytes, w->rest < size ? (size_t)w->rest : size, end - tact_wire_clock(), got);
    if (state == WIRE_OPEN) {
        unmask(w, bytes, *got);
        w->rest -= *got;
    }
    return state;
}

bool tact_web_write(wire *w, const char *bytes, size_t size, bool last, double seconds)
{
    bool good = true;
    while (size > 0 && good) {
        const size_t piece = size < WIRE_CHUNK ? size : WIRE_CHUNK;
        const bool final = last && piece == size;
        good = frame_write(w, w->answer_started ? OP_CONTINUATION : OP_TEXT, final, bytes, piece, seconds);
        w->answer_started = !final;
        bytes += piece;
        size -= piece;
    }
    return good;
}

void tact_web_close(wire *w, double seconds)
{
    static const unsigned char normal[2] = {1000 >> 8, 1000 & 255};
    if (!w->close_sent)
        (void)frame_write(w, OP_CLOSE, true, normal, sizeof normal, seconds);
    w->close_sent = true;
}

#else
typedef int serve_web_is_empty; /* C has no empty files */
#endif
