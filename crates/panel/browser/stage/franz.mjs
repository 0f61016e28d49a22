// The real program, running as a process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";

const PROGRAM = process.env.FRANZ_BIN;
/** Variables in the tester's environment that could change what FRANZ does. */
const FOREIGN = /^(FRANZ_|LMSTUDIO_|AGENT_)|_API_KEY$|^(RUST_LOG|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR)$/;
const GRACE_MS = 5000;

export class Franz {
  /** What the program has printed. */
  said = "";
  /** The link with the token, once it is known, and the parts of the link. */
  link = "";
  address = "";
  token = "";
  /** The address of the program's relay, if it is `franz panel`. */
  relay = "";

  constructor(directory, words) {
    if (!PROGRAM) throw new Error("FRANZ_BIN does not name the program; start the tests with: cargo xtask browser");
    const kept = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name));
    const home = { HOME: directory, XDG_CONFIG_HOME: directory, XDG_STATE_HOME: `${directory}/state` };
    const env = { ...Object.fromEntries(kept), ...home };
    this.process = spawn(PROGRAM, words, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
    this.ended = once(this.process, "exit").then(([code, signal]) => code ?? signal);
    this.#ready = new Promise((found, failed) => {
      const hear = (chunk) => {
        this.said += chunk;
        if (this.#look()) found();
      };
      for (const stream of [this.process.stdout, this.process.stderr]) stream.setEncoding("utf8").on("data", hear);
      this.process.once("error", failed);
      this.ended.then((code) => failed(new Error(`franz ${words.join(" ")} ended with ${code}:\n${this.said}`)));
    });
    this.#ready.catch(() => {});
  }

  #ready;

  /** Waits until the dashboard can be opened. */
  ready() {
    return this.#ready;
  }

  /** Waits until the program has ended successfully, and returns what it has printed. */
  async done() {
    const code = await this.ended;
    if (code !== 0) throw new Error(`franz ended with ${code}:\n${this.said}`);
    return this.said;
  }

  #look() {
    const [, link, address, token] = /^look +((http:\/\/\S+)\/\?token=([^\s#]+)\S*)$/m.exec(this.said) ?? [];
    if (!link) return false;
    Object.assign(this, { link, address, token });
    this.relay = /^relay +(http:\S+)/m.exec(this.said)?.[1] ?? "";
    return true;
  }

  /** Sends a request to the dashboard, as a script would. */
  fetch(path, options = {}) {
    return fetch(this.address + path, { ...options, headers: { Authorization: `Bearer ${this.token}`, ...options.headers } });
  }

  async state() {
    return (await this.fetch("/api/state")).json();
  }

  /** Returns how many clients are listening to the events. */
  async clients() {
    const text = await (await this.fetch("/metrics")).text();
    return Number(/^franz_clients (\d+)$/m.exec(text)[1]);
  }

  /** Kills the program immediately. It cannot prevent that. */
  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  /** Kills the agent, which is a separate process. */
  killChildren() {
    const { pid } = this.process;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "));
    for (const child of children.filter(Boolean)) process.kill(Number(child), "SIGKILL");
  }

  async end() {
    if (this.process.exitCode != null || this.process.signalCode != null) return;
    this.process.kill("SIGTERM");
    const late = setTimeout(() => this.process.kill("SIGKILL"), GRACE_MS);
    await this.ended;
    clearTimeout(late);
  }
}
