// What no page may do, whatever it shows: run what it was given, ask for anything elsewhere, break its own rules, fail.

const REPORT = "franzReport";

export class Watchdog {
  /** What was seen so far. */
  found = [];

  /** Watches every page of a context that may ask `address` only. */
  static async over(context, address) {
    const dog = new Watchdog();
    const tell = (what) => dog.found.push(what);
    await context.exposeBinding(REPORT, (_, what) => tell(what));
    await context.addInitScript((report) => {
      if (location.pathname.startsWith("/blob/")) return;
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => window[report](`policy: ${violatedDirective} ${blockedURI}`));
      Object.defineProperty(window, "pwned", { set: () => window[report]("a text was executed"), get: () => () => window[report]("a text was executed") });
    }, REPORT);
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${address}/`) && !/^(file|blob):/.test(url)) tell(`asked for ${url.slice(0, 200)}`);
    });
    context.on("page", (page) => dog.#watch(page, tell));
    return dog;
  }

  #watch(page, tell) {
    page.on("dialog", (dialog) => {
      tell(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("crash", () => tell("the page crashed"));
    page.on("pageerror", (error) => tell(`an error: ${error.stack ?? error}`));
    page.on("console", (message) => {
      // A browser shows a picture in a document of its own making, whose style the picture's own policy keeps out.
      if (new URL(message.location().url || page.url()).pathname.startsWith("/blob/")) return;
      if (/Content.Security.Policy|Uncaught/.test(message.text())) tell(`the console: ${message.text()}`);
    });
  }
}
