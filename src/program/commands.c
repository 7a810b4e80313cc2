/* The list of the commands (program/command/commands.def). */
#include "program/command/command.h"

#include <stddef.h>

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "program/command/commands.def"
#undef COMMAND
    NULL};
