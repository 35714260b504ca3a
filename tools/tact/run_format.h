/* Constants of the run format, docs/run_format.md. */
#ifndef TACT_TOOL_RUN_FORMAT_H
#define TACT_TOOL_RUN_FORMAT_H

/* The head: these bytes, the version and the size of the JSON header (u32 each). */
#define RUN_MAGIC "tactrun\n"
#define RUN_MAGIC_SIZE 8
#define RUN_HEAD_SIZE 16
#define RUN_VERSION 1

/* The head of a block: its type (4 letters), a count (u32) and the size of its content (u64). */
#define RUN_BLOCK_HEAD_SIZE 16

#endif
