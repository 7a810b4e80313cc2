# shellcheck shell=sh
# For the scripts of bench/, which source it at the root: matrices that the user has fetched.

# The file of a matrix in MATRICES (problems/suitesparse), or nothing.
matrix_file() { # NAME
    for file in "${MATRICES:-problems/suitesparse}/$1".mtx "${MATRICES:-problems/suitesparse}/$1".mtx.gz; do
        if [ -e "$file" ]; then
            printf %s "$file"
            return
        fi
    done
}

# The same as KEY=VALUE, which takes the place of a config's problem.
matrix_problem() { # NAME
    file=$(matrix_file "$1")
    [ -z "$file" ] || printf 'problem={type="mtx";path="%s";}' "$file"
}
