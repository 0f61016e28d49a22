#!/bin/sh
# Runs a command in a private Plasma session with COUNT monitors of this size, none of them real:
# dbus-run-session -- session.sh SIZE COUNT COMMAND...
# XDG_RUNTIME_DIR is a directory with card.so.
set -e
size=$1 count=$2
shift 2
# The services that programs look for on the system bus are not there, so the session bus will do.
export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
export XDG_CURRENT_DESKTOP=KDE XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=wayland-0 GSETTINGS_BACKEND=memory
export XDG_MENU_PREFIX=plasma- LIBGL_ALWAYS_SOFTWARE=1 QT_QPA_PLATFORM=wayland QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1
dbus-update-activation-environment XDG_CURRENT_DESKTOP XDG_SESSION_TYPE WAYLAND_DISPLAY DBUS_SYSTEM_BUS_ADDRESS HOME \
    XDG_RUNTIME_DIR GSETTINGS_BACKEND XDG_MENU_PREFIX LIBGL_ALWAYS_SOFTWARE QT_QPA_PLATFORM \
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON
programs=
desktop=
# The wrapper ends KWin when it is told to end.
trap 'kill $desktop && wait $desktop || true; kill -KILL $programs || true' EXIT
pipewire >&2 &
programs="$programs $!"
until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.05; done
wireplumber >&2 &
programs="$programs $!"
# The wrapper makes the socket first: KWin itself starts the portal, which needs it.
env -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM LD_PRELOAD="$XDG_RUNTIME_DIR/card.so" kwin_wayland_wrapper --virtual \
    --width "${size%x*}" --height "${size#*x}" --output-count "$count" --no-lockscreen --no-global-shortcuts \
    --socket wayland-0 >&2 &
desktop=$!
until [ -S "$XDG_RUNTIME_DIR/wayland-0" ]; do sleep 0.05; done
"$@"
