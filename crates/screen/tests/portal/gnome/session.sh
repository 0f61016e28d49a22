#!/bin/sh
# Runs a command in a private GNOME session without a monitor: dbus-run-session -- session.sh SIZE COMMAND...
# XDG_RUNTIME_DIR is an empty directory.
set -e
size=$1
shift
# GNOME Shell ends without a system bus. The session bus will do: the services that it looks for are not there.
export DBUS_SYSTEM_BUS_ADDRESS="$DBUS_SESSION_BUS_ADDRESS"
export XDG_CURRENT_DESKTOP=GNOME XDG_SESSION_TYPE=wayland WAYLAND_DISPLAY=wayland-0 GSETTINGS_BACKEND=memory
export LIBGL_ALWAYS_SOFTWARE=1
dbus-update-activation-environment XDG_CURRENT_DESKTOP XDG_SESSION_TYPE WAYLAND_DISPLAY DBUS_SYSTEM_BUS_ADDRESS HOME \
    XDG_RUNTIME_DIR GSETTINGS_BACKEND
programs=
# GNOME Shell can take a request to end, and not end.
trap 'kill -KILL $programs || true' EXIT
pipewire >&2 &
programs="$programs $!"
until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.05; done
wireplumber >&2 &
programs="$programs $!"
env -u WAYLAND_DISPLAY gnome-shell --unsafe-mode --headless --wayland --wayland-display wayland-0 \
    --virtual-monitor "$size" >&2 &
programs="$programs $!"
# Prints a variable of the shell, or nothing while it does not answer.
ask() {
    gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell --method org.gnome.Shell.Eval \
        "imports.gi.GLib.getenv('$1')" 2>/dev/null | sed -n 's/.*"\(.*\)".*/\1/p'
}
DISPLAY=
until [ -n "$DISPLAY" ]; do
    sleep 0.1
    DISPLAY=$(ask DISPLAY)
done
XAUTHORITY=$(ask XAUTHORITY)
export DISPLAY XAUTHORITY
"$@"
