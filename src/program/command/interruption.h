/* SIGINT, SIGTERM and SIGHUP during a solve: the first is noted, so that the solve can end with its
 * results so far; the next ends the program at once. Later output may have no reader. A signal that
 * was ignored at the start of the program stays ignored. */
#ifndef PROGRAM_COMMAND_INTERRUPTION_H
#define PROGRAM_COMMAND_INTERRUPTION_H

/* Begin and end of the watch, around one study. */
void interruption_watch(void);
void interruption_leave(void);

/* The signal that has come since the first watch, or 0. */
int interruption_came(void);

/* Note a signal of another rank, if none has come. */
void interruption_take(int number);

/* End the program by the noted signal, as without a watch. */
void interruption_raise(void);

#endif
