// The panes and their sizes in every window, the theme, and what the tab and the address say.

import assert from "node:assert/strict";

import { drawing } from "../stage/model.mjs";
import { box, choose, neverFades, number, pauses, says, shows, until, waits } from "../stage/page.mjs";
import { record } from "../stage/recording.mjs";
import { scene } from "../stage/stage.mjs";

async function recorded(stage, options) {
  record(stage.path("run"), 5);
  const page = await stage.open(await stage.replay(), options);
  await shows(page, 5);
  await page.locator("#sheet img").waitFor();
  return page;
}

const area = async (page, id) => {
  const { width, height } = await box(page, id);
  return width * height;
};
const isSeen = (page, id) => page.locator(id).isVisible();

scene("the picture is the largest pane, and each pane can fill the page by double-click, button and key", async (stage) => {
  const page = await recorded(stage);
  for (const other of ["#texts", "#feedback"]) assert.ok((await area(page, "#picture")) > 1.5 * (await area(page, other)), other);
  const only = async (shown, tab) => {
    for (const pane of ["#picture", "#texts", "#feedback"]) assert.equal(await isSeen(page, pane), pane === shown || !shown, `${pane} while ${shown}`);
    if (tab) assert.equal(await page.getByRole("tab", { name: tab }).getAttribute("aria-selected"), "true");
  };
  for (const [key, pane, tab] of [["1", "#picture"], ["2", "#texts", "Reply"], ["3", "#feedback"], ["4", "#texts", "Request"]]) {
    await page.keyboard.press(key);
    await only(pane, tab);
    assert.ok((await box(page, pane)).width > 1300);
    await page.keyboard.press(key);
    await only(null);
  }
  await page.keyboard.press("1");
  await page.keyboard.press("Escape");
  await only(null);
  await page.locator("#texts > header").dblclick({ position: { x: 400, y: 8 } });
  await only("#texts");
  await page.getByRole("button", { name: "Maximise the text" }).click();
  await only(null);
  await page.locator("#picture-title").dblclick();
  await only("#picture");
});

scene("the address contains run, turn and pane: back, reload and a copied link show the same", async (stage) => {
  const page = await recorded(stage);
  await page.keyboard.press("Home");
  await page.waitForURL((url) => url.hash === "#run/1");
  await page.getByRole("tab", { name: "Story" }).click();
  await page.waitForURL((url) => url.hash === "#run/1/story");
  await page.keyboard.press("1");
  await page.waitForURL((url) => url.hash === "#run/1/picture");
  await page.keyboard.press("ArrowRight");
  await page.waitForURL((url) => url.hash === "#run/2/picture");
  const copied = page.url();
  await page.goBack();
  await shows(page, 1);
  assert.ok(!(await isSeen(page, "#texts")));
  await page.goBack();
  await page.locator("#story").waitFor();
  await page.goForward();
  await page.goForward();
  await shows(page, 2);
  await page.reload();
  await shows(page, 2);
  assert.ok(!(await isSeen(page, "#texts")));
  const other = await page.context().newPage();
  await neverFades(other);
  await other.goto(copied);
  await shows(other, 2);
  assert.ok(!(await isSeen(other, "#texts")));
  await other.goto(copied.replace("#run/2/picture", "#elsewhere/3/request%2B"));
  await other.reload();
  await says(other, "toasts", "The link points to elsewhere, which is not here; this is run.");
  await shows(other, 3);
  assert.ok(await isSeen(other, "#request"));
  assert.ok(!(await isSeen(other, "#picture")));
});

scene("the theme is remembered, and so are the sizes until the layout is reset", async (stage) => {
  const page = await recorded(stage);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await ground();
  await page.locator("#menu-open").click();
  await page.getByRole("combobox", { name: "Theme" }).selectOption("light");
  assert.notEqual(await ground(), dark);
  await page.keyboard.press("Escape");
  await page.locator("#split-x").press("Home");
  await page.keyboard.press("3");
  await page.reload();
  await shows(page, 5);
  assert.notEqual(await ground(), dark);
  await choose(page, "Reset layout");
  assert.ok(await isSeen(page, "#picture"));
  assert.equal(await page.locator("#split-x").getAttribute("aria-valuenow"), "64");
  await page.locator("#menu-open").click();
  await page.getByRole("combobox", { name: "Theme" }).selectOption("system");
  assert.equal(await ground(), dark);
});

scene("the title and icon of the tab show the state of the run", async (stage) => {
  const model = await stage.model();
  const franz = await stage.run(model, "--gate", "ask", "--max-turns", "4");
  const page = await stage.open(franz);
  const icons = new Set();
  const tells = async (words) => {
    await until(page, (words) => document.title.startsWith(words) && document.title.endsWith("run · FRANZ"), words);
    icons.add(await page.locator("#icon").getAttribute("href"));
    await page.locator("#state").filter({ hasText: words.split(" · ")[0] }).waitFor({ state: "attached" });
  };
  await tells("Running · Turn 1");
  await model.say(drawing(1));
  await tells("Waiting for you · Turn 1");
  await page.locator("#approve:enabled").click();
  await waits(page, 2);
  await page.keyboard.press("p");
  await says(page, "status-words", "Pausing…");
  await pauses(page, model, () => "I rest.");
  await tells(`Paused · Turn ${await number(page)}`);
  await page.keyboard.press("p");
  model.goOn(() => "I rest.");
  await tells("Ended · Turn 4");
  assert.equal(icons.size, 4);
});

for (const [name, width, height] of [["a phone", 390, 844], ["a tablet", 768, 1024], ["a window at 200 %", 683, 384]]) {
  scene(`on ${name}, the panes are stacked, nothing is cut off, and controls are large enough`, async (stage) => {
    const model = await stage.model();
    const page = await stage.open(await stage.run(model, "--gate", "ask"), { viewport: { width, height }, hasTouch: true });
    await model.say(drawing(1));
    await page.locator("#approve:enabled").waitFor();
    const odd = await page.evaluate(() => {
      const found = [];
      if (document.documentElement.scrollWidth > innerWidth) found.push(`${document.documentElement.scrollWidth} px wide`);
      for (const element of document.querySelectorAll("button, select, textarea, a, input")) {
        if (!element.checkVisibility() || element.closest("#film")) continue;
        // If a box has a label, the label can be pressed, too.
        const { left, right, width, height } = (element.closest("label") ?? element).getBoundingClientRect();
        if (left < 0 || right > innerWidth) found.push(`${element.id} reaches from ${left} to ${right}`);
        if (height < 44 || width < 30) found.push(`${element.id || element.textContent} is ${width} x ${height}`);
        // Phones from Apple zoom in on a field with smaller text.
        if (!element.matches("button, a, [type=range], [type=checkbox]") && Number.parseFloat(getComputedStyle(element).fontSize) < 16) found.push(`${element.id} has small text`);
      }
      return found;
    });
    assert.deepEqual(odd, []);
    const [picture, texts, actions] = [await box(page, "#picture"), await box(page, "#texts"), await box(page, "#feedback")];
    assert.ok(picture.y < texts.y && texts.y < actions.y);
    for (const id of ["#picture", "#texts", "#feedback", "#say-field", "#follow", "#filter", "#brief"]) {
      await page.locator(id).scrollIntoViewIfNeeded();
      assert.ok(await page.locator(id).evaluate((element) => element.getBoundingClientRect().top < innerHeight), id);
    }
    await page.locator("#approve").tap();
    await waits(page, 2);
    await page.locator("#menu-open").tap();
    const theme = page.getByRole("combobox", { name: "Theme" });
    await theme.scrollIntoViewIfNeeded();
    assert.ok(await theme.evaluate((theme) => theme.getBoundingClientRect().bottom <= innerHeight), "the end of the menu can be reached");
    await page.getByRole("button", { name: "Keys" }).tap();
    await page.locator("#help[open]").waitFor();
  });
}

scene("a notice does not move the menu's icon", async (stage) => {
  const page = await recorded(stage);
  const places = [];
  const each = async (look) => {
    for (const [width, height] of [[390, 844], [1440, 900]]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => scrollTo(0, 0));
      look(await box(page, "#menu-open svg"));
    }
  };
  await each((icon) => places.push(icon));
  await page.locator("#number").fill("9999");
  await page.keyboard.press("Enter");
  await page.locator("#notices-dot").waitFor();
  await each((icon) => assert.deepEqual(icon, places.shift()));
  const [dot, menu] = [await box(page, "#notices-dot"), await box(page, "#menu-open")];
  assert.ok(dot.x > menu.x && dot.x + dot.width <= menu.x + menu.width && dot.y >= menu.y && dot.y + dot.height < menu.y + menu.height / 2, JSON.stringify({ dot, menu }));
});

scene("keys that work now are listed first, the others below, and single-key shortcuts can be switched off", async (stage) => {
  const page = await recorded(stage);
  await page.keyboard.press("?");
  const listed = () => page.locator("#keys").innerText();
  const idle = page.locator("#idle-keys");
  await page.locator("#help[open]").waitFor();
  assert.match(await listed(), /Play the run[^]*Zoom in/);
  assert.doesNotMatch(await listed(), /Approve|Pause|Next turn|Follow the latest/);
  for (const words of ["Approve what is waiting for you", "Next turn", "Follow the latest turn, or stop following", "Pause or resume"]) await idle.getByText(words, { exact: true }).waitFor();
  assert.equal(await idle.getByText("Zoom in").count(), 0);
  await page.getByRole("checkbox", { name: /single-key shortcuts/ }).uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("h");
  await page.keyboard.press("1");
  await page.keyboard.press("Home");
  await shows(page, 1);
  assert.ok((await isSeen(page, "#texts")) && !(await isSeen(page, "#history")));
  await page.waitForURL((url) => url.hash === "#run/1");
  await page.reload();
  await shows(page, 1);
  await page.keyboard.press("?");
  assert.match(await listed(), /Next turn/);
  assert.doesNotMatch(await idle.innerText(), /Next turn/);
  assert.equal(await page.getByRole("checkbox", { name: /single-key shortcuts/ }).isChecked(), false);
});

scene("the list of keys is explained in full", async (stage) => {
  const page = await recorded(stage);
  await page.keyboard.press("?");
  await page.locator("#help[open]").waitFor();
  assert.doesNotMatch(await page.locator("#help").innerText(), /\bSST\b/);
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    const cut = await page.locator("#help :is(dt, dd)").evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent));
    assert.deepEqual(cut, [], `${width} px`);
    const above = await page.locator("#single-keys").evaluate((tick) => {
      const words = document.createRange();
      words.selectNodeContents(tick.nextSibling);
      const middle = ({ top, bottom }) => (top + bottom) / 2;
      return middle(words.getBoundingClientRect()) - middle(tick.getBoundingClientRect());
    });
    assert.ok(Math.abs(above) < 4, `the box is ${above} px above its words`);
  }
});

scene("without pictures, the texts get their room until there is one", async (stage) => {
  record(stage.path("run"), 4, { pictures: 1 });
  const page = await stage.open(await stage.replay());
  await shows(page, 4);
  const wide = async (selector) => (await page.locator(selector).boundingBox()).width;
  await page.getByText("This turn has no picture: its request contained none.").waitFor();
  assert.ok((await wide("#picture")) < (await wide("#side")) / 2);
  assert.ok(await page.locator("#zoom-in").isHidden());
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await page.locator("#stage").boundingBox()).height < 60);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press("Home");
  await shows(page, 1);
  await page.locator("#sheet img").waitFor();
  assert.ok((await wide("#picture")) > (await wide("#side")));
  // From now on, a turn without one changes nothing.
  await page.keyboard.press("End");
  await shows(page, 4);
  assert.ok((await wide("#picture")) > (await wide("#side")));
});

scene("a notice covers no action, button or text, also in a low window", async (stage) => {
  record(stage.path("run"), 3);
  const franz = await stage.replay();
  for (const [width, height] of [[2560, 1440], [1440, 900], [1366, 768], [1000, 500]]) {
    const context = await stage.context(franz, { viewport: { width, height } });
    await neverFades(context);
    const page = await stage.open({ ...franz, link: `${franz.link}#elsewhere`, clients: () => franz.clients() }, { context });
    await shows(page, 3);
    await page.locator("#toasts p").waitFor();
    const covered = await page.evaluate(() => {
      const { left, top, right, bottom } = document.querySelector("#toasts p").getBoundingClientRect();
      const parts = [...document.querySelectorAll("header, nav, #texts, #feedback .actions")].filter((part) => part.checkVisibility());
      return parts.filter((part) => {
        const box = part.getBoundingClientRect();
        return box.left < right && left < box.right && box.top < bottom && top < box.bottom;
      }).map((part) => part.id || part.className || part.parentElement.id);
    });
    assert.deepEqual(covered, [], `${width} x ${height}`);
    await page.close();
  }
});
