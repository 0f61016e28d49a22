// What tests ask of a page.

/** Waits until `predicate(argument)` holds in the page. */
export const until = (page, predicate, argument) => page.waitForFunction(predicate, argument);

/** Waits until that turn is looked at and drawn. */
export async function shows(page, turn) {
  await until(page, (turn) => document.title.includes(`Turn ${turn} · `) && document.getElementById("number").value === String(turn), turn);
  await page.locator("#after").filter({ hasText: new RegExp(`^turn ${turn}$`) }).waitFor({ state: "attached" });
}

/** Waits until that turn is looked at while the model thinks about it. */
export async function waits(page, turn) {
  await shows(page, turn);
  await says(page, "range", `of ${turn}, waiting for the model`);
}

/**
 * Answers a run that was told to pause until it is paused, and sees it before the turn after the last one. If the agent
 * hears of the pause only after the reply, it takes one more turn.
 */
export async function pauses(page, model, answer) {
  model.goOn(answer);
  await says(page, "status-words", /^Paused before turn \d+$/);
  model.goOn(null);
  const [turn] = /\d+$/.exec(await page.locator("#status-words").innerText());
  await shows(page, turn - 1);
}

/** Waits until an element with that id is seen to hold that text. Where another text is shown in its place, its tab is pressed first. */
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
    throw new Error(`#${id} holds ${held[0]}, not ${text}; turn ${held[2]}, ${held[1]}`, { cause: error });
  }
}

/** Presses what the menu holds. */
export async function choose(page, name) {
  await page.locator("#menu-open").click();
  await page.locator("#menu").getByRole("button", { name }).click();
}

/** The number of the turn that is looked at. */
export const number = async (page) => Number(await page.locator("#number").inputValue());

/** Waits until a turn after `turn` is looked at, and returns its number. */
export async function passes(page, turn) {
  await until(page, (turn) => Number(document.getElementById("number").value) > turn, turn);
  return number(page);
}

/** How many elements the page has. */
export const nodes = (page) => page.evaluate(() => document.querySelectorAll("*").length);

/** Where an element is, in CSS pixels. */
export const box = (page, selector) => page.locator(selector).boundingBox();
