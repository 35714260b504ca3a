/*
 * The server side of websockets (RFC 6455) over a byte stream.
 *
 * nng has websockets, too, but not with the limits that a server for any web page needs: version 1.5 waits for ever
 * for the end of a handshake, accepts any number of them, keeps each frame in memory, and answers pings without
 * limit to a client that never reads. Here a handshake has a time and a size, frames pass in pieces, and a ping
 * is answered before the next byte is read.
 *
 * Messages of a client are joined: a request ends at its line end. Each answer is one text message.
 */
#ifndef TACT_TOOL_SERVE_WEB_H
#define TACT_TOOL_SERVE_WEB_H

#include "serve_wire.h"

/* Bytes of the header of a handshake, and of a value in it. */
#define WEB_HEADER 8192
#define WEB_VALUE 256

/* Answers the handshake. `origin` gets the origin of the page, or is empty: then it is no page. Returns false if there
 * is no websocket; a browser has got an HTTP error with the reason. */
bool tact_web_accept(wire *w, double seconds, char origin[WEB_VALUE]);

wire_state tact_web_read(wire *w, char *bytes, size_t size, double seconds, size_t *got);
bool tact_web_write(wire *w, const char *bytes, size_t size, bool last, double seconds);

/* Begins the closing handshake. */
void tact_web_close(wire *w, double seconds);

/* The value of Sec-WebSocket-Accept for a key: 28 characters and a zero. */
void tact_web_accept_key(const char *key, char accept[32]);

#endif
