/* Pieces of requests. */
#ifndef TACT_TESTS_TOOL_REQUEST_H
#define TACT_TESTS_TOOL_REQUEST_H

#define BALL "{\"type\":\"sphere\",\"radius\":1}"
#define BALL_AT(x, y, z) "{\"type\":\"sphere\",\"radius\":1,\"place\":{\"translate\":[" #x "," #y "," #z "]}}"
#define CUBE_AT(x, y, z) "{\"type\":\"box\",\"size\":[2,2,2],\"place\":{\"translate\":[" #x "," #y "," #z "]}}"
#define PAIR(op, a, b) "{\"op\":\"" op "\",\"a\":" a ",\"b\":" b "}"

#endif
