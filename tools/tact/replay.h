/* tact replay: makes the calls of a record again (tact/record.h), and prints the events. */
#ifndef TACT_TOOL_REPLAY_H
#define TACT_TOOL_REPLAY_H

/* The command: tact replay RECORD. Returns the exit status. */
int tact_replay_command(int argc, char **argv);

#endif
