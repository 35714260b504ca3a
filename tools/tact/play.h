/* tact play: all contacts of a key-framed animation, in order of time. */
#ifndef TACT_TOOL_PLAY_H
#define TACT_TOOL_PLAY_H

/* The command: tact play MESH FRAMES [--from A] [--to B] ... Returns the exit status. */
int tact_play_command(int argc, char **argv);

#endif
