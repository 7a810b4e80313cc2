#!/bin/sh
# Get matrices of the SuiteSparse Matrix Collection (https://sparse.tamu.edu).
#
#     problems/fetch.sh [-a] [-d DIRECTORY] NAME...
#
# NAME is Group/Name, or a Name alone: one of the list below, or one that only one group of the
# collection's index has. Of Group/Name.tar.gz the matrix is unpacked to DIRECTORY/Name.mtx, with -a
# also what comes with it (Name_b.mtx and the like). DIRECTORY is suitesparse beside this script, if
# -d does not say otherwise. What is there already is left alone.
#
# An interrupted download stays as DIRECTORY/Group-Name.tar.gz.partial, and the next call goes on
# there. The collection's pages give no checksums, and redirect to plain http; so the sha256 of the
# archive has to be that in checksums.txt beside this script, or, where that has none, the one in
# DIRECTORY/SHA256SUMS, where every archive's is written when it first comes.
#
# SUITESPARSE_URL    instead of https://suitesparse-collection-website.herokuapp.com (a mirror)
# SUITESPARSE_INDEX  instead of https://sparse.tamu.edu/files/ssstats.csv
#
# The exit status is 0 when every matrix is there, 1 when a name is not known or a download failed,
# 2 when the command line is wrong, 3 when a downloaded file is not what it should be or cannot be
# unpacked, and 4 when a program is missing or DIRECTORY cannot be written. The first failure ends it.
set -eu
export LC_ALL=C # so that A-Z is what it says

here=$(dirname "$0")
url=${SUITESPARSE_URL:-https://suitesparse-collection-website.herokuapp.com}
index=${SUITESPARSE_INDEX:-https://sparse.tamu.edu/files/ssstats.csv}
directory=$here/suitesparse
all=

known() {
    cat <<END
HB/494_bus                n = 494
HB/bcsstk08               n = 1074
HB/1138_bus               n = 1138
HB/bcsstk21               n = 3600
Schenk_AFE/af_shell10     n = 1508065
Janna/Cube_Coup_dt0       n = 2164760
END
}

usage() {
    echo "usage: problems/fetch.sh [-a] [-d DIRECTORY] NAME..."
    echo "NAME is Group/Name of https://sparse.tamu.edu, or a Name alone. For instance:"
    known
}

die() { # STATUS MESSAGE
    status=$1
    shift
    echo "fetch: $*" >&2
    exit "$status"
}

# URL FILE: download, beginning where FILE ends.
download() {
    quiet=
    if command -v curl >/dev/null; then
        [ -t 2 ] || quiet=-sS
        curl $quiet -fL -C - -o "$2" "$1"
    elif command -v wget >/dev/null; then
        [ -t 2 ] || quiet=-q
        wget $quiet -c -O "$2" "$1"
    else
        die 4 "neither curl nor wget is here: scripts/setup check installs curl"
    fi
}

sha256_of() { # FILE
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1"
    else
        shasum -a 256 <"$1"
    fi | cut -d ' ' -f 1
}

# LIST ARCHIVE: the archive's sum in a list; nothing if there is none.
listed() {
    [ ! -e "$1" ] || awk -v archive="$2" '$2 == archive { print $1; exit }' "$1"
}

# NAME: its Group/Name.
full_name() {
    name=$1
    case $name in
    */*)
        echo "$name"
        return
        ;;
    esac
    found=$(known | awk -v name="$name" '{ split($1, part, "/") } part[2] == name { print $1 }')
    if [ -z "$found" ]; then
        download "$index" "$temporary/index" || die 1 "cannot look $name up in $index"
        found=$(awk -F , -v name="$name" '$2 == name && $1 ~ /^[A-Za-z0-9][A-Za-z0-9_.+-]*$/ {
            print $1 "/" $2 }' "$temporary/index")
    fi
    # shellcheck disable=SC2086 # one word a group
    set -- $found
    case $# in
    0) die 1 "$name: no such name in $index" ;;
    1) echo "$1" ;;
    *) die 1 "$name is in several groups: $*" ;;
    esac
}

# What of an archive is wanted.
members() { # ARCHIVE NAME
    if [ -n "$all" ]; then
        gzip -dc "$1" | tar -tf - | awk -v start="$2/$2_" \
            'index($0, start) == 1 && substr($0, length(start) + 1) ~ /^[A-Za-z0-9_.+-]+$/'
    fi
    echo "$2/$2.mtx"
}

# Nothing is written where an archive says: its members go to files that are named here.
unpack() { # ARCHIVE NAME
    members "$1" "$2" >"$temporary/members"
    while read -r member; do
        file=$temporary/${member##*/}
        if ! gzip -dc "$1" | tar -xOf - "$member" >"$file" || [ ! -s "$file" ]; then
            die 3 "cannot unpack $member from $1, which is kept"
        fi
    done <"$temporary/members"
    head -n 1 "$temporary/$2.mtx" | grep -q '^%%MatrixMarket ' ||
        die 3 "$2/$2.mtx in $1, which is kept, is not a Matrix Market file"
}

fetch() { # GROUP NAME
    archive=$1/$2.tar.gz
    matrix=$directory/$2.mtx
    partial=$directory/$1-$2.tar.gz.partial
    sums=$directory/SHA256SUMS

    if [ -e "$matrix" ] && [ -z "$(listed "$sums" "$archive")" ]; then
        die 1 "$matrix is there already, and not from $archive: remove it, or see -d"
    fi
    if [ -e "$matrix" ] && { [ -z "$all" ] || grep -q "  $archive  all\$" "$sums"; }; then
        echo "$matrix is there already: left alone"
        return
    fi

    if ! { [ -s "$partial" ] && gzip -t "$partial" 2>/dev/null; }; then # not whole
        echo "$url/MM/$archive"
        [ ! -s "$partial" ] || echo "going on with $partial"
        download "$url/MM/$archive" "$partial" || {
            status=$?
            [ -s "$partial" ] || rm -f "$partial"
            [ ! -e "$partial" ] || echo "fetch: $partial is kept: call again, or remove it" >&2
            die 1 "cannot download $url/MM/$archive (status $status of curl or wget)"
        }
        gzip -t "$partial" || {
            rm -f "$partial"
            die 3 "$archive did not come whole; removed"
        }
    fi

    sum=$(sha256_of "$partial")
    [ -n "$sum" ] || die 4 "neither sha256sum nor shasum is here"
    list=$here/checksums.txt
    wanted=$(listed "$list" "$archive")
    says="verified"
    if [ -z "$wanted" ]; then
        list=$sums
        wanted=$(listed "$list" "$archive")
        says="not verified, but as when it first came"
    fi
    if [ -z "$wanted" ]; then
        says="NOT verified, because no sum is known; written to $sums"
    elif [ "$sum" != "$wanted" ]; then
        rm -f "$partial"
        die 3 "$archive has sha256 $sum, not $wanted as in $list; removed"
    fi

    unpack "$partial" "$2"
    if [ -n "$all" ] || [ -z "$(listed "$sums" "$archive")" ]; then
        echo "$sum  $archive${all:+  all}" >>"$sums" # "all": with what comes with the matrix
    fi
    echo "sha256 $sum: $says"
    while read -r member; do
        file=${member##*/}
        [ -e "$directory/$file" ] || mv "$temporary/$file" "$directory/$file"
    done <"$temporary/members"
    rm -f "$partial"
}

while getopts ad:h option; do
    case $option in
    a) all=yes ;;
    d) directory=$OPTARG ;;
    h)
        usage
        exit
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || {
    usage >&2
    exit 2
}
for name; do
    case /$name in
    *[!A-Za-z0-9_.+/-]* | */ | */[!A-Za-z0-9]* | /*/*/*) die 2 "$name: not a Name, nor Group/Name" ;;
    esac
done

mkdir -p "$directory" || die 4 "cannot make $directory"
temporary=$(mktemp -d "$directory/.fetch.XXXXXX") || die 4 "cannot write in $directory"
trap 'rm -rf "$temporary"' EXIT
trap 'exit 130' HUP INT TERM

for name; do
    full=$(full_name "$name")
    fetch "${full%/*}" "${full#*/}"
    echo "problem = { type = \"mtx\"; path = \"$directory/${full#*/}.mtx\"; };"
done
