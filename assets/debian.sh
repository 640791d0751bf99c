# A bare Debian in a folder, by debootstrap, and commands run inside of it. Sourced by assets/bundle.sh and .ci/run.

# Where this machine gets its Debian packages from; nothing where it is another system or keeps no lists.
debian_mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian //p' | head -n 1
}

# Why no Debian can be made here; nothing when one can.
debian_lacks() {
    if [ "$(id -u)" != 0 ]; then
        echo "it needs root"
    elif ! command -v debootstrap >/dev/null; then
        echo "debootstrap is not installed"
    elif [ -z "$(debian_mirror)" ]; then
        echo "apt knows no Debian mirror here"
    elif ! unshare --mount true 2>/dev/null; then
        echo "mounting is not allowed here"
    fi
}

# The release and nothing that it does not need; PACKAGES with it. What debootstrap says goes to FOLDER.log.
debian_make() { # debian_make RELEASE FOLDER [PACKAGE,...]
    debootstrap --variant=minbase ${3:+--include="$3"} "$1" "$2" "$(debian_mirror)" >"$2.log" 2>&1 &&
        chroot "$2" apt-get -qq clean
}

# A shell command inside, in /src, with the files of /proc and /dev, which nobody outside sees mounted.
debian_run() { # debian_run FOLDER COMMAND
    unshare --mount --propagation private sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mkdir -p "$1/src" &&
        exec chroot "$1" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LC_ALL=C.UTF-8 TERM="${TERM:-xterm}" sh -c "cd /src && $2"' sh "$1" "$2"
}

# The working tree without what was built, into /src.
debian_copy_source() { # debian_copy_source FOLDER
    mkdir -p "$1/src" && tar cf - --exclude=./build --exclude=./.git . | tar xf - -C "$1/src"
}
