/* "did you mean": the known word that is nearest to an unknown one. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

struct suggestion {
    const char *word; /* what the user wrote */
    const char *best; /* the nearest word offered so far, NULL while none is near enough */
    int distance;
    char text[128];
};

void suggest_start(struct suggestion *suggestion, const char *word);

/* Consider a known word. It is near when the edit distance (insertions, deletions, replacements and
 * swaps of neighbours; Damerau 1964), with case, _ and - ignored, is at most a third of the longer
 * word, or when one of the two is the beginning of the other. The first of equals stays. */
void suggest_offer(struct suggestion *suggestion, const char *known);

/* "; did you mean 'BEST'?", or "". */
const char *suggest_text(struct suggestion *suggestion);

#endif
