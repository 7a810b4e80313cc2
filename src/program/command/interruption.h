/* SIGINT, SIGTERM and SIGHUP while the program solves: the first one is taken down, so that the
 * solve can end with what it has, and the next one ends the program at once. What is printed from
 * then on may find no reader. A signal that was ignored when the program began stays ignored. */
#ifndef PROGRAM_COMMAND_INTERRUPTION_H
#define PROGRAM_COMMAND_INTERRUPTION_H

/* From here on, and until here. Between the two only one study may go on. */
void interruption_watch(void);
void interruption_leave(void);

/* The signal that has come since the first watch, or 0. */
int interruption_came(void);

/* As if that signal had come, where none has: it came to another rank. */
void interruption_take(int number);

/* End the program by the signal that came, as it does without a watch. */
void interruption_raise(void);

#endif
