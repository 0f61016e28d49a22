// What tests check and do on a page.

/** Waits until `predicate(argument)` is true in the page. */
export const until = (page, predicate, argument) => page.waitForFunction(predicate, argument);

/** Waits until this turn is displayed, with everything drawn. */
export async function shows(page, turn) {
  await until(page, (turn) => document.title.includes(`Turn ${turn} · `) && document.getElementById("number").value === String(turn), turn);
  await page.locator("#after").filter({ hasText: new RegExp(`^turn ${turn}$`) }).waitFor({ state: "attached" });
}

/** Waits until this turn is displayed and the model is thinking about it. */
export async function waits(page, turn) {
  await shows(page, turn);
  await says(page, "range", `of ${turn}, waiting for the model`);
}

/**
 * Answers a run that was told to pause until it has paused, and waits until its last turn is displayed. If the agent
 * learns of the pause only after the reply, it runs one more turn.
 */
export async function pauses(page, model, answer) {
  model.goOn(answer);
  await says(page, "status-words", /^Paused before turn \d+$/);
  model.goOn(null);
  const [turn] = /\d+$/.exec(await page.locator("#status-words").innerText());
  await shows(page, turn - 1);
}

/**
 * Waits until the element with this ID visibly contains this text. If it is on a tab that is not shown, opens that tab
 * first.
 */
export async function says(page, id, text) {
  await until(page, (id) => {
    const hidden = document.getElementById(id)?.closest("[role=tabpanel][hidden]");
    if (hidden) document.getElementById(`tab-${hidden.id}`).click();
    return true;
  }, id);
  try {
    await page.locator(`#${id}`).filter({ hasText: text }).waitFor();
  } catch (error) {
    const held = await page.evaluate((id) => [id, "status-words", "number"].map((id) => document.getElementById(id)).map((one) => one.value ?? one.textContent), id);
    throw new Error(`#${id} contains ${held[0]}, not ${text}; turn ${held[2]}, ${held[1]}`, { cause: error });
  }
}

/** Chooses an item of the menu. */
export async function choose(page, name) {
  await page.locator("#menu-open").click();
  await page.locator("#menu").getByRole("button", { name }).click();
}

/** Does something that makes the page ask for this address, and waits until it has taken in the answer. */
export async function answered(page, address, act) {
  const answer = page.waitForResponse(address);
  await act();
  await (await answer).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
}

/** Makes the page fetch the turn on display again, as it does after a lost connection. */
export const fetchAgain = (page) => page.evaluate(() => dispatchEvent(new Event("online")));

/** Returns the number of the turn on display. */
export const number = async (page) => Number(await page.locator("#number").inputValue());

/** Waits until a turn after `turn` is displayed, and returns that turn's number. */
export async function passes(page, turn) {
  await until(page, (turn) => Number(document.getElementById("number").value) > turn, turn);
  return number(page);
}

/** How long a notice is shown. No other timer of the page waits for as long. */
const SHOWN_MS = 6000;

/**
 * Keeps all notices on display from now on, also on what is loaded later, so that no machine is too slow to see them.
 * `where` is a page, or a context that has no page yet.
 */
export async function neverFades(where) {
  const keep = (ms) => {
    const { setTimeout } = window;
    window.setTimeout = (work, wait, ...more) => (wait === ms ? -1 : setTimeout(work, wait, ...more));
  };
  await where.addInitScript(keep, SHOWN_MS);
  await where.evaluate?.(keep, SHOWN_MS);
}

/** Returns how many elements the page contains. */
export const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/** Returns the position and size of an element in CSS pixels. */
export const box = (page, selector) => page.locator(selector).boundingBox();
