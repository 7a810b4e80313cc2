#include "base/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 63 };

void suggest_start(struct suggestion *suggestion, const char *word)
{
    *suggestion = (struct suggestion){.word = word, .distance = INT_MAX};
}

/* Copy word in lower case without _ and -; the length, or -1 when it is too long to be a known one.
 */
static int fold(const char *word, char folded[LENGTH_MAX + 1])
{
    int length = 0;
    for (; *word; word++) {
        if (*word == '_' || *word == '-')
            continue;
        if (length == LENGTH_MAX)
            return -1;
        folded[length++] = (char)tolower((unsigned char)*word);
    }
    folded[length] = '\0';
    return length;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* cost[i][j] turns the first i letters of a into the first j of b. */
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int cost[LENGTH_MAX + 1][LENGTH_MAX + 1];
    for (int i = 0; i <= a_length; i++)
        for (int j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            cost[i][j] = smaller(smaller(cost[i - 1][j], cost[i][j - 1]) + 1,
                                 cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = smaller(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    return cost[a_length][b_length];
}

void suggest_offer(struct suggestion *suggestion, const char *known)
{
    char a[LENGTH_MAX + 1], b[LENGTH_MAX + 1];
    int a_length = fold(suggestion->word, a), b_length = fold(known, b);
    if (a_length <= 0 || b_length <= 0)
        return;
    int longer = a_length > b_length ? a_length : b_length;
    int limit = longer < 6 ? 1 : longer / 3;
    int found = distance(a, a_length, b, b_length);
    int shorter = smaller(a_length, b_length);
    if (shorter >= 3 && !strncmp(a, b, (size_t)shorter))
        found = smaller(found, limit);
    if (found > limit || found >= longer)
        return;
    if (found < suggestion->distance) {
        suggestion->distance = found;
        suggestion->best = known;
    }
}

const char *suggest_text(struct suggestion *suggestion)
{
    suggestion->text[0] = '\0';
    if (suggestion->best)
        snprintf(suggestion->text, sizeof suggestion->text, "; did you mean '%s'?",
                 suggestion->best);
    return suggestion->text;
}
