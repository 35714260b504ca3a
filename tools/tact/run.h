/* tact run: advances a world of moving bodies and reports all contacts in order of time. */
#ifndef TACT_TOOL_RUN_H
#define TACT_TOOL_RUN_H

/* The command: tact run SCENE.json. Returns the exit status. */
int tact_run_command(int argc, char **argv);

#endif
