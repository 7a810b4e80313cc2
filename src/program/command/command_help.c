#include "program/command/command_help.h"

#include "base/text.h"
#include "program/config/help.h"

#include <string.h>
#include <sys/stat.h>

const struct command_option command_help_alone[] = {OPTION_HELP, {0}};

enum { DOES_COLUMN = 53, MEANING_COLUMN = 20 };

const struct command *command_named(const char *word)
{
    for (const struct command *const *command = commands; word && *command; command++)
        if (!strcmp((*command)->name, word))
            return *command;
    return commands[0];
}

static void offer_commands(struct suggestion *suggestion)
{
    for (const struct command *const *command = commands; *command; command++)
        suggest_offer(suggestion, (*command)->name);
}

enum status help_check_word(const char *word, struct error *error)
{
    struct suggestion suggestion;
    struct stat info;
    if (strpbrk(word, "./") || (stat(word, &info) == 0 && !S_ISDIR(info.st_mode)))
        return STATUS_OK;
    suggest_start(&suggestion, word);
    offer_commands(&suggestion);
    if (!suggestion.best)
        return STATUS_OK;
    if (!strcmp(suggestion.best, word))
        return error_set(error, STATUS_CONFIG, "%s: a command stands before all options", word);
    return error_set(error, STATUS_CONFIG, "'%s' is neither a file nor a command%s", word,
                     suggest_text(&suggestion));
}

/* Blanks up to a column, or a new line if it is passed. */
static void go_to(int column, int wanted, FILE *file)
{
    if (column + 2 > wanted)
        fprintf(file, "\n%*s", wanted, "");
    else
        fprintf(file, "%*s", wanted - column, "");
}

/* *begun: whether "usage: " has been printed. */
static void print_usage(const struct command *command, bool *begun, bool all, FILE *file)
{
    for (const struct command_usage *usage = command->usage; usage->line; usage++) {
        int column = fprintf(file, "%s cgsolve %s", *begun ? "      " : "usage:", usage->line);
        *begun = true;
        if (all && usage->does) {
            go_to(column, DOES_COLUMN, file);
            fputs(usage->does, file);
        }
        fputc('\n', file);
    }
}

static void print_options(const struct command *command, FILE *file)
{
    for (const struct command_option *option = command->options; option->name; option++) {
        int column = fprintf(file, "  %s", option->name);
        if (option->letter)
            column += fprintf(file, ", -%c", option->letter);
        if (option->value)
            column += fprintf(file, " %s", option->value);
        go_to(column, MEANING_COLUMN, file);
        text_fold(option->meaning, MEANING_COLUMN, MEANING_COLUMN, file);
    }
}

static void print_status(int status, const char *means, FILE *file)
{
    if (!means)
        return;
    fprintf(file, "  %d  ", status);
    text_fold(means, 5, 5, file);
}

static void print_statuses(const struct command *command, FILE *file)
{
    fputs("\nExit status:\n", file);
    print_status(0, command->good, file);
    print_status(1, command->not_good, file);
    print_status(2, "the command line or a config is wrong", file);
    print_status(3, "an input file is wrong, or a reference is of another problem", file);
    print_status(4, "memory, a device or an output file failed, or a kernel is not available",
                 file);
}

static void print_examples(const struct command *command, FILE *file)
{
    for (const struct command_example *example = command->examples; example->line; example++)
        fprintf(file, "  # %s\n  ./cgsolve %s\n", example->does, example->line);
}

void help_print_start(FILE *file)
{
    text_fold(commands[0]->about, 0, 0, file);
    fputs("It wants a config or a command. Try, in the directory of the project:\n\n", file);
    print_examples(commands[0], file);
}

static void print_screen(FILE *file)
{
    bool begun = false;
    text_fold(commands[0]->about, 0, 0, file);
    fputc('\n', file);
    for (const struct command *const *command = commands; *command; command++)
        print_usage(*command, &begun, true, file);
    fputs("\nOptions of cgsolve CONFIG...:\n", file);
    print_options(commands[0], file);
    print_statuses(commands[0], file);
    fputs("\nMore: cgsolve COMMAND --help shows the options of a command, and\n"
          "cgsolve --help TOPIC the keys of a config, or all there is. TOPIC is one of\n",
          file);
    settings_print_topics(file);
    fputs("or a key, such as solver.tolerance, a kernel, or all.\n"
          "\nExamples, in the directory of the project:\n",
          file);
    print_examples(commands[0], file);
}

static void print_command(const struct command *command, FILE *file)
{
    bool begun = false;
    print_usage(command, &begun, false, file);
    fputc('\n', file);
    text_fold(command->about, 0, 0, file);
    fputs("\nOptions:\n", file);
    print_options(command, file);
    print_statuses(command, file);
    if (command->examples->line)
        fputs("\nExamples, in the directory of the project:\n", file);
    print_examples(command, file);
    if (command->key_group) {
        fputc('\n', file);
        settings_print_help(command->key_group, file);
    }
}

static void print_all(FILE *file)
{
    print_screen(file);
    for (const struct command *const *command = commands + 1; *command; command++) {
        fprintf(file, "\n--- cgsolve %s\n\n", (*command)->name);
        print_command(*command, file);
    }
    fputs("\n--- configs\n\n", file);
    settings_print_help("all", file);
}

static enum status print_topic(const char *topic, FILE *file, struct error *error)
{
    const struct command *command = command_named(topic);
    if (!strcmp(topic, "all"))
        print_all(file);
    else if (command != commands[0])
        print_command(command, file);
    else if (!settings_print_help(topic, file)) {
        char shown[64];
        struct suggestion suggestion;
        suggest_start(&suggestion, topic);
        offer_commands(&suggestion);
        settings_offer_topics(&suggestion);
        return error_set(error, STATUS_CONFIG,
                         "no help on '%s'%s (cgsolve --help names the topics)",
                         shown_text(topic, shown, sizeof shown), suggest_text(&suggestion));
    }
    return STATUS_OK;
}

enum status help_print(const struct command *command, char *const asked[], struct error *error)
{
    enum status status = STATUS_OK;
    bool told = false;
    for (; *asked && !status; asked++)
        if (**asked != '-') {
            status = print_topic(*asked, stdout, error);
            told = true;
        }
    if (!told && command == commands[0])
        print_screen(stdout);
    else if (!told)
        print_command(command, stdout);
    return status;
}

static enum status run(int argc, char *argv[], bool *good, struct error *error)
{
    (void)argc, (void)good;
    return help_print(commands[0], argv + 2, error);
}

const struct command command_help = {
    .name = "help",
    .usage = {{"help [COMMAND | TOPIC]", "the same as --help"}},
    .about = "Show the help of the program, of a command, or of what a config may hold.",
    .options = command_help_alone,
    .good = "it is shown",
    .examples = {{"the options of a command", "help bench"},
                 {"the keys of a group of the config", "help solver"},
                 {"everything", "help all"}},
    .takes_ranks = true,
    .run = run,
};
