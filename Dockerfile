# FRANZ with a private desktop to act on; docs/container.md says how to use it.

FROM rust:1.95-slim-trixie AS build
WORKDIR /franz
COPY . .
RUN cargo build --release --locked --package franz-agent --features cloud

FROM debian:trixie-slim
# Chromium would need a sandbox that containers do not have, and so would bubblewrap, which suites would use; a terminal and an editor
# do to begin with. The editor needs a session bus: without dbus-x11 it would bring systemd in.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates \
        dbus-x11 \
        fonts-dejavu-core \
        fonts-noto-color-emoji \
        mousepad \
        openbox \
        tini \
        x11-xkb-utils \
        xterm \
        xvfb \
    && rm -rf /var/lib/apt/lists/*
# An X server that is not root's cannot make this folder as it should be.
RUN install --directory --mode=1777 /tmp/.X11-unix \
    && useradd --create-home --uid 1000 franz \
    && install --directory --owner=franz --group=franz /data
COPY --from=build /franz/target/release/franz /usr/local/bin/franz
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/franz/
USER franz
WORKDIR /data
VOLUME /data
EXPOSE 7878
# Like a run, what the person allowed it must outlive the container: --resume needs both.
ENV LANG=C.UTF-8 XDG_STATE_HOME=/data/state FRANZ_SCREEN__START='["xterm", "mousepad"]'
# Collects what the programs on the desktop leave behind, and passes signals on.
ENTRYPOINT ["tini", "--", "franz", "run", "--screen", "virtual", "--no-open", "--exit"]
# A desktop gets the built-in model only by its name, and nothing listens on the container's own addresses.
CMD ["--profile", "companion", "--upstream", "demo"]
