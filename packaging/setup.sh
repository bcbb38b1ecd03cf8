# Shared by run.sh and test.sh, which source it from the checkout's root: finds Python, the system's libraries, and
# keeps a private virtual environment. POSIX sh. Everything it says goes to standard error.

say() { printf 'placet: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# ---- Python ----------------------------------------------------------------------------------------------------

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the first interpreter that is new enough. PYTHON=… chooses one and is then the only candidate.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_enough "$PYTHON" || fail "PYTHON=$PYTHON is not Python 3.11 or newer."
        command -v "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11 python3.14 /usr/bin/python3 \
        "${PYENV_ROOT:-${HOME:-/nonexistent}/.pyenv}"/versions/3.1[1-9]*/bin/python3; do
        if is_new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer was not found. Install it, or name one: PYTHON=/path/to/python3 sh $0"
}

# ---- the system's packages -------------------------------------------------------------------------------------

# What Qt's window plugins load and no wheel brings: library, then its package for apt, dnf, pacman and zypper.
QT_LIBRARIES='
libEGL.so.1              libegl1              libglvnd-egl         libglvnd             libEGL1
libGL.so.1               libgl1               libglvnd-glx         libglvnd             libGL1
libX11.so.6              libx11-6             libX11               libx11               libX11-6
libX11-xcb.so.1          libx11-xcb1          libX11-xcb           libx11               libX11-xcb1
libdbus-1.so.3           libdbus-1-3          dbus-libs            dbus                 libdbus-1-3
libfontconfig.so.1       libfontconfig1       fontconfig           fontconfig           libfontconfig1
libfreetype.so.6         libfreetype6         freetype             freetype2            libfreetype6
libglib-2.0.so.0         libglib2.0-0         glib2                glib2                libglib-2_0-0
libgssapi_krb5.so.2      libgssapi-krb5-2     krb5-libs            krb5                 krb5
libwayland-client.so.0   libwayland-client0   libwayland-client    wayland              libwayland-client0
libwayland-cursor.so.0   libwayland-cursor0   libwayland-cursor    wayland              libwayland-cursor0
libwayland-egl.so.1      libwayland-egl1      libwayland-egl       wayland              libwayland-egl1
libxcb-cursor.so.0       libxcb-cursor0       xcb-util-cursor      xcb-util-cursor      libxcb-cursor0
libxcb-glx.so.0          libxcb-glx0          libxcb               libxcb               libxcb-glx0
libxcb-icccm.so.4        libxcb-icccm4        xcb-util-wm          xcb-util-wm          libxcb-icccm4
libxcb-image.so.0        libxcb-image0        xcb-util-image       xcb-util-image       libxcb-image0
libxcb-keysyms.so.1      libxcb-keysyms1      xcb-util-keysyms     xcb-util-keysyms     libxcb-keysyms1
libxcb-randr.so.0        libxcb-randr0        libxcb               libxcb               libxcb-randr0
libxcb-render-util.so.0  libxcb-render-util0  xcb-util-renderutil  xcb-util-renderutil  libxcb-render-util0
libxcb-shape.so.0        libxcb-shape0        libxcb               libxcb               libxcb-shape0
libxcb-shm.so.0          libxcb-shm0          libxcb               libxcb               libxcb-shm0
libxcb-sync.so.1         libxcb-sync1         libxcb               libxcb               libxcb-sync1
libxcb-util.so.1         libxcb-util1         xcb-util             xcb-util             libxcb-util1
libxcb-xfixes.so.0       libxcb-xfixes0       libxcb               libxcb               libxcb-xfixes0
libxcb-xkb.so.1          libxcb-xkb1          libxcb               libxcb               libxcb-xkb1
libxkbcommon.so.0        libxkbcommon0        libxkbcommon         libxkbcommon         libxkbcommon0
libxkbcommon-x11.so.0    libxkbcommon-x11-0   libxkbcommon-x11     libxkbcommon-x11     libxkbcommon-x11-0
'

# What some tests use and do without where it is missing: program, then its package in the same order.
TEST_PROGRAMS='
Xvfb         xvfb         xorg-x11-server-Xvfb  xorg-server-xvfb  xorg-x11-server-Xvfb
xauth        xauth        xorg-x11-xauth        xorg-xauth        xauth
xdpyinfo     x11-utils    xdpyinfo              xorg-xdpyinfo     xdpyinfo
dbus-daemon  dbus-daemon  dbus-daemon           dbus              dbus-1
setpriv      util-linux   util-linux            util-linux        util-linux
rg           ripgrep      ripgrep               ripgrep           ripgrep
'

package_manager() {
    for manager in apt-get dnf pacman zypper; do
        if command -v "$manager" >/dev/null 2>&1; then
            echo "$manager"
            return
        fi
    done
}

# The column of the tables above for this machine.
package_column() {
    case "$(package_manager)" in
        apt-get) echo 2 ;; dnf) echo 3 ;; pacman) echo 4 ;; zypper) echo 5 ;; *) echo 0 ;;
    esac
}

# Packages of the Qt libraries that the dynamic linker does not know, one line. Nothing where it cannot be asked.
missing_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    known=$( (PATH="$PATH:/sbin:/usr/sbin" ldconfig -p || true) 2>/dev/null)
    [ -n "$known" ] || return 0
    { printf '%s\n' "$known" | awk '{ print $1 }'; echo --; printf '%s' "$QT_LIBRARIES"; } |
        awk -v column="$(package_column)" '
            $1 == "--" { wanted = 1; next }
            !wanted { have[$1] = 1; next }
            NF && !($1 in have) { name = column ? $column : $1; if (!(name in out)) { out[name] = 1; printf "%s ", name } }'
}

missing_programs() {
    column=$(package_column)
    printf '%s' "$TEST_PROGRAMS" | while read -r program rest; do
        [ -n "$program" ] && [ "$column" -gt 0 ] || continue
        command -v "$program" >/dev/null 2>&1 || echo "$program $rest" | awk -v column="$column" '{ printf "%s ", $column }'
    done
}

# The line that installs packages; what a person is told to type is what is run.
install_line() {
    case "$(package_manager)" in
        apt-get) echo "apt-get install -y --no-install-recommends $*" ;;
        dnf) echo "dnf install -y $*" ;;
        pacman) echo "pacman -S --noconfirm --needed $*" ;;
        zypper) echo "zypper --non-interactive install --no-recommends $*" ;;
    esac
}

# How to become root without asking for a password: nothing for root, sudo where it is free, else status 1.
root_prefix() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1 || return 1
    echo "sudo -n"
}

# Installs packages if that needs no password. Status 1: nothing was installed.
install_packages() {
    line=$(install_line "$@")
    [ -n "$line" ] && prefix=$(root_prefix) || return 1
    say "installing $*"
    # The lists of a fresh container are empty: an apt that knows no package is tried again after an update.
    # shellcheck disable=SC2086  # words are meant to be split
    $prefix env DEBIAN_FRONTEND=noninteractive $line </dev/null >/dev/null 2>&1 && return 0
    [ "$(package_manager)" = apt-get ] || return 1
    # shellcheck disable=SC2086
    $prefix apt-get update </dev/null >/dev/null 2>&1
    # shellcheck disable=SC2086
    $prefix env DEBIAN_FRONTEND=noninteractive $line </dev/null >&2
}

# Sees to it that the window's libraries are there. Status 1: some are not, and how to get them was said.
ensure_libraries() {
    packages=$(missing_libraries)
    [ -n "$packages" ] || return 0
    # shellcheck disable=SC2086
    install_packages $packages && packages=$(missing_libraries)
    [ -n "$packages" ] || return 0
    line=$(install_line "$packages")
    if [ -n "$line" ]; then
        say "the window needs libraries that are missing here. Type:  sudo $line"
    else
        say "the window needs libraries that are missing here: $packages"
    fi
    return 1
}

# Waits for the lock on file descriptor 9, saying so where it takes a while. Without flock there is no lock.
one_at_a_time() {
    command -v flock >/dev/null 2>&1 || return 0
    flock -w 1 9 || { say "waiting for another start that is preparing the environment"; flock 9; }
}

# ---- the virtual environment -----------------------------------------------------------------------------------

create_environment() { # folder, python
    "$2" -m venv --clear "$1" >/dev/null 2>&1 && return
    # Debian and Ubuntu keep the part of venv that brings pip in a package of its own.
    version=$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [ "$(package_manager)" = apt-get ]; then
        install_packages "python$version-venv" && "$2" -m venv --clear "$1" >&2 && return
    fi
    if "$2" -m pip --version >/dev/null 2>&1; then
        "$2" -m venv --clear --without-pip "$1" && "$2" -m pip --python "$1/bin/python" install --quiet pip && return
    fi
    rm -rf "$1"
    [ "$(package_manager)" = apt-get ] && fail "Python's venv is missing. Type:  sudo $(install_line "python$version-venv")"
    fail "$2 cannot make a virtual environment: \"$2 -m venv $1\" says why."
}

# Makes or repairs the environment and installs the project with the named extra ("" for none). What is stamped is
# complete: an interrupted run leaves no stamp and is begun anew. A stamped one costs no network and no pip.
ensure_environment() { # folder, extra
    stamp="$1/placet-stamp"
    wanted="$PWD $(cksum <pyproject.toml) ${2:-}"
    [ -z "${PYTHON:-}" ] || find_python >/dev/null || exit 1
    if [ -x "$1/bin/python" ] && [ "$(sed -n 1p "$stamp" 2>/dev/null)" = "$wanted" ]; then
        [ -z "${PYTHON:-}" ] && return
        [ "$(sed -n 2p "$stamp")" = "$("$PYTHON" -VV 2>&1 | tr '\n' ' ')" ] && return
    fi
    python=$(find_python) || exit 1
    say "preparing $1 with $("$python" --version 2>&1); later starts skip this"
    rm -f "$stamp"
    create_environment "$1" "$python"
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --editable ".${2:+[$2]}" </dev/null >&2 ||
        fail "installing the project failed; pip's words are above. The next run begins anew."
    { echo "$wanted"; "$python" -VV 2>&1 | tr '\n' ' '; } >"$stamp.new" && mv "$stamp.new" "$stamp"
}
