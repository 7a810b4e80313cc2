/* Matrices of a few entries, one of each kind, as Matrix Market files have them. */
#ifndef TESTS_MAIN_MTX_TEXTS_H
#define TESTS_MAIN_MTX_TEXTS_H

extern const char mtx_symmetric[];
extern const char mtx_general[];
extern const char mtx_in_fact[]; /* symmetric, and the file says general */
extern const char mtx_wide[];    /* 2 x 5 */
extern const char mtx_complex[];

#endif
