/* tact show: prints results of some queries, computed live. */
#ifndef TACT_TOOL_SHOW_H
#define TACT_TOOL_SHOW_H

/* The command. Returns the exit status. */
int tact_show_command(int argc, char **argv);

#endif
