// Watches for what a page must never do, whatever it shows: execute text, send requests elsewhere, violate its own
// policy, or fail.

const REPORT = "franzReport";

export class Watchdog {
  /** What has been seen so far. */
  found = [];

  /** Watches every page of a context. The pages may send requests to `address` only. */
  static async over(context, address) {
    const dog = new Watchdog();
    const tell = (what) => dog.found.push(what);
    await context.exposeBinding(REPORT, (_, what) => tell(what));
    await context.addInitScript((report) => {
      if (location.pathname.startsWith("/blob/")) return;
      addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => window[report](`policy: ${violatedDirective} ${blockedURI}`));
      Object.defineProperty(window, "pwned", { set: () => window[report]("text was executed"), get: () => () => window[report]("text was executed") });
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
      // To show a picture, the browser makes its own document, whose style is blocked by the picture's policy.
      if (new URL(message.location().url || page.url()).pathname.startsWith("/blob/")) return;
      if (/Content.Security.Policy|Uncaught/.test(message.text())) tell(`the console: ${message.text()}`);
    });
  }
}
