/* tact doctor: what this build contains, what it uses on this machine, and whether it computes correctly. */
#ifndef TACT_TOOL_DOCTOR_H
#define TACT_TOOL_DOCTOR_H

/* The command. Returns the exit status. */
int tact_doctor_command(int argc, char **argv);

#endif
