/* tact serve: collision detection for other programs. */
#ifndef TACT_TOOL_SERVE_H
#define TACT_TOOL_SERVE_H

/* The command: tact serve ADDRESS... Returns the exit status. */
int tact_serve_command(int argc, char **argv);

#endif
